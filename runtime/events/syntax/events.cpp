#include "events/syntax/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/tables/name_hash.hpp"

namespace evname::syntax {
namespace {

/// Walks the list, one event or group after the other.
class ListParser {
 public:
  explicit ListParser(std::string_view text) : lexer_(text, Place::events) {}
  Result<std::vector<Group>> run();

 private:
  Result<void> event(Group* group);
  Result<Group> item();
  Result<void> members(Group* group);
  Result<void> group_modifiers(Group* group);

  Lexer lexer_;
};

Result<void> ListParser::event(Group* group) {
  auto spec = parse_event(lexer_);
  if (!spec) return tl::unexpected<Error>(spec.error());
  group->specs.push_back(std::move(*spec));
  return {};
}

Result<void> ListParser::group_modifiers(Group* group) {
  if (!lexer_.peek().is_mark(':')) return {};
  lexer_.next();
  const Token letters = lexer_.next();
  if (!letters.is(TokenKind::modifiers) && !letters.is(TokenKind::name))
    return syntax_error(letters.offset, "expected modifiers after ':'");
  if (const std::string problem = modifier_problem(letters.text, true); !problem.empty())
    return syntax_error(letters.offset, problem);
  group->modifiers = letters.text;
  for (Spec& spec : group->specs) {
    if (too_precise(spec.own_modifiers, letters.text))
      return syntax_error(
          letters.offset,
          fmt::format("'{}' would have more than three p together with its group's", spec.name));
    spec.modifiers = join_modifiers(spec.own_modifiers, letters.text);
  }
  return {};
}

/// What is between the braces, and the closing one.
Result<void> ListParser::members(Group* group) {
  for (;;) {
    if (const auto done = event(group); !done) return done;
    const Token after = lexer_.next();
    if (after.is_mark('}')) return {};
    if (!after.is_mark(','))
      return syntax_error(after.offset, "expected ',' or '}': groups do not nest");
  }
}

/// Where perf's lexer sees a group, no event_text comes first.
Result<Group> ListParser::item() {
  Group group;
  if (lexer_.peek().is(TokenKind::event_text)) {
    if (const auto done = event(&group); !done) return tl::unexpected<Error>(done.error());
    return group;
  }
  group.braces = true;
  if (lexer_.peek().is(TokenKind::name)) group.name = lexer_.next().text;
  if (const Token brace = lexer_.next(); !brace.is_mark('{'))
    return syntax_error(brace.offset, group.name.empty() ? "expected an event"
                                                         : "expected '{' after a group's name");
  if (const auto done = members(&group); !done) return tl::unexpected<Error>(done.error());
  if (const auto done = group_modifiers(&group); !done) return tl::unexpected<Error>(done.error());
  return group;
}

Result<std::vector<Group>> ListParser::run() {
  std::vector<Group> groups;
  for (;;) {
    auto next = item();
    if (!next) return tl::unexpected<Error>(next.error());
    groups.push_back(std::move(*next));
    const Token after = lexer_.next();
    if (after.is(TokenKind::end)) return groups;
    if (!after.is_mark(','))
      return syntax_error(after.offset, "expected ',' or the end after an event");
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

/// The top bit of each byte of `letters` that is not plain; the same as kPlain, eight at once.
/// No byte carries into the next, as only those without a top bit are added to.
constexpr std::uint64_t not_plain(std::uint64_t letters) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = 0x80 * kEach;
  const std::uint64_t low = letters & ~kTop;
  const auto from = [](std::uint64_t bytes, char first) {  // top bits where a byte is >= first
    return bytes + (0x80 - static_cast<std::uint64_t>(first)) * kEach;
  };
  const auto within = [&](std::uint64_t bytes, char first, char last) {
    return from(bytes, first) & ~from(bytes, static_cast<char>(last + 1));
  };
  const std::uint64_t plain = within(low | 0x20 * kEach, 'a', 'z') | within(low, '0', '9') |
                              within(low, '_', '_') | within(low, '.', '.');
  return (~plain | letters) & kTop;
}

static_assert([] {
  for (std::uint64_t c = 0; c < 256; ++c)
    if ((not_plain(c << 24 | 0x6161616100616161) == 0) != kPlain[c]) return false;
  return true;
}());

std::size_t plain_prefix(std::string_view text) {
  std::size_t size = 0;
  for (; size + 8 <= text.size(); size += 8)
    if (const auto bad = not_plain(tables::letters_at(text.data() + size)))
      return size + static_cast<std::size_t>(std::countr_zero(bad)) / 8;
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
  if (!may_be_name(spec.name) || is_plain_kernel_name(spec.name, spec.name_hash)) return false;
  if (spec.name.size() == text.size()) return true;
  spec.own_modifiers = text.substr(spec.name.size() + 1);
  if (text[spec.name.size()] != ':' || !are_modifiers(spec.own_modifiers, false)) return false;
  spec.modifiers = spec.own_modifiers;
  return true;
}

}  // namespace evname::syntax
