#include "importer/c_source.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "events/trees/diagnostics.hpp"
#include "importer/c_expression.hpp"
#include "importer/c_tokens.hpp"

namespace evname::importer {

const CValue* CValue::find(std::string_view name) const {
  const auto at = std::find_if(members.rbegin(), members.rend(),
                               [&](const Member& member) { return member.name == name; });
  return at == members.rend() ? nullptr : &at->value;
}

std::uint64_t CValue::number_of(std::string_view name) const {
  const CValue* value = find(name);
  return value != nullptr && value->kind == Kind::number ? value->number : 0;
}

std::string CValue::text_of(std::string_view name) const {
  const CValue* value = find(name);
  return value != nullptr && value->kind == Kind::text ? value->text : "";
}

std::string CValue::symbol_of(std::string_view name) const {
  const CValue* value = find(name);
  return value != nullptr && value->kind == Kind::symbol ? value->text : "";
}

/// Reads a file and its included files into one list of words.
struct CSource::Preprocessor {
  static constexpr std::size_t kDeepest = 40, kMostTokens = 2'000'000;

  CMacros macros;
  CTokens out;
  std::string error;
  std::set<std::string>& files;

  explicit Preprocessor(std::set<std::string>& known) : files(known) {}

  void read(const std::string& path, std::size_t depth);
  void flush(CTokens& waiting);
  bool holds(std::string_view condition);
  void define(std::string_view word, std::string_view rest);
  void include(const std::string& from, std::string_view rest, std::size_t depth);
};

/// Appends words after expanding the macros of this place.
void CSource::Preprocessor::flush(CTokens& waiting) {
  const CTokens expanded = macros.expand(waiting);
  out.insert(out.end(), expanded.begin(), expanded.end());
  waiting.clear();
  if (out.size() > kMostTokens || macros.is_exhausted()) error = "its macros become too many words";
}

bool CSource::Preprocessor::holds(std::string_view condition) {
  // Names of defined() are not expanded.
  CTokens tokens = c_tokens(condition), plain;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("defined")) {
      plain.push_back(tokens[i]);
      continue;
    }
    const bool has_parentheses = i + 1 < tokens.size() && tokens[i + 1].is("(");
    i += has_parentheses ? 2 : 1;
    const bool is_defined = i < tokens.size() && macros.is_defined(tokens[i].text);
    plain.push_back({CToken::Kind::number, is_defined ? "1" : "0"});
    i += has_parentheses ? 1 : 0;
  }
  // Remaining names are 0.
  const CLookup zero = [](std::string_view) { return std::optional<std::uint64_t>(0); };
  const CTokens words = macros.expand(plain);
  return CExpression(words, zero, zero).number().value_or(0) != 0;
}

/// Follows the directives #if to #endif of a file.
class Conditions {
 public:
  /// Returns true if lines at this place are active.
  bool hold() const { return hold_; }

  /// Takes a directive. `is_true` returns true if its condition holds; it is called only if lines
  /// may be active. Returns false if it is not one of #if to #endif.
  template <class IsTrue>
  bool take(std::string_view word, IsTrue&& is_true) {
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      const bool holds = hold_ && is_true();
      branches_.push_back({holds, hold_});
      hold_ = holds;
    } else if ((word == "elif" || word == "else") && !branches_.empty()) {
      Branch& branch = branches_.back();
      hold_ = branch.outer && !branch.is_done && (word == "else" || is_true());
      branch.is_done |= hold_;
    } else if (word == "endif" && !branches_.empty()) {
      hold_ = branches_.back().outer;
      branches_.pop_back();
    } else {
      return false;
    }
    return true;
  }

 private:
  struct Branch {
    bool is_done;  ///< one of its branches is active
    bool outer;    ///< lines around it count
  };
  std::vector<Branch> branches_;
  bool hold_ = true;
};

void CSource::Preprocessor::read(const std::string& path, std::size_t depth) {
  const auto text = trees::read_tree_file(path);
  if (!text) {
    error = text.error().text();
    return;
  }
  files.insert(path);
  const std::string source = without_comments(*text);
  CTokens waiting;
  Conditions conditions;
  for (std::string_view line : split(source, '\n')) {
    line = trim(line);
    if (!line.starts_with('#')) {
      if (!conditions.hold()) continue;
      CTokens more = c_tokens(line);
      waiting.insert(waiting.end(), more.begin(), more.end());
      continue;
    }
    line = trim(line.substr(1));
    const std::size_t end = std::min(line.find_first_of(" \t\"<(!"), line.size());
    const std::string_view word = line.substr(0, end), rest = trim(line.substr(end));
    const auto is_true = [&] {
      return word == "if" || word == "elif" ? holds(rest)
                                            : macros.is_defined(rest) == (word == "ifdef");
    };
    if (conditions.take(word, is_true) || !conditions.hold()) continue;
    if (word == "define" || word == "undef") {
      flush(waiting);
      define(word, rest);
    } else if (word == "include" && rest.starts_with('"')) {
      flush(waiting);
      include(path, rest, depth);
    }
    if (!error.empty()) return;
  }
  flush(waiting);
}

