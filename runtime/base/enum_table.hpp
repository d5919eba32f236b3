#pragma once
// Tables that an enum indexes, with a row for each enumerator, which the compiler checks.

#include <array>
#include <cstddef>
#include <string_view>

namespace evname {

/// Returns true if the enum has an enumerator of this value. Compilers write others as "(Enum)7".
template <auto Value>
consteval bool is_enumerator() {
  std::string_view text = __PRETTY_FUNCTION__;  // ends with "Value = Enum::name]"
  text.remove_suffix(text.size() - 1 - text.find_last_not_of("0123456789]"));
  return !text.ends_with(')');
}

/// Returns true if the enum has no enumerator of this value. Enums of C have no values to ask for
/// beyond their own.
template <class Enum, std::size_t N>
consteval bool ends_before() {
  if constexpr (requires { Enum{0}; })
    return !is_enumerator<static_cast<Enum>(N)>();
  else
    return true;
}

template <class Member>
struct RowOf;
template <class Member, class Whole>
struct RowOf<Member Whole::*> {
  using Enum = Member;
  using Row = Whole;
};

/// No such function exists, so that a table that calls it does not compile.
void a_row_is_in_the_wrong_place();

#ifndef __clang__  // in a unity build, g++ can't see that a row's type belongs to one file
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif
/// The rows of an enum; `Key` is the member of a row that has its enumerator. Rows that are missing
/// or in the wrong place do not compile.
template <auto Key, std::size_t N>
class EnumTable {
 public:
  using Row = typename RowOf<decltype(Key)>::Row;
  using Enum = typename RowOf<decltype(Key)>::Enum;
  static_assert(ends_before<Enum, N>(), "the last enumerators have no rows");

  consteval explicit EnumTable(const Row (&rows)[N]) : rows_(std::to_array(rows)) {
    for (std::size_t i = 0; i < N; ++i)
      if (static_cast<std::size_t>(rows[i].*Key) != i) a_row_is_in_the_wrong_place();
  }

  constexpr const Row& operator[](Enum key) const { return rows_[static_cast<std::size_t>(key)]; }
  /// Returns nullptr if the value is beyond the enumerators.
  constexpr const Row* find(Enum key) const {
    const auto at = static_cast<std::size_t>(key);
    return at < N ? &rows_[at] : nullptr;
  }
  constexpr const Row* begin() const { return rows_.data(); }
  constexpr const Row* end() const { return rows_.data() + N; }
  static constexpr std::size_t size() { return N; }

 private:
  std::array<Row, N> rows_;
};
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

/// Makes a table: enum_table<&Row::key>({{Key::a, …}, {Key::b, …}}).
template <auto Key, std::size_t N>
consteval auto enum_table(const typename RowOf<decltype(Key)>::Row (&rows)[N]) {
  return EnumTable<Key, N>(rows);
}

/// A row that has but one value beside its enumerator, such as a word.
template <class Enum, class Value>
struct EnumValue {
  Enum key;
  Value value;
};
template <class Enum, class Value = const char*, std::size_t N>
consteval auto enum_values(const EnumValue<Enum, Value> (&rows)[N]) {
  return EnumTable<&EnumValue<Enum, Value>::key, N>(rows);
}

/// Returns the word of a value that comes from a caller; "unknown" if it is beyond the enumerators.
template <class Words>
constexpr const char* word_of(const Words& words, typename Words::Enum key) {
  const auto* const row = words.find(key);
  return row ? row->value : "unknown";
}

}  // namespace evname
