#include "base/nearest_names.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.hpp"

namespace evname {
inline namespace base {

std::uint64_t letters_of(std::string_view text) {
  std::uint64_t letters = 0;
  for (const char letter : text)
    letters |= std::uint64_t{1} << ((letter & 31) + (letter >= '@' ? 32 : 0));
  return letters;
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  a = a.substr(0, kMostCompared);
  b = b.substr(0, kMostCompared);
  // Each letter that only one of them has is an edit.
  const auto [shorter, longer] = std::minmax({a.size(), b.size()});
  if (longer - shorter > most || !may_be_within(letters_of(a), letters_of(b), most))
    return most + 1;
  std::array<std::array<std::size_t, kMostCompared + 1>, 3>
      rows;  // of this letter of `a`, and before
  std::iota(rows[0].begin(), rows[0].begin() + b.size() + 1, std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
    }
    // No row below has less: the least of a row is at most one more than the least above it.
    if (*std::min_element(row.begin(), row.begin() + b.size() + 1) > most) return most + 1;
  }
  return rows[a.size() % 3][b.size()];
}

void NearestNames::offer(std::size_t distance, std::string_view name) {
  const auto is_nearer = [](const auto& kept, const auto& offered) {
    return kept.first != offered.first ? kept.first < offered.first : kept.second < offered.second;
  };
  const std::pair<std::size_t, std::string_view> offered(distance, name);
  const auto at = std::lower_bound(near_.begin(), near_.end(), offered, is_nearer);
  if (at == near_.end() ? near_.size() == count_ : at->first == distance && at->second == name)
    return;
  near_.emplace(at, distance, name);
  if (near_.size() > count_) near_.pop_back();
}

std::vector<std::string> NearestNames::names() const {
  std::vector<std::string> out;
  for (const auto& [distance, name] : near_) out.push_back(name);
  return out;
}

std::string NearestNames::hint() const { return did_you_mean(names()); }

std::string did_you_mean(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "did you mean " : ", ") + name;
  return out.empty() ? out : out + '?';
}

namespace {

/// Returns the edits between a word and a name, at most 1 if the name begins with the word, and at
/// most 2 if it holds it; any number above `most` if there are more.
std::size_t distance_of_words(std::string_view word, std::string_view name, std::size_t most) {
  constexpr std::size_t kShortest = 3;  // a shorter word is a part of too many names
  const std::size_t edits = edit_distance(word, name, most);
  if (word.size() < kShortest || name.find(word) == name.npos) return edits;
  return std::min<std::size_t>(edits, name.starts_with(word) ? 1 : 2);
}

}  // namespace

std::string nearest_hint(std::string_view word, std::span<const std::string> names) {
  if (word.size() > kMostCompared) return {};
  NearestNames near;
  const std::string lower = to_lower(word);
  const std::size_t most = 1 + word.size() / 3;
  for (const std::string& name : names)
    if (const auto far = distance_of_words(lower, to_lower(name), most); far <= most)
      near.offer(far, name);
  return near.hint();
}

std::string_view nearest_name(std::string_view word, std::span<const std::string> names) {
  return nearest_within(word, names, std::clamp<std::size_t>(word.size() / 3, 1, 3));
}

}  // namespace base
}  // namespace evname
