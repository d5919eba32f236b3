// The letters of --itrace. Source: itrace_do_parse_synth_opts of tools/perf/util/auxtrace.c.

#include <charconv>
#include <cstdint>
#include <string>

#include "evname/perf_data.hpp"

namespace evname {
namespace {

struct KindLetter {
  char letter;
  TraceKind kind;
};
constexpr KindLetter kKindLetters[] = {
    {'f', TraceKind::first_level}, {'m', TraceKind::last_level}, {'t', TraceKind::tlb},
    {'b', TraceKind::branches},    {'c', TraceKind::branches},   {'r', TraceKind::branches},
    {'a', TraceKind::remote},      {'M', TraceKind::memory},     {'i', TraceKind::instructions}};
constexpr std::string_view kWithoutEffect = "xwpoIqAZT ,y";
constexpr std::string_view kWithNumber = "gGL", kWithFlags = "ed";
constexpr std::uint64_t kMostBranches = 1024, kUsualBranches = 64;

class LetterReader {
 public:
  explicit LetterReader(std::string_view text) : text_(text) {}

  /// Returns false for an unknown letter, or a letter without the number that it needs.
  bool read(TraceOptions& options) {
    while (!text_.empty()) {
      const char letter = text_.front();
      text_.remove_prefix(1);
      if (!read_one(letter, options)) return false;
    }
    return true;
  }

 private:
  bool read_one(char letter, TraceOptions& options) {
    for (const KindLetter& row : kKindLetters)
      if (row.letter == letter) options.kinds |= static_cast<unsigned>(row.kind);
    if (letter == 'i' || letter == 'y') return read_period(options.period);
    if (letter == 'l') return read_count(options.branch_stack = kUsualBranches);
    if (letter == 's') return number(skipped_);
    if (kWithNumber.find(letter) != kWithNumber.npos) return read_count(skipped_);
    if (kWithFlags.find(letter) != kWithFlags.npos) return skip_flags();
    for (const KindLetter& row : kKindLetters)
      if (row.letter == letter) return true;
    return kWithoutEffect.find(letter) != kWithoutEffect.npos;
  }
  /// Operations are the only unit that SPE has.
  bool read_period(std::uint64_t& period) {
    period = 1;
    skip_space();
    if (!number(period)) return true;
    skip_space();
    if (!text_.empty() && text_.front() != 'i') return false;
    text_.remove_prefix(text_.empty() ? 0 : 1);
    return true;
  }
  bool read_count(std::uint64_t& count) {
    skip_space();
    return !number(count) || (count > 0 && count <= kMostBranches);
  }
  bool skip_flags() {
    while (text_.size() > 1 && (text_[0] == '+' || text_[0] == '-')) {
      if (text_[1] < 'a' || text_[1] > 'z') return false;
      text_.remove_prefix(2);
    }
    return true;
  }
  void skip_space() { text_.remove_prefix(std::min(text_.find_first_not_of(" ,"), text_.size())); }
  bool number(std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return error == std::errc();
  }

  std::string_view text_;
  std::uint64_t skipped_ = 0;
};

}  // namespace

// Without `i` perf leaves the period 0.
Result<TraceOptions> parse_trace_options(std::string_view letters) {
  if (letters.empty()) return TraceOptions{};
  TraceOptions options = TraceOptions::none();
  if (LetterReader(letters).read(options)) return options;
  return fail(Errc::invalid_argument,
              "not a list of letters for trace data, such as bl or i10i (f, m, t, b, a, M, i, l)",
              std::string(letters));
}

}  // namespace evname
