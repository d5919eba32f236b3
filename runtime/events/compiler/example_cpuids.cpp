#include "events/compiler/example_cpuids.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "events/cpu/mapfile_pattern.hpp"

namespace evname::compiler {
namespace {

// Expands a pattern to one choice for each of the few operators that mapfiles use.

/// Position after the bracket expression or group that starts at `at`; npos if it has no end.
std::size_t end_of_bracket(std::string_view text, std::size_t at) {
  std::size_t i = at + 1;
  if (i < text.size() && text[i] == ']') ++i;
  while (i < text.size() && text[i] != ']') {
    if (!text.substr(i).starts_with("[:")) {
      ++i;
      continue;
    }
    const auto end = text.find(":]", i);
    if (end == std::string_view::npos) return end;
    i = end + 2;
  }
  return i < text.size() ? i + 1 : std::string_view::npos;
}

std::size_t end_of_group(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '[') {
      i = end_of_bracket(text, i);
      if (i == std::string_view::npos) return i;
      --i;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// The characters of a bracket expression (the text between its brackets), in order.
std::string members(std::string_view inside) {
  if (inside == "[:xdigit:]") return "0123456789ABCDEF";
  if (inside == "[:digit:]") return "0123456789";
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool range = i + 2 < inside.size() && inside[i + 1] == '-';
    const char last = range ? inside[i + 2] : inside[i];
    for (int c = inside[i]; c <= last && out.size() < 256; ++c) out += static_cast<char>(c);
    if (range) i += 2;
  }
  return out;
}

/// Hands out one combination of choices after the other, the last choice varying fastest.
class Choices {
 public:
  std::size_t choose(std::size_t count) {
    if (next_ == digits_.size()) digits_.push_back({0, count});
    return digits_[next_++].value;
  }
  /// Moves on to the next combination; false after the last.
  bool advance() {
    next_ = 0;
    while (!digits_.empty() && ++digits_.back().value >= digits_.back().count) digits_.pop_back();
    return !digits_.empty();
  }

 private:
  struct Digit {
    std::size_t value, count;
  };
  std::vector<Digit> digits_;
  std::size_t next_ = 0;
};

class Expander {
 public:
  explicit Expander(Choices& choices) : choices_(choices) {}

  /// One member of the pattern; nullopt if the pattern has an unknown construct.
  std::optional<std::string> expand(std::string_view pattern, int depth) {
    if (depth > 8) return std::nullopt;
    const auto alternatives = split_alternatives(pattern);
    if (alternatives.empty()) return std::nullopt;
    const std::string_view chosen =
        alternatives[alternatives.size() > 1 ? choices_.choose(alternatives.size()) : 0];
    std::string out;
    for (std::size_t i = 0; i < chosen.size();) {
      if (chosen[i] == '^' || chosen[i] == '$') {
        ++i;
        continue;
      }
      const std::size_t end = end_of_atom(chosen, i);
      if (end > chosen.size()) return std::nullopt;
      const std::string_view atom = chosen.substr(i, end - i);
      i = end;
      if (!repeat(atom, chosen, i, depth, out)) return std::nullopt;
    }
    return out;
  }

 private:
  static std::vector<std::string_view> split_alternatives(std::string_view pattern) {
    std::vector<std::string_view> out;
    std::size_t from = 0;
    for (std::size_t i = 0; i < pattern.size();) {
      if (pattern[i] == '|') {
        out.push_back(pattern.substr(from, i - from));
        from = ++i;
        continue;
      }
      i = end_of_atom(pattern, i);
      if (i > pattern.size()) return {};
    }
    out.push_back(pattern.substr(from));
    return out;
  }

  static std::size_t end_of_atom(std::string_view text, std::size_t at) {
    if (text[at] == '[') return end_of_bracket(text, at);
    if (text[at] == '(') return end_of_group(text, at);
    return at + (text[at] == '\\' ? 2 : 1);
  }

  /// Appends the atom as often as the quantifier at `at` wants, and moves `at` after it.
  bool repeat(std::string_view atom, std::string_view text, std::size_t& at, int depth,
              std::string& out) {
    const char sign = at < text.size() ? text[at] : '\0';
    std::size_t count = 1;
    if (sign == '{') {
      const auto end = text.find('}', at);
      const auto wanted = parse_decimal(text.substr(at + 1, text.find_first_of(",}", at) - at - 1));
      if (end == std::string_view::npos || !wanted || *wanted > 64) return false;
      count = *wanted;
      at = end + 1;
    } else if (sign == '*' || sign == '+' || sign == '?') {
      ++at;
      if (atom == ".") {  // s390: fields between commas that don't distinguish models
        out += at < text.size() && text[at] != '$' ? ",000," : ",000";
        return true;
      }
      count = sign == '?' ? 0 : 1 + choices_.choose(2);
    }
    for (std::size_t i = 0; i < count; ++i)
      if (++steps_ > kMostSteps || !append(atom, sign == '+' || sign == '*', depth, out))
        return false;
    return true;
  }

