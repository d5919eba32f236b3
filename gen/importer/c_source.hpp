#pragma once
// Reads the tables of C sources: their initializers, without a compiler.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evname::importer {

/// The value of an initializer.
struct CValue {
  enum class Kind : std::uint8_t { none, number, text, symbol, list };
  struct Member;

  Kind kind = Kind::none;
  std::uint64_t number = 0;
  std::string text;             ///< of a string; the name of a symbol
  std::vector<Member> members;  ///< of a list, in its order

  /// Returns the member with that name, or null. As in C, the last of several counts.
  const CValue* find(std::string_view name) const;
  std::uint64_t number_of(std::string_view name) const;  ///< 0: there is no such number
  std::string text_of(std::string_view name) const;      ///< "": there is no such string
  std::string symbol_of(std::string_view name) const;    ///< "": there is no such symbol
};

/// A member of a list: a field by its name, or the element at an index.
struct CValue::Member {
  std::string name;
  std::uint64_t index = 0;
  CValue value;
};

/// The tables of one source file and of the files that it includes with quotes. Functions, types
/// and inactive lines are skipped, and so are includes with angle brackets.
class CSource {
 public:
  /// `defined` has the names of macros with the value 1, with blanks between.
  explicit CSource(std::string_view defined);
  ~CSource();

  /// Reads a file. Returns the fault and its place; "" on success.
  std::string read(const std::string& path);

  struct Object {
    std::string type, name;
    CValue value;
  };
  const std::vector<Object>& objects() const { return objects_; }
  const Object* find(std::string_view name) const;
  /// Returns the number of an enumerator.
  std::optional<std::uint64_t> constant(std::string_view name);
  const std::set<std::string>& files() const { return files_; }  ///< that were read

 private:
  friend class CParser;
  struct Preprocessor;

  std::unique_ptr<Preprocessor> preprocessor_;
  std::map<std::string, std::uint64_t, std::less<>> constants_;
  std::vector<Object> objects_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< in objects_
  std::set<std::string> files_;
};

}  // namespace evname::importer
