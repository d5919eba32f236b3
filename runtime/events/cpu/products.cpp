// CPUs by the names under which they are sold.

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

/// Returns true for words that tell no product from another: "Intel", "13th", "16-Core".
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

/// A name that a slip of one character makes `from` of. The cost of a wrong digit is its distance.
struct Slip {
  std::string name, bare;
  int cost;
  bool is_product = false;
};

std::vector<Slip> slips_of(std::string_view from) {
  std::vector<Slip> out;
  const auto add = [&](std::string name, int cost) {
    std::string bare = bare_product(name);
    out.push_back({std::move(name), std::move(bare), cost});
  };
  constexpr std::size_t kLongest = 48;  // bytes of a name that anybody would type
  if (from.size() > kLongest) return out;
  const std::string name(from);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string before = name.substr(0, i), after = name.substr(i + 1);
    add(before + after, 1);
    add(before + name[i] + name[i] + after, 1);
    if (!after.empty()) add(before + after[0] + name[i] + after.substr(1), 1);
    for (char digit = '0'; digit <= '9' && name[i] >= '0' && name[i] <= '9'; ++digit)
      if (digit != name[i]) add(before + digit + after, std::abs(digit - name[i]));
  }
  sort_stably_by(out, &Slip::cost);
  return out;
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
      if (const auto pattern = pattern_of(facts, row); pattern && pattern->search(bare))
        return Product{facts.text(row.model), facts.text(row.cpuid), facts.text(row.note)};
  return std::nullopt;
}

std::vector<std::string> near_products(std::string_view name, std::size_t count,
                                       tables::FactLayers all) {
  std::vector<Slip> slips = slips_of(name);
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuProduct& row : facts.products) {
      const auto pattern = pattern_of(facts, row);
      if (!pattern || (row.model == 0 && row.cpuid == 0)) continue;
      for (Slip& slip : slips)
        slip.is_product = slip.is_product || pattern->search(slip.bare).has_value();
    }
  std::vector<std::string> out;
  for (Slip& slip : slips)
    if (slip.is_product && out.size() < count && std::ranges::find(out, slip.name) == out.end())
      out.push_back(std::move(slip.name));
  return out;
}

}  // namespace evname::cpu
