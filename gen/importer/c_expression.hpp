#pragma once
// Initializers and constant expressions of C.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "importer/c_source.hpp"
#include "importer/c_tokens.hpp"

namespace evname::importer {

/// Returns the number of a constant, or of the elements of an array; nullopt: there is none.
using CLookup = std::function<std::optional<std::uint64_t>(std::string_view)>;

/// Reads initializers and expressions, one after the other, from words.
class CExpression {
 public:
  CExpression(std::span<const CToken> tokens, const CLookup& constant, const CLookup& count)
      : tokens_(tokens), constant_(constant), count_(count) {}

  /// Returns a list in braces or an expression. Expressions that it can't compute have no kind.
  CValue initializer();
  std::optional<std::uint64_t> number();  ///< of an expression
  std::size_t position() const { return at_; }
  void skip(std::size_t count) { at_ = std::min(at_ + count, tokens_.size()); }

 private:
  bool at(std::string_view sign) const { return at_ < tokens_.size() && tokens_[at_].is(sign); }
  bool take(std::string_view sign) { return at(sign) && (++at_, true); }
  CValue list();
  void element(CValue& list, std::uint64_t& index);
  CValue binary(int least);
  CValue unary();
  CValue primary();
  CValue array_count();
  bool is_cast() const;
  void skip_group();

  static constexpr int kDeepest = 200;
  std::span<const CToken> tokens_;
  const CLookup &constant_, &count_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace evname::importer
