#include "resolver/direct_names.hpp"

#include <algorithm>
#include <array>

#include "machine/alias.hpp"
#include "syntax/kernel_names.hpp"
#include "syntax/modifiers.hpp"

namespace evname::event {
namespace {

/// Letters, digits, '_' and '.': names of which the lexer makes one token, whatever follows.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0; c < 256; ++c)
    plain[static_cast<std::size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                         (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  return plain;
}();

std::size_t plain_prefix(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && kPlain[static_cast<unsigned char>(text[size])]) ++size;
  return size;
}

/// Words that may be codes (r1a8, 0x1a8, 12) or keywords (mem:…) are left to the lexer.
bool may_be_name(std::string_view word) {
  if (word.empty() || (word[0] >= '0' && word[0] <= '9') || word[0] == '.') return false;
  if (word[0] != 'r') return word != "mem";
  return word.find_first_not_of("0123456789abcdefABCDEFx", 1) != std::string_view::npos;
}

bool is_legacy(std::string_view word) {
  return hardware_config(word) || software_config(word) || is_tool_event(word) ||
         cache_config(word);
}

}  // namespace

/// A few, in the order of the PMUs; one of each PMU.
class DirectNames::Hits {
 public:
  bool add(const Hit& hit) {
    if (size_ == hits_.size()) return false;
    std::size_t at = size_++;
    for (; at > 0 && hits_[at - 1].pmu >= hit.pmu; --at) {
      if (hits_[at - 1].pmu == hit.pmu) return false;
      hits_[at] = hits_[at - 1];
    }
    hits_[at] = hit;
    return true;
  }
  std::span<const Hit> all() const { return {hits_.data(), size_}; }

 private:
  std::array<Hit, 64> hits_;
  std::size_t size_ = 0;
};

DirectNames::DirectNames(const detail::MachineState& state) : state_(state) {
  fields_.reserve(state.pmus.size());
  for (const detail::BoundPmu& bound : state.pmus) {
    fields_.push_back(bound.tables.empty() ? TermFields()
                                           : TermFields(bound.model.arch(), bound.pmu));
    add_others(bound);
  }
  std::sort(others_.begin(), others_.end());
  add_tables(state);
}

void DirectNames::add_tables(const detail::MachineState& state) {
  for (std::size_t i = 0; i < state.pmus.size(); ++i) {
    const detail::BoundPmu& bound = state.pmus[i];
    if (bound.tables.empty()) continue;
    auto at = std::find_if(served_.begin(), served_.end(), [&](const Served& served) {
      return served.model.model == bound.model.model;
    });
    if (at == served_.end())
      at = served_.insert(
          at, {bound.model, std::vector<std::vector<std::uint16_t>>(bound.model.pmus().size())});
    for (const tables::PmuEvents* list : bound.tables)
      at->pmus[static_cast<std::size_t>(list - bound.model.pmus().data())].push_back(
          static_cast<std::uint16_t>(i));
  }
}

void DirectNames::add_other(std::string_view name) {
  others_.push_back(tables::name_hash(name));
  other_bits_.set(others_.back() % kHashBits);
}

bool DirectNames::is_other(std::uint32_t hash) const {
  return other_bits_[hash % kHashBits] && std::binary_search(others_.begin(), others_.end(), hash);
}

void DirectNames::add_others(const detail::BoundPmu& bound) {
  for (const auto* list : {&bound.system, &bound.common})
    for (const detail::OtherEvent& other : *list)
      add_other(other.model.arch().text(other.event->name));
  for (const pmu::SysfsEvent& event : bound.pmu.events)
    if (find_alias(bound, event.name).event == nullptr) add_other(event.name);
}

bool DirectNames::find(std::string_view name, std::uint32_t hash, Hits& hits) const {
  bool simple = true;
  for (const Served& served : served_)
    tables::find_event(served.model, name, hash, [&](const tables::EventHit& hit) {
      const auto list = static_cast<std::size_t>(hit.pmu - served.model.pmus().data());
      for (const std::uint16_t pmu : served.pmus[list])
        simple = simple && hits.add({pmu, &served, hit.event});
    });
  return simple && !hits.all().empty();
}

bool DirectNames::encode(const Hit& hit, const AttrBits& bits, EventAttr& attr) const {
  Words words;
  if (!fields_[hit.pmu].pack(hit.served->model.arch(), *hit.event, words)) return false;
  const pmu::Pmu& pmu = state_.pmus[hit.pmu].pmu;
  attr.pmu = pmu.name;
  attr.type = pmu.type;
  attr.config = words.config[0];
  attr.config1 = words.config[1];
  attr.config2 = words.config[2];
  attr.config3 = words.config[3];
  attr.bp_type = 0;
  attr.period = words.period;
  attr.bits = bits;
  return true;
}

std::optional<std::size_t> DirectNames::resolve(std::string_view text,
                                                std::span<EventAttr> out) const {
  const std::string_view name = text.substr(0, plain_prefix(text));
  AttrBits bits;
  const bool modified = name.size() != text.size();
  if (modified) {
    const std::string_view letters = text.substr(name.size() + 1);
    if (text[name.size()] != ':' || letters.empty() || !modifier_problem(letters, false).empty())
      return std::nullopt;
    bits = attr_bits(letters);
  }
  const std::uint32_t hash = tables::name_hash(name);
  if (!may_be_name(name) || is_other(hash) || (may_be_legacy(hash) && is_legacy(name)))
    return std::nullopt;
  Hits hits;
  if (!find(name, hash, hits)) return std::nullopt;
  std::size_t count = 0;
  for (const Hit& hit : hits.all()) {
    EventAttr unused;
    EventAttr& attr = count < out.size() ? out[count] : unused;
    if (!encode(hit, bits, attr)) return std::nullopt;
    attr.modified = modified;
    attr.leader = count++;
  }
  return count;
}

}  // namespace evname::event
