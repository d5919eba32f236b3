// Files of speedscope: a sampled profile for each event of each recording. Schema: file-format-spec
// of speedscope.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "recordings/profiles/output.hpp"
#include "recordings/profiles/packed_column.hpp"
#include "recordings/profiles/profile.hpp"

namespace evname::profiles {
namespace {

/// A thread under one of its names.
struct Thread {
  Strings::Id comm = 0;
  std::int32_t tid = -1;

  auto operator<=>(const Thread&) const = default;
};

struct Samples {
  std::size_t count = 0;
  PackedColumn stacks, threads, periods;
};

class SpeedscopeWriter final : public Writer {
 public:
  explicit SpeedscopeWriter(const WriterSetup& setup) : profile_(setup.profile), json_(setup.out) {}

  bool row(const Row& row) override {
    const auto [thread, is_new] =
        threads_.try_emplace({row.comm, row.tid}, static_cast<std::uint32_t>(threads_.size()));
    Samples& samples = profiles_[{row.recording, row.event}];
    ++samples.count;
    samples.stacks.push_back(row.stack);
    samples.threads.push_back(thread->second);
    samples.periods.push_back(row.period);
    return true;
  }

  void end() override {
    json_.object([&] {
      json_.key("$schema").text("https://www.speedscope.app/file-format-schema.json");
      json_.key("exporter").text("evname");
      json_.key("name").text(name());
      json_.key("activeProfileIndex").number(longest());
      json_.key("shared").object([&] { write_frames(); });
      json_.key("profiles").array([&] {
        for (const auto& [of, samples] : profiles_)
          write_profile(profile_.recordings[of.first], profile_.events[of.second], samples);
      });
    });
  }

 private:
  std::string name() const {
    std::string name;
    for (const Source& recording : profile_.recordings)
      (name += name.empty() ? "" : ", ") += recording.name;
    std::string clean;
    append_utf8(clean, name);
    return clean;
  }

  std::size_t longest() const {
    std::size_t best = 0, index = 0, most = 0;
    for (const auto& [of, samples] : profiles_) {
      if (samples.count > most) {
        best = index;
        most = samples.count;
      }
      ++index;
    }
    return best;
  }

  /// First the threads, then the functions, without lines: speedscope would treat one function with
  /// different lines as different functions.
  void write_frames() {
    std::vector<const Thread*> threads(threads_.size());
    for (const auto& [thread, index] : threads_) threads[index] = &thread;
    json_.key("frames").array([&] {
      for (const Thread* thread : threads)
        json_.object([&] { json_.key("name").text(thread_text(*thread)); });
      for (const Function& function : profile_.stacks.functions()) write_frame(function);
    });
  }

  std::string thread_text(const Thread& thread) const {
    if (thread.tid == -1) return "[thread not sampled]";
    return fmt::format("{} ({})", profile_.strings[thread.comm], thread.tid);
  }

  void write_frame(const Function& function) {
    json_.object([&] {
      json_.key("name").text(profile_.strings[function.name]);
      if (const std::string& source = profile_.strings[function.source]; !source.empty())
        json_.key("file").text(source);
      else if (function.binary != kNone)
        json_.key("file").text(text_of(profile_.stacks.binaries()[function.binary].file));
    });
  }

  const std::string& text_of(const std::string& name) { return texts_[texts_.id(name)]; }

  void write_profile(const Source& recording, const Event& event, const Samples& samples) {
    std::uint64_t total = 0;
    json_.object([&] {
      json_.key("type").text("sampled");
      std::string name = fmt::format("{} ({})", event.label, event.code);
      if (profile_.several()) name += " in " + recording.name;
      json_.key("name").text(text_of(name));
      json_.key("unit").text(event.is_time ? "nanoseconds" : "none");
      PackedColumn::Reader stacks(samples.stacks), threads(samples.threads);
      json_.column("samples", samples.count, [&](std::size_t) {
        write_stack(static_cast<std::uint32_t>(stacks.next()), threads.next());
      });
      PackedColumn::Reader periods(samples.periods);
      json_.column("weights", samples.count, [&](std::size_t) {
        const std::uint64_t period = periods.next();
        total += period;
        json_.number(period);
      });
      json_.key("startValue").number(0);
      json_.key("endValue").number(total);
    });
  }

  /// Root first.
  void write_stack(std::uint32_t stack, std::uint64_t thread) {
    stack_ = '[';
    stack_ += fmt::format_int(thread).str();
    profile_.stacks.locations_of(stack, locations_);
    for (auto at = locations_.rbegin(); at != locations_.rend(); ++at) stack_ += text_of(*at);
    json_.digits(stack_ += ']');
  }

  /// Returns the numbers of a location's functions, each after a comma.
  const std::string& text_of(std::uint32_t location) {
    if (location >= location_texts_.size())
      location_texts_.resize(profile_.stacks.locations().size());
    std::string& text = location_texts_[location];
    const auto& lines = profile_.stacks.locations()[location].lines;
    if (text.empty())
      for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        text += fmt::format(",{}", threads_.size() + line->function);
    return text;
  }

  Profile& profile_;
  Json json_;
  Strings texts_;
  std::map<Thread, std::uint32_t> threads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Samples> profiles_;
  std::vector<std::uint32_t> locations_;
  std::vector<std::string> location_texts_;
  std::string stack_;
};

}  // namespace

std::unique_ptr<Writer> make_speedscope_writer(const WriterSetup& setup) {
  return std::make_unique<SpeedscopeWriter>(setup);
}

}  // namespace evname::profiles
