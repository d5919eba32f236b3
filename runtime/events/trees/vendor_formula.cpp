#include "events/trees/vendor_formula.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace evname::trees {
namespace {

struct Renamed {
  std::string_view theirs, ours;
};

/// Events with another name in Intel's formulas than in perf.
constexpr Renamed kRenamedEvents[] = {
    {"PERF_METRICS.RETIRING", "topdown\\-retiring"},
    {"PERF_METRICS.BAD_SPECULATION", "topdown\\-bad\\-spec"},
    {"PERF_METRICS.FRONTEND_BOUND", "topdown\\-fe\\-bound"},
    {"PERF_METRICS.BACKEND_BOUND", "topdown\\-be\\-bound"},
    {"PERF_METRICS.HEAVY_OPERATIONS", "topdown\\-heavy\\-ops"},
    {"PERF_METRICS.BRANCH_MISPREDICTS", "topdown\\-br\\-mispredict"},
    {"PERF_METRICS.FETCH_LATENCY", "topdown\\-fetch\\-lat"},
    {"PERF_METRICS.MEMORY_BOUND", "topdown\\-mem\\-bound"},
    {"TSC", "msr@tsc@"},
    {"UNC_PKG_ENERGY_STATUS", "power@energy\\-pkg@"},
    {"FREERUN_PKG_ENERGY_STATUS", "power@energy\\-pkg@"},
    {"FREERUN_DRAM_ENERGY_STATUS", "power@energy\\-ram@"},
};

/// The first PMU of the unit at the start of an event's name.
constexpr Renamed kFirstUnits[] = {
    {"UNC_CHA_", "uncore_cha_0"},
    {"UNC_C_", "uncore_cbox_0"},
    {"UNC_M_", "uncore_imc_0"},
    {"UNC_P_", "uncore_pcu"},
};

/// Suffixes with a value: ":c1", ":opc=0x182".
constexpr Renamed kSuffixTerms[] = {
    {"filter1=", "config1"},
    {"ocr_msr_val=", "offcore_rsp"},
    {"opc=", "filter_opc"},
    {"tid=", "filter_tid"},
    {"eq", "eq"},
    {"c", "cmask"},
    {"e", "edge"},
    {"i", "inv"},
    {"u", "umask"},
};

/// Suffixes that are letters behind the event.
constexpr Renamed kSuffixModifiers[] = {
    {"sup", "k"}, {"user", "u"}, {"retire_latency", "R"}, {"perf_metrics", ""}};

bool is_word_char(char c) { return is_alphanumeric(c) || c == '_' || c == '.'; }

bool is_number_text(std::string_view text) {
  return !text.empty() && is_digit(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_word_char(c) && c != '_' && c != '.'; });
}

/// An event as it is being translated.
struct EventParts {
  bool uncore = false, first_unit = false;
  std::string terms = {}, modifiers = {};

  void add_term(std::string_view term) { terms.append(terms.empty() ? "" : "\\,").append(term); }
};

bool add_suffix(std::string_view suffix, EventParts& out) {
  for (const Renamed& row : kSuffixModifiers)
    if (equal_ignoring_case(suffix, row.theirs)) {
      out.modifiers.append(row.ours);
      return true;
    }
  if (suffix == "one_unit") return out.first_unit = true;
  if (suffix == "percore") {
    out.add_term("percore");
    return true;
  }
  for (const Renamed& row : kSuffixTerms) {
    if (!suffix.starts_with(row.theirs)) continue;
    const std::string_view value = suffix.substr(row.theirs.size());
    if (!is_number_text(value)) continue;
    const bool threshold = out.uncore && row.ours == "cmask";
    out.add_term(fmt::format("{}\\={}", threshold ? "thresh" : row.ours, value));
    return true;
  }
  return false;
}

std::string_view first_unit_of(std::string_view name) {
  for (const Renamed& row : kFirstUnits)
    if (starts_ignoring_case(name, row.theirs)) return row.ours;
  return {};
}

/// Returns "" for a text that is not the name of an event.
std::string with_escapes(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (!is_word_char(c) && c != '-') return {};
    if (c == '-') out += '\\';
    out += c;
  }
  return out;
}

/// Words that formulas use without an alias.
constexpr Renamed kPlainWords[] = {
    {"DURATIONTIMEINSECONDS", "duration_time"},
    {"if", "if"},
    {"else", "else"},
    {"min", "min"},
    {"max", "max"},
};

class FormulaWriter {
 public:
  FormulaWriter(std::string_view text, const FormulaNames& names, OtherWords others)
      : text_(text), names_(names), others_(others) {}

