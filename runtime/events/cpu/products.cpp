// CPUs by the names under which they are sold.

#include <algorithm>
#include <string>

#include "base/regex.hpp"
#include "base/text.hpp"
#include "events/cpu/find_model.hpp"

namespace evname::cpu {
namespace {

constexpr std::size_t kLongestProduct = 128;  // bytes beyond are not compared

/// Returns true for words that tell no product from another: "Intel", "13th", "16-Core".
bool is_filler(std::string_view word) {
  constexpr std::string_view kFillers[] = {"intel", "amd", "ibm",    "nvidia",   "microsoft",
                                           "cpu",   "aws", "google", "processor"};
  const bool counts = !word.empty() && word[0] >= '0' && word[0] <= '9' &&
                      (word.ends_with("th") || word.ends_with("-core") || word.ends_with("-cores"));
  return counts || std::ranges::find(kFillers, word) != std::end(kFillers);
}

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
      if (const auto pattern = Regex::compile("^(" + std::string(facts.text(row.pattern)) + ")$");
          pattern && pattern->search(bare))
        return Product{facts.text(row.model), facts.text(row.cpuid), facts.text(row.note)};
  return std::nullopt;
}

}  // namespace evname::cpu
