#include "syntax/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "syntax/kernel_names.hpp"
#include "syntax/lexer.hpp"
#include "syntax/modifiers.hpp"
#include "tables/name_hash.hpp"

namespace evname::syntax {
namespace {

/// Walks the list, cutting out one event after the other.
class ListParser {
 public:
  explicit ListParser(std::string_view text) : text_(text) {}
  Result<std::vector<Group>> run();

 private:
  bool at_group() const;
  std::size_t event_end() const;
  void skip_spaces();
  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  Result<void> event(Group* group);
  Result<Group> group();
  Result<void> group_modifiers(Group* group);

  std::string_view text_;
  std::size_t position_ = 0;
};

void ListParser::skip_spaces() {
  while (position_ < text_.size() &&
         std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
    ++position_;
}

bool ListParser::at_group() const {
  const std::size_t stop = text_.find_first_of(",{}/", position_);
  return stop != std::string_view::npos && text_[stop] == '{';
}

/// The next comma or brace that is not between slashes. In `mem:ADDR/LEN` the slash opens nothing.
std::size_t ListParser::event_end() const {
  const bool breakpoint = trim(text_.substr(position_)).starts_with("mem:");
  for (std::size_t i = position_; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == ',' || c == '{' || c == '}') return i;
    if (c != '/') continue;
    const char after = i + 1 < text_.size() ? text_[i + 1] : '\0';
    if (breakpoint && after >= '0' && after <= '9') continue;
    const std::size_t close = text_.find('/', i + 1);
    if (close == std::string_view::npos) continue;
    i = close;
  }
  return text_.size();
}

Result<void> ListParser::event(Group* group) {
  const std::size_t end = event_end();
  auto spec = parse_event(text_, position_, end);
  if (!spec) return tl::unexpected<Error>(spec.error());
  group->specs.push_back(std::move(*spec));
  position_ = end;
  return {};
}

Result<void> ListParser::group_modifiers(Group* group) {
  skip_spaces();
  if (!at(':')) return {};
  const std::size_t end = std::min(text_.find(',', position_), text_.size());
  const std::string_view letters = trim(text_.substr(position_ + 1, end - position_ - 1));
  if (letters.empty()) return syntax_error(position_ + 1, "expected modifiers after ':'");
  if (const std::string problem = modifier_problem(letters, true); !problem.empty())
    return syntax_error(position_ + 1, problem);
  group->modifiers = letters;
  for (Spec& spec : group->specs) {
    if (too_precise(spec.own_modifiers, letters))
      return syntax_error(position_ + 1, fmt::format("'{}' would have more than three p together "
                                                     "with its group's",
                                                     spec.name));
    spec.modifiers = join_modifiers(spec.own_modifiers, letters);
  }
  position_ = end;
  return {};
}

Result<Group> ListParser::group() {
  Group group;
  group.braces = true;
  const std::size_t brace = text_.find('{', position_);
  group.name = trim(text_.substr(position_, brace - position_));
  position_ = brace + 1;
  for (;;) {
    if (const auto done = event(&group); !done) return tl::unexpected<Error>(done.error());
    if (at('{')) return syntax_error(position_, "expected ',' or '}': groups do not nest");
    if (!at(',')) break;
    ++position_;
  }
  if (!at('}')) return group;  // perf tolerates a missing brace at the end
  ++position_;
  if (const auto done = group_modifiers(&group); !done) return tl::unexpected<Error>(done.error());
  return group;
}

Result<std::vector<Group>> ListParser::run() {
  std::vector<Group> groups;
  for (;;) {
    if (at_group()) {
      auto next = group();
      if (!next) return tl::unexpected<Error>(next.error());
      groups.push_back(std::move(*next));
    } else {
      Group single;
      if (const auto done = event(&single); !done) return tl::unexpected<Error>(done.error());
      groups.push_back(std::move(single));
    }
    skip_spaces();
    if (position_ == text_.size()) return groups;
    if (!at(',')) return syntax_error(position_, "expected ',' or the end after an event");
    ++position_;
  }
}

}  // namespace

Result<std::vector<Group>> parse_events(std::string_view text) { return ListParser(text).run(); }

namespace {

/// Letters, digits, '_' and '.': names of which the lexer makes one token, whatever follows.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0; c < 256; ++c)
    plain[static_cast<std::size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                         (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  return plain;
}();

std::size_t plain_prefix(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && kPlain[static_cast<unsigned char>(text[size])]) ++size;
  return size;
}

/// Words that may be codes (r1a8, 0x1a8, 12) or keywords (mem:…) are left to the lexer.
bool may_be_name(std::string_view word) {
  if (word.empty() || (word[0] >= '0' && word[0] <= '9') || word[0] == '.') return false;
  if (word[0] != 'r') return word != "mem";
  return word.find_first_not_of("0123456789abcdefABCDEFx", 1) != std::string_view::npos;
}

}  // namespace

bool plain_event(std::string_view text, Spec& spec) {
  spec.text = spec.name = text.substr(0, plain_prefix(text));
  spec.name_hash = tables::name_hash(spec.name);
  if (!may_be_name(spec.name) || is_kernel_name(spec.name, spec.name_hash)) return false;
  if (spec.name.size() == text.size()) return true;
  spec.own_modifiers = text.substr(spec.name.size() + 1);
  if (text[spec.name.size()] != ':' || !are_modifiers(spec.own_modifiers, false)) return false;
  spec.modifiers = spec.own_modifiers;
  return true;
}

}  // namespace evname::syntax
