#include "syntax/events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "syntax/lexer.hpp"
#include "syntax/modifiers.hpp"
#include "syntax/event.hpp"

namespace evname::event {
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

}  // namespace evname::event