  bool append(std::string_view atom, bool repeated, int depth, std::string& out) {
    if (atom == ".") {
      out += ',';
    } else if (atom[0] == '\\') {
      out += atom.substr(1);
    } else if (atom[0] == '[') {
      std::string set = members(atom.substr(1, atom.size() - 2));
      if (set.empty() || set[0] == '^') return false;
      // Numbers of open length are written without leading zeros.
      if (repeated) std::rotate(set.begin(), set.begin() + 1, set.end());
      out += set[choices_.choose(set.size())];
    } else if (atom[0] == '(') {
      const auto inner = expand(atom.substr(1, atom.size() - 2), depth + 1);
      if (!inner) return false;
      out += *inner;
    } else {
      out += atom;
    }
    return true;
  }

  static constexpr std::size_t kMostSteps = 4096;  // nested {n} multiply

  Choices& choices_;
  std::size_t steps_ = 0;
};

/// The patterns of all rows, in their order.
std::vector<cpu::MapfilePattern> patterns_of(const tables::ArchTables& arch) {
  std::vector<cpu::MapfilePattern> out;
  out.reserve(arch.map_rows.size());
  for (const tables::MapRow& row : arch.map_rows)
    out.emplace_back(arch.arch, arch.text(row.pattern));
  return out;
}

bool belongs_to(const tables::ModelView& view, std::span<cpu::MapfilePattern> patterns,
                std::string_view cpuid) {
  const tables::ArchTables& arch = view.arch();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::uint32_t model = arch.map_rows[i].model;
    if (patterns[i].matches(cpuid))
      return model < arch.models.size() && &arch.models[model] == view.model;
  }
  return false;
}

/// CPUID strings that a pattern is likely to match, one after the other.
class Examples {
 public:
  Examples(std::string_view arch, std::string_view pattern) : arch_(arch), pattern_(pattern) {}

  /// nullopt: there are no more, or the pattern has an unknown construct.
  std::optional<std::string> next() {
    if (done_) return std::nullopt;
    auto member = Expander(choices_).expand(pattern_, 0);
    done_ = !member || !choices_.advance();
    const bool without_stepping =
        member && arch_ == "x86" && std::count(member->begin(), member->end(), '-') == 2;
    if (without_stepping) *member += "-0";
    return member;
  }

 private:
  std::string_view arch_, pattern_;
  Choices choices_;
  bool done_ = false;
};

std::optional<std::string> example_of(const tables::ModelView& view, std::string_view pattern,
                                      std::span<cpu::MapfilePattern> patterns) {
  constexpr int kAttempts = 1024;
  constexpr std::size_t kLongestPattern = 256, kLongestCpuid = 63;
  if (pattern.size() > kLongestPattern) return std::nullopt;
  Examples examples(view.arch().arch, pattern);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto example = examples.next();
    if (!example || example->size() > kLongestCpuid) return std::nullopt;
    if (belongs_to(view, patterns, *example)) return example;
  }
  return std::nullopt;
}

std::string example_cpuid(const tables::ModelView& view, std::span<cpu::MapfilePattern> patterns) {
  for (const tables::MapRow& row : view.arch().map_rows) {
    if (row.model >= view.arch().models.size()) continue;
    if (&view.arch().models[row.model] != view.model) continue;
    if (const auto example = example_of(view, view.arch().text(row.pattern), patterns))
      return *example;
  }
  return {};
}

}  // namespace

std::vector<std::string> example_cpuids(std::string_view arch, std::string_view pattern,
                                        std::size_t limit) {
  std::vector<std::string> out;
  Examples examples(arch, pattern);
  while (out.size() < limit) {
    auto example = examples.next();
    if (!example) break;
    out.push_back(std::move(*example));
  }
  return out;
}

std::string example_cpuid(const tables::ModelView& view) {
  if (!view) return {};
  auto patterns = patterns_of(view.arch());
  return example_cpuid(view, patterns);
}

void add_examples(tables::TableArrays& arrays) {
  constexpr std::size_t kMost = 1024;
  const tables::ArchTables view = arrays.view();
  std::vector<std::string> examples;
  auto patterns = patterns_of(view);
  for (const tables::Model& model : view.models)
    examples.push_back(example_cpuid({view, &model}, patterns));
  for (std::size_t first = 0; first < view.map_rows.size(); ++first) {
    const auto cpuids = example_cpuids(view.arch, view.text(view.map_rows[first].pattern), kMost);
    for (std::size_t second = first + 1; second < view.map_rows.size(); ++second) {
      const auto is_of_second = [&](const std::string& cpuid) {
        return patterns[second].matches(cpuid);
      };
      if (std::ranges::any_of(cpuids, is_of_second))
        arrays.map_overlaps.push_back(
            {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)});
    }
  }
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].empty()) continue;
    arrays.models[i].example_cpuid = static_cast<tables::Text>(arrays.strings.size());
    arrays.strings.append(examples[i]).push_back('\0');
  }
}

}  // namespace evname::compiler
