#include "events/syntax/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "base/letters.hpp"
#include "events/tables/legacy_words.hpp"
#include "evname/encoding.hpp"

namespace evname::syntax {
namespace {

using tables::kCacheOps, tables::kCacheResults, tables::kCacheTypes, tables::kValidCacheOps;
using tables::kHardwareWords, tables::NamedNumber;

bool starts_with(std::string_view text, std::string_view word) {
  return equal_ignoring_case(text.substr(0, word.size()), word);
}

// If a number has several words, perf's own comes first.
constexpr NamedNumber kSoftwareWords[] = {
    {"cpu-clock", 0},      {"task-clock", 1},       {"page-faults", 2},
    {"faults", 2},         {"context-switches", 3}, {"cs", 3},
    {"cpu-migrations", 4}, {"migrations", 4},       {"minor-faults", 5},
    {"major-faults", 6},   {"alignment-faults", 7}, {"emulation-faults", 8},
    {"dummy", 9},          {"bpf-output", 10},      {"cgroup-switches", 11},
};

constexpr NamedNumber kToolWords[] = {
    {"duration_time", 1}, {"user_time", 2},  {"system_time", 3},     {"has_pmem", 4},
    {"num_cores", 5},     {"num_cpus", 6},   {"num_cpus_online", 7}, {"num_dies", 8},
    {"num_packages", 9},  {"slots", 10},     {"smt_on", 11},         {"system_tsc_freq", 12},
    {"core_wide", 13},    {"target_cpu", 14}};

std::optional<std::uint64_t> find(std::span<const NamedNumber> words, std::string_view text) {
  for (const NamedNumber& word : words)
    if (equal_ignoring_case(word.name, text)) return word.number;
  return std::nullopt;
}

/// Removes the word at the start of `rest`, up to its end or a hyphen. No word is a prefix of
/// another up to a hyphen.
std::optional<std::uint64_t> take(std::span<const NamedNumber> words, std::string_view* rest) {
  for (const NamedNumber& word : words) {
    if (!starts_with(*rest, word.name)) continue;
    if (rest->size() > word.name.size() && (*rest)[word.name.size()] != '-') continue;
    rest->remove_prefix(std::min(word.name.size() + 1, rest->size()));
    return word.number;
  }
  return std::nullopt;
}

constexpr std::size_t kHashBits = 16384;

/// The hashes that words without a hyphen have: a bit each, of kHashBits.
constexpr auto kHashes = [] {
  std::array<std::uint64_t, kHashBits / 64> bits{};
  const auto add = [&](std::string_view word) {
    const std::uint32_t bit = name_hash(word) % kHashBits;
    bits[bit / 64] |= std::uint64_t{1} << bit % 64;
  };
  for (const auto events :
       {std::span<const NamedNumber>(kToolWords), std::span<const NamedNumber>(kSoftwareWords)})
    for (const tables::NamedNumber& event : events) add(event.name);
  for (const auto words :
       {std::span<const NamedNumber>(kHardwareWords), std::span<const NamedNumber>(kCacheTypes)})
    for (const NamedNumber& word : words) add(word.name);
  return bits;
}();

bool is_any(std::string_view word) {
  return legacy_code(word) || software_config(word) || tool_config(word);
}

std::vector<std::string> words_for(std::span<const NamedNumber> words, std::uint64_t value) {
  std::vector<std::string> names;
  for (const NamedNumber& word : words)
    if (word.number == value) names.emplace_back(word.name);
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

std::optional<std::uint64_t> tool_config(std::string_view word) { return find(kToolWords, word); }

std::span<const NamedNumber> software_events() { return kSoftwareWords; }
std::span<const NamedNumber> tool_events() { return kToolWords; }

std::optional<std::uint64_t> cache_config(std::string_view word) {
  if (word.ends_with('-')) return std::nullopt;
  const auto type = take(kCacheTypes, &word);
  if (!type) return std::nullopt;
  const auto op = take(kCacheOps, &word);
  const auto result = take(kCacheResults, &word);
  if (!word.empty() || (kValidCacheOps[*type] >> op.value_or(0) & 1) == 0) return std::nullopt;
  return *type | op.value_or(0) << 8 | result.value_or(0) << 16;
}

std::optional<LegacyCode> legacy_code(std::string_view word) {
  const auto code = [](std::uint32_t type, std::uint64_t config) {
    return LegacyCode{type, static_cast<std::uint32_t>(config)};
  };
  if (const auto config = hardware_config(word)) return code(kTypeHardware, *config);
  if (const auto config = cache_config(word)) return code(kTypeHwCache, *config);
  return std::nullopt;
}

std::string_view legacy_term(std::uint32_t type) {
  return type == kTypeHardware ? "legacy-hardware-config" : "legacy-cache-config";
}

bool is_kernel_name(std::string_view word, std::uint32_t name_hash) {
  const bool hyphen = word.find('-') != std::string_view::npos;
  return hyphen ? is_any(word) : is_plain_kernel_name(word, name_hash);
}

bool is_plain_kernel_name(std::string_view word, std::uint32_t name_hash) {
  const std::uint32_t bit = name_hash % kHashBits;
  return (kHashes[bit / 64] >> bit % 64 & 1) != 0 && is_any(word);
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

namespace {

void add_generic(std::uint32_t type, std::uint64_t config, std::vector<GenericEvent>& out) {
  for (std::string& name : legacy_names(type, config))
    out.push_back({std::move(name), generic_type_name(type), type, config});
}

}  // namespace

std::vector<GenericEvent> generic_events() {
  constexpr std::uint64_t kMost = 32;  // hardware and software codes there could be
  std::vector<GenericEvent> out;
  for (const std::uint32_t type : {kTypeHardware, kTypeSoftware})
    for (std::uint64_t config = 0; config < kMost; ++config) add_generic(type, config, out);
  for (std::uint64_t result = 0; result < 2; ++result)
    for (std::uint64_t op = 0; op < 3; ++op)
      for (std::uint64_t cache = 0; cache < 7; ++cache)
        add_generic(kTypeHwCache, cache | op << 8 | result << 16, out);
  return out;
}

}  // namespace evname::syntax
