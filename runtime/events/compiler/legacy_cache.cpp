#include "events/compiler/legacy_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "events/tables/legacy_words.hpp"

namespace evname::compiler {
namespace {

using tables::LegacyWord;

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// The first word of a type is the one to use.
bool is_first(const LegacyWord& type) {
  return std::ranges::find(tables::kCacheTypes, type.value, &LegacyWord::value)->text == type.text;
}

bool is_valid(const LegacyWord& type, const LegacyWord& op) {
  return (tables::kValidCacheOps[type.value] >> op.value & 1) != 0;
}

class Collector {
 public:
  std::vector<Entry> take() { return std::move(entries_); }

  void add(const LegacyWord& type, const LegacyWord* op, const LegacyWord* result) {
    std::string name(type.text);
    for (const LegacyWord* word : {op, result})
      if (word != nullptr) name.append("-").append(word->text);
    if (name == "branches" || name == "branch-misses") return;  // generic hardware events
    const std::uint64_t code =
        type.value | (op ? op->value : 0) << 8 | (result ? result->value : 0) << 16;
    Entry entry;
    entry.name = to_lower(name);
    entry.pmu = "default_core";
    entry.terms.push_back({"legacy-cache-config", {code, tables::Spelling::hex}, true, {}});
    entry.topic = "legacy cache";
    entry.deprecated = !is_first(type) || op == nullptr || !is_plain(*op, result);
    entries_.push_back(std::move(entry));
  }

 private:
  /// "loads", and "load-misses".
  static bool is_plain(const LegacyWord& op, const LegacyWord* result) {
    if (result == nullptr) return is_one_of(op.text, tables::kPluralCacheOps);
    return result->text == "misses" && is_one_of(op.text, tables::kSingularCacheOps);
  }

  std::vector<Entry> entries_;
};

}  // namespace

std::vector<Entry> legacy_cache_entries() {
  Collector out;
  for (const LegacyWord& type : tables::kCacheTypes) {
    out.add(type, nullptr, nullptr);
    for (const LegacyWord& result : tables::kCacheResults) out.add(type, nullptr, &result);
    for (const LegacyWord& op : tables::kCacheOps) {
      if (!is_valid(type, op)) continue;
      out.add(type, &op, nullptr);
      for (const LegacyWord& result : tables::kCacheResults) out.add(type, &op, &result);
    }
  }
  return out.take();
}

}  // namespace evname::compiler
