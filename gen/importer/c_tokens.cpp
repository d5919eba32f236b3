#include "importer/c_tokens.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace evname::importer {
namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

/// Returns the end of the string or character that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

constexpr std::array<std::string_view, 19> kSigns = {"...", "<<=", ">>=", "##", "<<", ">>", "<=",
                                                     ">=",  "==",  "!=",  "&&", "||", "->", "++",
                                                     "--",  "+=",  "-=",  "|=", "&="};

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      out += ' ';
      at = end == text.npos ? text.size() : end + 2;
    } else if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
      out += ' ';
      at += rest[1] == '\n' ? 2 : 3;
    } else if (text[at] == '"' || text[at] == '\'') {
      const std::size_t end = end_of_string(text, at);
      out += text.substr(at, end - at);
      at = end;
    } else {
      out += text[at++];
    }
  }
  return out;
}

CTokens c_tokens(std::string_view text) {
  CTokens out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (begins_name(c)) {
      while (end < text.size() && continues_name(text[end])) ++end;
      out.push_back({CToken::Kind::name, std::string(text.substr(at, end - at))});
    } else if (is_digit(c)) {
      while (end < text.size() && (continues_name(text[end]) || text[end] == '.')) ++end;
      out.push_back({CToken::Kind::number, std::string(text.substr(at, end - at))});
    } else if (c == '"') {
      end = end_of_string(text, at);
      out.push_back({CToken::Kind::string,
                     std::string(text.substr(at + 1, end - at > 2 ? end - at - 2 : 0))});
    } else if (c == '\'') {
      end = end_of_string(text, at);
      out.push_back({CToken::Kind::number,
                     std::to_string(end - at > 2 ? static_cast<unsigned char>(text[at + 1]) : 0)});
    } else if (static_cast<unsigned char>(c) > ' ') {
      const auto sign = std::ranges::find_if(
          kSigns, [&](std::string_view one) { return text.substr(at).starts_with(one); });
      if (sign != kSigns.end()) end = at + sign->size();
      out.push_back({CToken::Kind::sign, std::string(text.substr(at, end - at))});
    }
    at = end;
  }
  return out;
}

void CMacros::define(std::string_view definition) {
  definition = trim(definition);
  std::size_t end = 0;
  while (end < definition.size() && continues_name(definition[end])) ++end;
  Macro macro;
  const std::string name(definition.substr(0, end));
  definition.remove_prefix(end);
  if (definition.starts_with('(')) {
    macro.takes_arguments = true;
    const std::size_t close = std::min(definition.find(')'), definition.size() - 1);
    bool is_named = false;  // of "a..." the name is before the dots
    for (const CToken& token : c_tokens(definition.substr(1, close - 1))) {
      if (token.is("...") && !is_named) macro.parameters.emplace_back("__VA_ARGS__");
      macro.takes_more |= token.is("...");
      is_named = token.kind == CToken::Kind::name;
      if (is_named) macro.parameters.push_back(token.text);
    }
    definition.remove_prefix(close + 1);
  }
  macro.body = c_tokens(definition);
  if (!name.empty()) macros_.insert_or_assign(name, std::move(macro));
}

void CMacros::undefine(std::string_view name) {
  if (const auto at = macros_.find(trim(name)); at != macros_.end()) macros_.erase(at);
}

CTokens CMacros::expand(const CTokens& tokens) {
  CTokens out;
  std::set<std::string> active;
  expand_into(tokens, active, out);
  if (is_exhausted()) out.clear();
  return out;
}

void CMacros::expand_into(const CTokens& tokens, std::set<std::string>& active, CTokens& out) {
  if (depth_ >= kDeepest) {
    work_ = kMostWork + 1;
    return;
  }
  ++depth_;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (++work_ > kMostWork) break;
    const CToken& token = tokens[at];
    const auto macro = token.kind == CToken::Kind::name ? macros_.find(token.text) : macros_.end();
    CTokens body;
    if (macro == macros_.end() || active.contains(token.text) ||
        !call(macro->second, tokens, at, active, body)) {
      out.push_back(token);
      continue;
    }
    active.insert(macro->first);
    expand_into(body, active, out);
    active.erase(macro->first);
  }
  --depth_;
}

/// Sets `body` to the expansion of a macro's call, and `at` to its last word. Returns false if it
/// needs arguments and has none.
bool CMacros::call(const Macro& macro, const CTokens& tokens, std::size_t& at,
                   std::set<std::string>& active, CTokens& body) {
  std::vector<CTokens> arguments;
  if (macro.takes_arguments) {
    if (at + 1 >= tokens.size() || !tokens[at + 1].is("(")) return false;
    std::size_t depth = 0, end = at + 1;
    arguments.emplace_back();
    for (; end < tokens.size(); ++end) {
      const CToken& token = tokens[end];
      if (token.is("(") && depth++ == 0) continue;
      if (token.is(")") && --depth == 0) break;
      if (token.is(",") && depth == 1 &&
          !(macro.takes_more && arguments.size() == macro.parameters.size()))
        arguments.emplace_back();
      else
        arguments.back().push_back(token);
    }
    work_ += end - at;
    if (end == tokens.size()) return false;
    at = end;
  }
  body = substitute(macro, arguments, active);
  return true;
}

CTokens CMacros::substitute(const Macro& macro, const std::vector<CTokens>& arguments,
                            std::set<std::string>& active) {
  const auto argument_of = [&](const CToken& token) -> const CTokens* {
    const auto at = std::ranges::find(macro.parameters, token.text);
    const auto index = static_cast<std::size_t>(at - macro.parameters.begin());
    return token.kind == CToken::Kind::name && index < arguments.size() ? &arguments[index]
                                                                        : nullptr;
  };
  CTokens out;
  const CTokens& body = macro.body;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const CTokens* next = i + 1 < body.size() ? argument_of(body[i + 1]) : nullptr;
    if (body[i].is("#") && next != nullptr) {
      std::string text;
      for (const CToken& token : *next) text += token.text;
      out.push_back({CToken::Kind::string, std::move(text)});
      ++i;
    } else if (body[i].is("##") && i + 1 < body.size() && !out.empty()) {
      const CTokens right = next != nullptr ? *next : CTokens{body[i + 1]};
      const std::string text = out.back().text + (right.empty() ? "" : right.front().text);
      out.pop_back();
      const CTokens joint = c_tokens(text);
      out.insert(out.end(), joint.begin(), joint.end());
      if (!right.empty()) out.insert(out.end(), right.begin() + 1, right.end());
      ++i;
    } else if (const CTokens* argument = argument_of(body[i]); argument != nullptr) {
      const bool is_pasted = i + 1 < body.size() && body[i + 1].is("##");
      if (is_pasted)
        out.insert(out.end(), argument->begin(), argument->end());
      else
        expand_into(*argument, active, out);
    } else {
      out.push_back(body[i]);
    }
  }
  work_ += out.size();
  return out;
}

}  // namespace evname::importer
