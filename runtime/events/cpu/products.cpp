// Finds CPUs by their product names.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/regex.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/cpu/find_model.hpp"

namespace evname::cpu {
namespace {

constexpr std::size_t kLongestProduct = 128;  // bytes beyond are not compared

/// Returns true for words that don't distinguish products: "Intel", "13th", "16-Core".
bool is_filler(std::string_view word) {
  constexpr std::string_view kFillers[] = {
      "intel",    "amd", "ibm", "nvidia",   "microsoft", "azure",  "broadcom",
      "rockchip", "cpu", "aws", "mediatek", "samsung",   "google", "processor"};
  const bool counts = !word.empty() && word[0] >= '0' && word[0] <= '9' &&
                      (word.ends_with("th") || word.ends_with("-core") || word.ends_with("-cores"));
  return counts || std::ranges::find(kFillers, word) != std::end(kFillers);
}

std::optional<Regex> pattern_of(const tables::CpuFacts& facts, const tables::CpuProduct& row) {
  return Regex::compile("^(" + std::string(facts.text(row.pattern)) + ")$");
}

/// A similar name and its distance from the text. A missing word counts less than another letter,
/// and another letter less than another digit, which is another product.
struct Guess {
  enum class By { word, letter, digit };
  std::string name, bare;
  By by;
  int distance = 0;  ///< of digits
  bool is_product = false;
};

class Guesses {
 public:
  explicit Guesses(std::string_view name) : name_(name) {
    constexpr std::size_t kLongest = 48;  // bytes of the longest name that a user would type
    if (name.size() > kLongest) return;
    add_words();
    for (std::size_t i = 0; i < name_.size(); ++i) add_letters(i);
    for (char letter = 'a'; letter <= 'z'; ++letter) add(name_ + letter, Guess::By::letter);
    for (std::size_t i = 0; i < name_.size(); ++i) add_digits(i);
    sort_stably_by(list, [](const Guess& guess) { return std::pair(guess.by, guess.distance); });
  }

  std::vector<Guess> list;

 private:
  void add(std::string name, Guess::By by, int distance = 0) {
    std::string bare = bare_product(name);
    list.push_back({std::move(name), std::move(bare), by, distance});
  }
  void add_words() {
    for (const std::string_view series :
         {"xeon ", "core ", "epyc ", "ryzen ", "threadripper ", "cortex-"}) {
      add(std::string(series) + name_, Guess::By::word);
      if (name_.starts_with(series)) add(name_.substr(series.size()), Guess::By::word);
    }
  }
  void add_letters(std::size_t i) {
    const std::string before = name_.substr(0, i), after = name_.substr(i + 1);
    add(before + after, Guess::By::letter);
    add(before + name_[i] + name_[i] + after, Guess::By::letter);
    if (!after.empty()) add(before + after[0] + name_[i] + after.substr(1), Guess::By::letter);
  }
  void add_digits(std::size_t i) {
    for (char digit = '0'; digit <= '9' && name_[i] >= '0' && name_[i] <= '9'; ++digit)
      if (digit != name_[i])
        add(name_.substr(0, i) + digit + name_.substr(i + 1), Guess::By::digit,
            std::abs(digit - name_[i]));
  }

  std::string name_;
};

}  // namespace

std::string bare_product(std::string_view name) {
  std::string lower = to_lower(name.substr(0, kLongestProduct)), bare;
  for (const std::string_view mark : {"(r)", "(tm)"})
    for (std::size_t at; (at = lower.find(mark)) != std::string::npos;)
      lower.replace(at, mark.size(), " ");
  for (const std::string_view word : split(lower, ' ')) {
    if (word == "@" || word == "with" || word == "w/") break;
    const bool of_number = word == "gen" && bare.empty();  // "13th Gen"
    if (!of_number && !is_filler(word)) bare += bare_name(word);
  }
  return bare;
}

std::optional<Product> find_product(std::string_view bare, tables::FactLayers all) {
  if (bare.empty()) return std::nullopt;
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuProduct& row : facts.products)
      if (const auto pattern = pattern_of(facts, row); pattern && pattern->search(bare))
        return Product{facts.text(row.model), facts.text(row.cpuid), facts.text(row.note)};
  return std::nullopt;
}

std::vector<std::string> near_products(std::string_view name, std::size_t count,
                                       tables::FactLayers all) {
  std::vector<Guess> guesses = Guesses(name).list;
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuProduct& row : facts.products) {
      const auto pattern = pattern_of(facts, row);
      if (!pattern || (row.model == 0 && row.cpuid == 0)) continue;
      for (Guess& guess : guesses)
        guess.is_product = guess.is_product || pattern->search(guess.bare).has_value();
    }
  std::erase_if(guesses, [](const Guess& guess) { return !guess.is_product; });
  std::vector<std::string> out;
  for (Guess& guess : guesses)
    if (guess.by == guesses[0].by && out.size() < count &&
        std::ranges::find(out, guess.name) == out.end())
      out.push_back(std::move(guess.name));
  return out;
}

}  // namespace evname::cpu
