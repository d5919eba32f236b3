#pragma once
// Finds similar names, for "did you mean".

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evname {
inline namespace base {

/// Of longer texts only the first bytes are compared.
constexpr std::size_t kMostCompared = 128;

/// Returns a bit for each ASCII character in the text; some characters share a bit, as both cases
/// of a letter do.
std::uint64_t letters_of(std::string_view text);

/// Returns false if texts with these letters can't be within so many edits: each adds, takes or
/// replaces one letter.
inline bool may_be_within(std::uint64_t a, std::uint64_t b, std::size_t edits) {
  return static_cast<std::size_t>(std::popcount(a ^ b)) <= 2 * edits;
}

/// Counts the insertions, deletions, replacements and exchanges of two neighbours that turn `a`
/// into `b`. Returns any number above `most` if there are more.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most = kMostCompared);

/// Returns the name with the fewest edits between it and `word`, the first of them if there are
/// several; "" if all have more than `most`.
template <class Names>
std::string_view nearest_within(std::string_view word, const Names& names, std::size_t most) {
  std::string_view nearest;
  for (const std::string_view name : names) {
    const std::size_t edits = edit_distance(word, name, most);
    if (edits > most) continue;
    nearest = name;
    if (edits == 0) break;
    most = edits - 1;
  }
  return nearest;
}

/// Does the same for a word that a user typed: at most 3 edits, and a third of its length.
std::string_view nearest_name(std::string_view word, std::span<const std::string> names);

/// Keeps the nearest of many names, which are offered one by one with their distances.
class NearestNames {
 public:
  explicit NearestNames(std::size_t count = 3) : count_(count) {}

  /// Offers a name. Names that are equally far are kept in the order of their letters, each once.
  void offer(std::size_t distance, std::string_view name);

  /// Returns the names, the nearest first.
  std::vector<std::string> names() const;
  /// Returns "did you mean a, b, c?"; "" if there are none.
  std::string hint() const;

 private:
  std::size_t count_;
  std::vector<std::pair<std::size_t, std::string>> near_;  ///< sorted
};

/// Returns "did you mean a, b, c?"; "" if there are no names.
std::string did_you_mean(const std::vector<std::string>& names);

/// Returns the same with the nearest of some names, ignoring case: names that contain the word, or
/// differ in at most a third of its letters.
std::string nearest_hint(std::string_view word, std::span<const std::string> names);

}  // namespace base
}  // namespace evname
