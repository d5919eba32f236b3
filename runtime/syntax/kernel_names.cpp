#include "syntax/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "tables/legacy_words.hpp"
#include "tables/name_hash.hpp"

namespace evname::syntax {
namespace {

using Word = tables::LegacyWord;
using tables::kCacheOps, tables::kCacheResults, tables::kCacheTypes, tables::kValidCacheOps;

// Of several words for one number, the one perf prints comes first.
constexpr Word kHardwareWords[] = {
    {"cycles", 0},
    {"cpu-cycles", 0},
    {"instructions", 1},
    {"cache-references", 2},
    {"cache-misses", 3},
    {"branches", 4},
    {"branch-instructions", 4},
    {"branch-misses", 5},
    {"bus-cycles", 6},
    {"stalled-cycles-frontend", 7},
    {"idle-cycles-frontend", 7},
    {"stalled-cycles-backend", 8},
    {"idle-cycles-backend", 8},
    {"ref-cycles", 9},
};

constexpr Word kSoftwareWords[] = {
    {"cpu-clock", 0},      {"task-clock", 1},       {"page-faults", 2},
    {"faults", 2},         {"context-switches", 3}, {"cs", 3},
    {"cpu-migrations", 4}, {"migrations", 4},       {"minor-faults", 5},
    {"major-faults", 6},   {"alignment-faults", 7}, {"emulation-faults", 8},
    {"dummy", 9},          {"bpf-output", 10},      {"cgroup-switches", 11},
};

constexpr std::string_view kToolWords[] = {"duration_time", "user_time", "system_time"};

std::optional<std::uint64_t> find(std::span<const Word> words, std::string_view text) {
  const auto at =
      std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.text == text; });
  if (at == words.end()) return std::nullopt;
  return at->value;
}

/// Takes the word of `words` that `rest` starts with, up to its end or a hyphen.
std::optional<std::uint64_t> take(std::span<const Word> words, std::string_view* rest) {
  const Word* best = nullptr;
  for (const Word& word : words) {
    if (!rest->starts_with(word.text)) continue;
    if (rest->size() > word.text.size() && (*rest)[word.text.size()] != '-') continue;
    if (best == nullptr || best->text.size() < word.text.size()) best = &word;
  }
  if (best == nullptr) return std::nullopt;
  rest->remove_prefix(best->text.size());
  if (!rest->empty()) rest->remove_prefix(1);
  return best->value;
}

constexpr std::size_t kHashBits = 2048;

/// Which hashes the words without a hyphen have: a bit each, of kHashBits.
constexpr auto kHashes = [] {
  std::array<std::uint64_t, kHashBits / 64> bits{};
  const auto add = [&](std::string_view word) {
    const std::uint32_t bit = tables::name_hash(word) % kHashBits;
    bits[bit / 64] |= std::uint64_t{1} << bit % 64;
  };
  for (const std::string_view word : kToolWords) add(word);
  for (const auto words :
       {std::span<const Word>(kHardwareWords), std::span<const Word>(kSoftwareWords),
        std::span<const Word>(kCacheTypes)})
    for (const Word& word : words) add(word.text);
  return bits;
}();

std::vector<std::string> words_for(std::span<const Word> words, std::uint64_t value) {
  std::vector<std::string> names;
  for (const Word& word : words)
    if (word.value == value) names.emplace_back(word.text);
  return names;
}

std::vector<std::string> cache_names(std::uint64_t config) {
  const std::uint64_t type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
  if (config >> 24 != 0 || type >= std::size(kValidCacheOps) || op > 2 || result > 1) return {};
  if ((kValidCacheOps[type] >> op & 1) == 0) return {};
  std::string name(words_for(kCacheTypes, type).front());
  name += '-';
  name += result == 0 ? tables::kPluralCacheOps[op] : tables::kSingularCacheOps[op];
  if (result == 1) name += "-misses";
  return {name};
}

}  // namespace

std::string_view generic_type_name(std::uint32_t type) {
  constexpr std::string_view kNames[] = {"hardware", "software", "tracepoint",
                                         "hw_cache", "raw",      "breakpoint"};
  return type < std::size(kNames) ? kNames[type] : std::string_view();
}

std::optional<std::uint64_t> hardware_config(std::string_view word) {
  return find(kHardwareWords, word);
}

std::optional<std::uint64_t> software_config(std::string_view word) {
  return find(kSoftwareWords, word);
}

bool is_tool_event(std::string_view word) {
  return std::find(std::begin(kToolWords), std::end(kToolWords), word) != std::end(kToolWords);
}

std::span<const std::string_view> tool_words() { return kToolWords; }

std::optional<CacheWord> cache_config(std::string_view word) {
  if (word.ends_with('-')) return std::nullopt;
  const auto type = take(kCacheTypes, &word);
  if (!type) return std::nullopt;
  std::optional<std::uint64_t> op, result;
  while (!word.empty()) {
    if (const auto value = op ? std::nullopt : take(kCacheOps, &word)) {
      op = value;
    } else if (const auto second = result ? std::nullopt : take(kCacheResults, &word)) {
      result = second;
    } else {
      return std::nullopt;
    }
  }
  return CacheWord{*type | op.value_or(0) << 8 | result.value_or(0) << 16,
                   (kValidCacheOps[*type] >> op.value_or(0) & 1) != 0};
}

bool is_kernel_name(std::string_view word, std::uint32_t name_hash) {
  const std::uint32_t bit = name_hash % kHashBits;
  if ((kHashes[bit / 64] >> bit % 64 & 1) == 0) return false;
  return hardware_config(word) || software_config(word) || is_tool_event(word) ||
         cache_config(word);
}

std::vector<std::string> legacy_names(std::uint32_t type, std::uint64_t config) {
  switch (type) {
    case kTypeHardware:
      return words_for(kHardwareWords, config);
    case kTypeSoftware:
      return words_for(kSoftwareWords, config);
    case kTypeHwCache:
      return cache_names(config);
    default:
      return {};
  }
}

}  // namespace evname::syntax
