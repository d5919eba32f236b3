#include "syntax/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "tables/name_hash.hpp"

namespace evname::syntax {
namespace {

struct Word {
  std::string_view text;
  std::uint64_t value;
};

bool starts_with(std::string_view text, std::string_view word) {
  return tables::equal_ignoring_case(text.substr(0, word.size()), word);
}

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

constexpr OwnEvent kSoftwareWords[] = {
    {"cpu-clock", 0},      {"task-clock", 1},       {"page-faults", 2},
    {"faults", 2},         {"context-switches", 3}, {"cs", 3},
    {"cpu-migrations", 4}, {"migrations", 4},       {"minor-faults", 5},
    {"major-faults", 6},   {"alignment-faults", 7}, {"emulation-faults", 8},
    {"dummy", 9},          {"bpf-output", 10},      {"cgroup-switches", 11},
};

constexpr OwnEvent kToolWords[] = {
    {"duration_time", 1},    {"user_time", 2}, {"system_time", 3},
    {"has_pmem", 4},         {"num_cores", 5}, {"num_cpus", 6},
    {"num_cpus_online", 7},  {"num_dies", 8},  {"num_packages", 9},
    {"slots", 10},           {"smt_on", 11},   {"system_tsc_freq", 12},
    {"core_wide", 13},       {"target_cpu", 14}};

constexpr Word kCacheTypes[] = {
    {"L1-dcache", 0}, {"l1-d", 0},     {"l1d", 0},   {"L1-data", 0},
    {"L1-icache", 1}, {"l1-i", 1},     {"l1i", 1},   {"L1-instruction", 1},
    {"LLC", 2},       {"L2", 2},       {"dTLB", 3},  {"d-tlb", 3},
    {"Data-TLB", 3},  {"iTLB", 4},     {"i-tlb", 4}, {"Instruction-TLB", 4},
    {"branch", 5},    {"branches", 5}, {"bpu", 5},   {"btb", 5},
    {"bpc", 5},       {"node", 6},
};

constexpr Word kCacheOps[] = {
    {"load", 0},
    {"loads", 0},
    {"read", 0},
    {"store", 1},
    {"stores", 1},
    {"write", 1},
    {"prefetch", 2},
    {"prefetches", 2},
    {"speculative-read", 2},
    {"speculative-load", 2},
};

constexpr Word kCacheResults[] = {
    {"refs", 0}, {"Reference", 0}, {"ops", 0}, {"access", 0}, {"misses", 1}, {"miss", 1},
};

/// Bit n: operation n makes sense on that cache.
constexpr std::uint8_t kValidOps[] = {7, 5, 7, 7, 1, 1, 7};

constexpr std::string_view kPluralOps[] = {"loads", "stores", "prefetches"};
constexpr std::string_view kSingularOps[] = {"load", "store", "prefetch"};

std::optional<std::uint64_t> find(std::span<const Word> words, std::string_view text) {
  for (const Word& word : words)
    if (tables::equal_ignoring_case(word.text, text)) return word.value;
  return std::nullopt;
}

std::optional<std::uint64_t> find(std::span<const OwnEvent> events, std::string_view text) {
  for (const OwnEvent& event : events)
    if (tables::equal_ignoring_case(event.name, text)) return event.config;
  return std::nullopt;
}

/// Takes the word of `words` that `rest` starts with, up to its end or a hyphen.
std::optional<std::uint64_t> take(std::span<const Word> words, std::string_view* rest) {
  const Word* best = nullptr;
  for (const Word& word : words) {
    if (!starts_with(*rest, word.text)) continue;
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
  for (const auto events :
       {std::span<const OwnEvent>(kToolWords), std::span<const OwnEvent>(kSoftwareWords)})
    for (const OwnEvent& event : events) add(event.name);
  for (const auto words :
       {std::span<const Word>(kHardwareWords), std::span<const Word>(kCacheTypes)})
    for (const Word& word : words) add(word.text);
  return bits;
}();

std::vector<std::string> words_for(std::span<const Word> words, std::uint64_t value) {
  std::vector<std::string> names;
  for (const Word& word : words)
    if (word.value == value) names.emplace_back(word.text);
  return names;
}

std::vector<std::string> words_for(std::span<const OwnEvent> events, std::uint64_t config) {
  std::vector<std::string> names;
  for (const OwnEvent& event : events)
    if (event.config == config) names.emplace_back(event.name);
  return names;
}

std::vector<std::string> cache_names(std::uint64_t config) {
  const std::uint64_t type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
  if (config >> 24 != 0 || type >= std::size(kValidOps) || op > 2 || result > 1) return {};
  if ((kValidOps[type] >> op & 1) == 0) return {};
  std::string name(words_for(kCacheTypes, type).front());
  name += '-';
  name += result == 0 ? kPluralOps[op] : kSingularOps[op];
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

std::span<const OwnEvent> software_events() { return kSoftwareWords; }
std::span<const OwnEvent> tool_events() { return kToolWords; }

std::optional<std::uint64_t> cache_config(std::string_view word) {
  if (word.ends_with('-')) return std::nullopt;
  const auto type = take(kCacheTypes, &word);
  if (!type) return std::nullopt;
  const auto op = take(kCacheOps, &word);
  const auto result = take(kCacheResults, &word);
  if (!word.empty() || (kValidOps[*type] >> op.value_or(0) & 1) == 0) return std::nullopt;
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
  const std::uint32_t bit = name_hash % kHashBits;
  const bool hyphen = word.find('-') != std::string_view::npos;
  if (!hyphen && (kHashes[bit / 64] >> bit % 64 & 1) == 0) return false;
  return legacy_code(word) || software_config(word) || tool_config(word);
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