  Result<std::string> run();

 private:
  /// A text between brackets and separators.
  struct Operand {
    std::size_t start = 0;  ///< in the output
    bool compared = false;  ///< "1 - (" comes before it
  };

  Result<void> next();
  Result<void> number();
  Result<void> word();
  Result<void> event_word(std::size_t start);
  Result<void> literal();
  Result<void> mark();
  Result<void> not_less(char compared);
  Result<void> put(const FormulaName& name);
  void append(std::string_view token);
  void separator(std::string_view token);
  void end_operand();

  char at(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void skip_spaces() {
    while (at() != '\0' && std::isspace(static_cast<unsigned char>(at()))) ++position_;
  }
  std::string_view take_word() {
    const std::size_t start = position_;
    while (is_word_char(at())) ++position_;
    return text_.substr(start, position_ - start);
  }
  std::string take_number();
  tl::unexpected<Error> error(std::size_t offset, std::string message) const {
    return fail(Errc::invalid_argument, std::move(message),
                fmt::format("formula, column {}", offset + 1));
  }

  std::string_view text_;
  const FormulaNames& names_;
  OtherWords others_;
  std::size_t position_ = 0;
  std::string out_;
  std::vector<Operand> operands_ = {Operand{}};
};

void FormulaWriter::append(std::string_view token) {
  const bool function = token == "(" && (out_.ends_with("min") || out_.ends_with("max"));
  const bool tight = out_.empty() || out_.back() == '(' || token == ")" || token == "," || function;
  out_.append(tight ? "" : " ").append(token);
}

void FormulaWriter::end_operand() {
  if (operands_.back().compared) out_ += ')';
  operands_.back().compared = false;
}

void FormulaWriter::separator(std::string_view token) {
  end_operand();
  append(token);
  operands_.back().start = out_.size();
}

std::string FormulaWriter::take_number() {
  std::string out;
  while (is_digit(at()) || at() == '.') out += text_[position_++];
  const std::size_t sign = at(1) == '-' || at(1) == '+';
  if ((at() != 'e' && at() != 'E') || !is_digit(at(1 + sign))) return out;
  out += at(1) == '-' ? "e-" : "e";
  position_ += 1 + sign;
  while (is_digit(at())) out += text_[position_++];
  return out;
}

Result<void> FormulaWriter::number() {
  append(take_number());
  return {};
}

/// A percentage that is compared with a number keeps its own scale: "a > 5" is "name > 0.05".
Result<void> FormulaWriter::put(const FormulaName& name) {
  if (!name.percent) {
    append(name.text);
    return {};
  }
  skip_spaces();
  const char compared = at();
  const std::size_t before = position_;
  ++position_;
  skip_spaces();
  if ((compared == '<' || compared == '>') && is_digit(at())) {
    double limit = 0;
    const std::string written = take_number();
    if (read_double(written, limit) == written.size()) {
      append(fmt::format("{} {} {}", name.text, compared, limit / 100));
      return {};
    }
  }
  position_ = before;
  append(fmt::format("(100 * {})", name.text));
  return {};
}

Result<void> FormulaWriter::event_word(std::size_t start) {
  while (at() == ':' || at() == '=' || is_word_char(at())) ++position_;
  auto event = kernel_event(text_.substr(start, position_ - start));
  if (!event) return error(start, event.error().message);
  append(*event);
  return {};
}

Result<void> FormulaWriter::word() {
  const std::size_t start = position_;
  std::string word(take_word());
  constexpr std::string_view kPercent = "(%)";
  if (word.starts_with("metric_") && text_.substr(position_).starts_with(kPercent)) {
    position_ += kPercent.size();
    word += kPercent;
  }
  if (const auto known = names_.find(word); known != names_.end()) {
    constexpr std::string_view kFirst = "[0]";
    if (!text_.substr(position_).starts_with(kFirst)) return put(known->second);
    position_ += kFirst.size();
    if (known->second.first_unit.empty())
      return error(start, fmt::format("nothing is known of the units of '{}'", word));
    append(known->second.first_unit);
    return {};
  }
  for (const Renamed& plain : kPlainWords) {
    if (plain.theirs != word) continue;
    if (word == "if" || word == "else")
      separator(plain.ours);
    else
      append(plain.ours);
    return {};
  }
  if (others_ == OtherWords::events) return event_word(start);
  return error(start, fmt::format("'{}' is not an alias of an event or a constant", word));
}

Result<void> FormulaWriter::literal() {
  const std::size_t start = position_++;
  const std::string_view word = take_word();
  if (word.empty()) return error(start, "a # without a name");
  append(word == "NA" ? std::string("NaN") : fmt::format("#{}", word));
  return {};
}

/// x >= y becomes 1 - (x < y), since perf has no >=.
Result<void> FormulaWriter::not_less(char compared) {
  Operand& operand = operands_.back();
  if (operand.compared) return error(position_, "two comparisons without brackets");
  std::size_t start = operand.start;
  while (start < out_.size() && out_[start] == ' ') ++start;
  out_.insert(start, "1 - (");
  operand.compared = true;
  append(compared == '>' ? "<" : ">");
  return {};
}

Result<void> FormulaWriter::mark() {
  const std::size_t start = position_;
  const char c = text_[position_++];
  if (c == '(') {
    append("(");
    operands_.push_back({out_.size()});
  } else if (c == ')') {
    if (operands_.size() == 1) return error(start, "a ')' without a '('");
    end_operand();
    operands_.pop_back();
    append(")");
  } else if (c == '&' || c == '|') {
    if (at() == c) ++position_;
    separator(std::string_view(&c, 1));
  } else if (c == ',' || c == '^') {
    separator(std::string_view(&c, 1));
  } else if (c == '<' || c == '>') {
    skip_spaces();
    if (at() != '=') {
      append(std::string_view(&c, 1));
      return {};
    }
    ++position_;
    return not_less(c);
  } else if (std::string_view("+-*/%").find(c) != std::string_view::npos) {
    append(std::string_view(&c, 1));
  } else {
    return error(start, fmt::format("'{}' is not part of a formula", c));
  }
  return {};
}

Result<void> FormulaWriter::next() {
  const char c = at();
  if (is_digit(c) || (c == '.' && is_digit(at(1)))) return number();
  if (is_word_char(c)) return word();
  return c == '#' ? literal() : mark();
}

// A short alias may stand for a long text, and may be used often.
Result<std::string> FormulaWriter::run() {
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  for (skip_spaces(); position_ < text_.size(); skip_spaces()) {
    if (auto done = next(); !done) return fail(done);
    if (out_.size() > kLongest) return error(position_, "it is too long with what aliases mean");
  }
  if (operands_.size() > 1) return error(text_.size(), "a '(' without a ')'");
  end_operand();
  return std::move(out_);
}

/// Returns true if the expression is one product, so that a factor can be removed.
bool is_product(std::string_view expression) {
  int depth = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      ++i;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (depth == 0 && (std::string_view("+-<>&|^%").find(c) != std::string_view::npos ||
                              expression.substr(i).starts_with(" if "))) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::string> kernel_formula(std::string_view formula, const FormulaNames& names,
                                   OtherWords others) {
  return FormulaWriter(formula, names, others).run();
}

Result<std::string> kernel_event(std::string_view event, bool first_unit) {
  for (const Renamed& row : kRenamedEvents)
    if (equal_ignoring_case(row.theirs, event)) return std::string(row.ours);
  const auto pieces = split(event, ':');
  const std::string name = with_escapes(pieces.front());
  if (name.empty())
    return fail(Errc::invalid_argument,
                fmt::format("'{}' is not the name of an event", pieces.front()));
  EventParts parts{starts_ignoring_case(name, "unc_"), first_unit};
  for (const std::string_view suffix : std::span(pieces).subspan(1))
    if (!add_suffix(suffix, parts))
      return fail(Errc::invalid_argument,
                  fmt::format("unknown suffix '{}' of event '{}'", suffix, event));
  const std::string_view pmu = parts.first_unit ? first_unit_of(name) : std::string_view();
  if (parts.first_unit && pmu.empty())
    return fail(Errc::invalid_argument, fmt::format("unknown unit of event '{}'", event));
  if (!pmu.empty())
    return fmt::format("{}@{}{}{}@{}", pmu, name, parts.terms.empty() ? "" : "\\,", parts.terms,
                       parts.modifiers);
  if (!parts.terms.empty()) return fmt::format("{}@{}@{}", name, parts.terms, parts.modifiers);
  return parts.modifiers.empty() ? name : fmt::format("{}:{}", name, parts.modifiers);
}

std::string without_percent(std::string expression) {
  constexpr std::string_view kHundred = "100 * ";
  if (expression.starts_with(kHundred) && is_product(expression))
    return expression.substr(kHundred.size());
  return fmt::format("({}) / 100", expression);
}

}  // namespace evname::trees
