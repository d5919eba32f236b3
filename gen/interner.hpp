#pragma once
// Every distinct text, term, term list and event once.

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "arrays.hpp"
#include "encode.hpp"
#include "entry.hpp"

namespace evname::gen {

/// Adds to the arrays it is given; these must outlive it and not be changed by others.
class Interner {
 public:
  explicit Interner(TableArrays& arrays);

  tables::Text text(std::string_view text);
  /// Fills name, texts, terms and flags of an event.
  tables::Event event(const Entry& entry);
  tables::Metric metric(const Entry& entry);
  /// Index into TableArrays::events.
  std::uint32_t event_index(const tables::Event& event);

 private:
  /// Hashes texts by content, whether given as offset or as view.
  struct TextHash {
    using is_transparent = void;
    const std::string* strings;
    std::size_t operator()(tables::Text offset) const { return (*this)(view(offset)); }
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
    std::string_view view(tables::Text offset) const { return strings->data() + offset; }
  };
  struct TextEqual {
    using is_transparent = void;
    TextHash hash;
    bool operator()(tables::Text a, tables::Text b) const { return a == b; }
    bool operator()(tables::Text a, std::string_view b) const { return hash.view(a) == b; }
    bool operator()(std::string_view a, tables::Text b) const { return a == hash.view(b); }
  };

  std::uint32_t term(const TermSpec& spec);
  std::uint32_t term_list(const std::vector<TermSpec>& specs);

  TableArrays& arrays_;
  std::unordered_set<tables::Text, TextHash, TextEqual> texts_;
  std::unordered_map<std::string, std::uint32_t> term_names_, terms_, lists_, events_;
};

}  // namespace evname::gen
