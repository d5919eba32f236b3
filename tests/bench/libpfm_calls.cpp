// Times the functions of two libpfm.so.4 in turns, in one process:
//   bench-libpfm-calls OURS THEIRS
// Each line has nanoseconds for a call of both and how many times faster the first one is; the
// figure is the least of several rounds. With one library and a text, the process initializes it,
// encodes the text once, and prints how many microseconds both took together:
//   bench-libpfm-calls --once LIBRARY TEXT

#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

struct Library {
  void* handle;
  decltype(&::pfm_initialize) initialize;
  decltype(&::pfm_terminate) terminate;
  decltype(&::pfm_get_pmu_info) pmu_info;
  decltype(&::pfm_get_event_next) next;
  decltype(&::pfm_get_event_info) event_info;
  decltype(&::pfm_get_event_attr_info) attr_info;
  decltype(&::pfm_get_os_event_encoding) os_encoding;
  decltype(&::pfm_get_event_encoding) encoding;

  explicit Library(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(2);
    }
    find(initialize, "pfm_initialize");
    find(terminate, "pfm_terminate");
    find(pmu_info, "pfm_get_pmu_info");
    find(next, "pfm_get_event_next");
    find(event_info, "pfm_get_event_info");
    find(attr_info, "pfm_get_event_attr_info");
    find(os_encoding, "pfm_get_os_event_encoding");
    find(encoding, "pfm_get_event_encoding");
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) {
      std::fprintf(stderr, "no %s\n", name);
      std::exit(2);
    }
  }
};

int encode_words(const Library& library, const std::string& text, bool wants_name) {
  std::uint64_t words[8];
  char* name = nullptr;
  pfm_pmu_encode_arg_t argument{};
  argument.size = sizeof argument;
  argument.codes = words;
  argument.count = 8;
  argument.fstr = wants_name ? &name : nullptr;
  const int status = library.os_encoding(text.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &argument);
  std::free(name);
  return status;
}

int encode_attr(const Library& library, const std::string& text, bool wants_name) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  char* name = nullptr;
  pfm_perf_encode_arg_t argument{};
  argument.size = sizeof argument;
  argument.attr = &attr;
  argument.fstr = wants_name ? &name : nullptr;
  const int status =
      library.os_encoding(text.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
  std::free(name);
  return status;
}

int encode_old(const Library& library, const std::string& text, bool wants_name) {
  std::uint64_t* words = nullptr;
  int count = 0;
  char* name = nullptr;
  const int status = library.encoding(text.c_str(), PFM_PLM0 | PFM_PLM3,
                                      wants_name ? &name : nullptr, nullptr, &words, &count);
  std::free(words);
  std::free(name);
  return status;
}

/// Lists the events and attributes of a PMU; returns how many there are.
std::size_t enumerate(const Library& library, pfm_pmu_t pmu, std::vector<std::string>* texts) {
  pfm_pmu_info_t info{};
  info.size = sizeof info;
  if (library.pmu_info(pmu, &info) != PFM_SUCCESS) return 0;
  std::size_t count = 0;
  for (int at = info.first_event; at != -1; at = library.next(at)) {
    pfm_event_info_t event{};
    event.size = sizeof event;
    if (library.event_info(at, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS) continue;
    ++count;
    bool has_mask = false;
    for (int i = 0; i < event.nattrs; ++i, ++count) {
      pfm_event_attr_info_t attr{};
      attr.size = sizeof attr;
      if (library.attr_info(at, i, PFM_OS_PERF_EVENT_EXT, &attr) != PFM_SUCCESS) continue;
      if (texts == nullptr || attr.type != PFM_ATTR_UMASK) continue;
      has_mask = true;
      texts->push_back(std::string(info.name) + "::" + event.name + ":" + attr.name);
    }
    if (texts != nullptr && !has_mask) texts->push_back(std::string(info.name) + "::" + event.name);
  }
  return count;
}

/// Returns the least of several rounds; the two libraries take turns.
template <class Job>
void compare(const char* what, const Library (&both)[2], std::size_t calls, Job&& job) {
  constexpr int kRounds = 15;
  double least[2] = {1e18, 1e18};
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < 2; ++i) {
      const auto start = Clock::now();
      job(both[i]);
      least[i] = std::min(least[i], nanoseconds_since(start) / static_cast<double>(calls));
    }
  std::printf("%-52s %10.1f %10.1f %7.1f\n", what, least[0], least[1], least[1] / least[0]);
}

void compare_pmu(const Library (&both)[2], pfm_pmu_t pmu, const char* name) {
  std::vector<std::string> texts, known;
  enumerate(both[1], pmu, &texts);
  for (const std::string& text : texts)
    if (encode_words(both[0], text, false) == PFM_SUCCESS &&
        encode_words(both[1], text, false) == PFM_SUCCESS)
      known.push_back(text);
  if (known.empty()) return;
  std::printf("%s, %zu names\n", name, known.size());
  const auto all = [&](auto encode, bool wants_name) {
    return [&known, encode, wants_name](const Library& library) {
      for (const std::string& text : known) encode(library, text, wants_name);
    };
  };
  compare("  pfm_get_os_event_encoding, PFM_OS_NONE", both, known.size(), all(encode_words, false));
  compare("    with fstr", both, known.size(), all(encode_words, true));
  if (encode_attr(both[0], known[0], false) == PFM_SUCCESS) {
    compare("  PFM_OS_PERF_EVENT_EXT", both, known.size(), all(encode_attr, false));
    compare("    with fstr", both, known.size(), all(encode_attr, true));
  }
  compare("  pfm_get_event_encoding", both, known.size(), all(encode_old, false));
  compare("    with fstr", both, known.size(), all(encode_old, true));
  compare("  an event or attribute of its enumeration", both, enumerate(both[0], pmu, nullptr),
          [&](const Library& library) { enumerate(library, pmu, nullptr); });
}

int run_once(const char* path, const char* text) {
  const Library library(path);
  const auto start = Clock::now();
  int status = library.initialize();
  if (status == PFM_SUCCESS) status = encode_words(library, text, false);
  std::printf("%.1f\n", nanoseconds_since(start) / 1e3);
  return status == PFM_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--once") == 0) return run_once(argv[2], argv[3]);
  if (argc != 3) return 2;
  const Library both[2] = {Library(argv[1]), Library(argv[2])};
  std::printf("%-52s %10s %10s %7s\n", "nanoseconds", "evname", "libpfm4", "factor");
  compare("pfm_initialize and pfm_terminate", both, 1, [](const Library& library) {
    library.initialize();
    library.terminate();
  });
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  for (const Library& library : both) library.initialize();
  compare_pmu(both, PFM_PMU_INTEL_SKX, "skx");
  compare_pmu(both, PFM_PMU_INTEL_SNBEP_UNC_PCU, "snbep_unc_pcu");
  compare_pmu(both, PFM_PMU_AMD64_FAM17H_ZEN1, "amd64_fam17h_zen1");
  compare_pmu(both, PFM_PMU_ARM_N1, "arm_n1");
  compare_pmu(both, PFM_PMU_PERF_EVENT, "perf");
  return EXIT_SUCCESS;
}
