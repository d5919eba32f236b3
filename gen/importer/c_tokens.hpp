#pragma once
// Words of C and its preprocessor.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evname::importer {

struct CToken {
  enum class Kind : std::uint8_t { name, number, string, sign };
  Kind kind = Kind::sign;
  std::string text;  ///< of a string the text between its quotes

  bool is(std::string_view sign) const { return kind != Kind::string && text == sign; }
  bool operator==(const CToken&) const = default;
};
using CTokens = std::vector<CToken>;

/// Returns the words of a text without comments. Skips other characters.
CTokens c_tokens(std::string_view text);

/// Returns the text with blanks for comments, and lines that end in a backslash joined.
std::string without_comments(std::string_view text);

/// Expands macros.
class CMacros {
 public:
  void define(std::string_view definition);  ///< "NAME value", "NAME(a, b) value"
  void undefine(std::string_view name);
  bool is_defined(std::string_view name) const { return macros_.find(name) != macros_.end(); }
  CTokens expand(const CTokens& tokens);
  /// Returns true if macros made more words than any real source; expand() then returns none.
  bool is_exhausted() const { return work_ > kMostWork; }

 private:
  struct Macro {
    bool takes_arguments = false, takes_more = false;
    std::vector<std::string> parameters;
    CTokens body;
  };
  static constexpr std::size_t kMostWork = 1'000'000;
  static constexpr int kDeepest = 300;

  void expand_into(const CTokens& tokens, std::set<std::string>& active, CTokens& out);
  bool call(const Macro& macro, const CTokens& tokens, std::size_t& at,
            std::set<std::string>& active, CTokens& body);
  CTokens substitute(const Macro& macro, const std::vector<CTokens>& arguments,
                     std::set<std::string>& active);

  std::map<std::string, Macro, std::less<>> macros_;
  std::size_t work_ = 0;
  int depth_ = 0;
};

}  // namespace evname::importer