void CSource::Preprocessor::define(std::string_view word, std::string_view rest) {
  // The size of an array is computed on use.
  if (word == "undef")
    macros.undefine(rest);
  else if (!rest.starts_with("LIBPFM_ARRAY_SIZE"))
    macros.define(rest);
}

void CSource::Preprocessor::include(const std::string& from, std::string_view rest,
                                    std::size_t depth) {
  const std::string name(rest.substr(1, rest.find('"', 1) - 1));
  const auto folder = std::filesystem::path(from).parent_path();
  if (depth < kDeepest && std::filesystem::exists(folder / name))
    read((folder / name).string(), depth + 1);
}

/// Finds enumerators and tables among the words of a source.
class CParser {
 public:
  CParser(CSource& source, const CTokens& tokens)
      : source_(source),
        tokens_(tokens),
        constant_([&](std::string_view name) { return source_.constant(name); }),
        count_([&](std::string_view name) { return count_of(name); }) {}

  void run();

 private:
  CExpression expression() const { return {std::span(tokens_).subspan(at_), constant_, count_}; }
  std::optional<std::uint64_t> count_of(std::string_view name) const;
  void skip_braces();
  void enumerators();
  void object(std::span<const CToken> head);

  CSource& source_;
  const CTokens& tokens_;
  CLookup constant_, count_;
  std::size_t at_ = 0;
};

std::optional<std::uint64_t> CParser::count_of(std::string_view name) const {
  const CSource::Object* object = source_.find(name);
  if (object == nullptr) return std::nullopt;
  std::uint64_t count = 0;
  for (const CValue::Member& member : object->value.members)
    count = std::max(count, member.index + 1);
  return count;
}

void CParser::skip_braces() {
  int depth = 0;
  for (; at_ < tokens_.size(); ++at_) {
    depth += tokens_[at_].is("{");
    depth -= tokens_[at_].is("}");
    if (depth > 0) continue;
    ++at_;
    return;
  }
}

void CParser::enumerators() {
  std::uint64_t next = 0;
  for (++at_; at_ < tokens_.size() && !tokens_[at_].is("}");) {
    const std::string name = tokens_[at_++].text;
    if (at_ < tokens_.size() && tokens_[at_].is("=")) {
      ++at_;
      CExpression value = expression();
      next = value.number().value_or(next);
      at_ += value.position();
    }
    source_.constants_.insert_or_assign(name, next++);
    while (at_ < tokens_.size() && !tokens_[at_].is(",") && !tokens_[at_].is("}")) ++at_;
    if (at_ < tokens_.size() && tokens_[at_].is(",")) ++at_;
  }
  if (at_ < tokens_.size()) ++at_;
}

/// Takes a table: "type name[] = initializer".
void CParser::object(std::span<const CToken> head) {
  CSource::Object out;
  for (const CToken& token : head) {
    if (token.is("[")) break;
    if (token.kind != CToken::Kind::name) continue;
    out.type = std::exchange(out.name, token.text);
  }
  ++at_;
  CExpression value = expression();
  out.value = value.initializer();
  at_ += std::max<std::size_t>(value.position(), 1);
  source_.places_.insert_or_assign(out.name, source_.objects_.size());
  source_.objects_.push_back(std::move(out));
}

void CParser::run() {
  while (at_ < tokens_.size()) {
    const std::size_t begin = at_;
    const auto head = [&] { return std::span(tokens_).subspan(begin, at_ - begin); };
    const auto has = [&](std::string_view word) {
      return std::ranges::any_of(head(), [&](const CToken& token) { return token.is(word); });
    };
    while (at_ < tokens_.size() && !tokens_[at_].is(";") && !tokens_[at_].is("{") &&
           !tokens_[at_].is("=") && !tokens_[at_].is("}"))
      ++at_;
    if (at_ >= tokens_.size()) return;
    if (tokens_[at_].is("=")) {
      object(head());
    } else if (tokens_[at_].is("{")) {
      const bool is_type = !has("(") && (has("struct") || has("union") || has("enum"));
      if (is_type && has("enum"))
        enumerators();
      else
        skip_braces();
      if (!is_type || at_ >= tokens_.size()) continue;
      // After a type come names, or a table of that type.
      while (at_ < tokens_.size() && !tokens_[at_].is(";") && !tokens_[at_].is("=") &&
             !tokens_[at_].is("{"))
        ++at_;
      if (at_ < tokens_.size() && tokens_[at_].is("=")) object(head());
    } else {
      ++at_;
    }
  }
}

CSource::CSource(std::string_view defined) : preprocessor_(std::make_unique<Preprocessor>(files_)) {
  for (const std::string_view name : split(defined, ' '))
    if (!name.empty()) preprocessor_->macros.define(std::string(name) + " 1");
}
CSource::~CSource() = default;

std::string CSource::read(const std::string& path) {
  preprocessor_->out.clear();
  preprocessor_->read(path, 0);
  if (!preprocessor_->error.empty()) return std::exchange(preprocessor_->error, "");
  CParser(*this, preprocessor_->out).run();
  return {};
}

const CSource::Object* CSource::find(std::string_view name) const {
  const auto at = places_.find(name);
  return at == places_.end() ? nullptr : &objects_[at->second];
}

std::optional<std::uint64_t> CSource::constant(std::string_view name) {
  const auto at = constants_.find(name);
  return at == constants_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace evname::importer
