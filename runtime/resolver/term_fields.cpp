#include "resolver/term_fields.hpp"

#include <bit>

namespace evname::event {

TermFields::TermFields(const tables::ArchTables& arch, const pmu::Pmu& pmu) {
  fields_.reserve(arch.term_names.size());
  for (const tables::Text name : arch.term_names) fields_.push_back(field_of(pmu, arch.text(name)));
}

TermFields::Field TermFields::field_of(const pmu::Pmu& pmu, std::string_view term) {
  if (const auto effect = builtin_effect(term)) {
    constexpr Use kUses[] = {Use::config, Use::period, Use::nothing};
    return {0, kUses[static_cast<std::size_t>(effect->kind)], effect->word, 0, 0};
  }
  const pmu::Format* format = pmu.find_format(term);
  if (format == nullptr || format->word >= Words().config.size() || format->mask == 0 ||
      has_defaults(pmu))
    return {};
  const auto shift = static_cast<std::uint8_t>(std::countr_zero(format->mask));
  const auto width = static_cast<std::uint8_t>(format->width());
  const bool whole = std::popcount((format->mask >> shift) + 1) <= 1;
  return {format->mask, Use::field, format->word, shift, whole ? width : std::uint8_t{0}};
}

bool TermFields::fill(const Field& field, std::uint64_t value, Words& words) {
  if (field.width == 0) {
    const auto bits = pmu::Format{{}, field.word, field.mask}.pack(value);
    if (bits) words.config[field.word] |= *bits;
    return bits.has_value();
  }
  if (field.width < 64 && value >> field.width != 0) return false;
  words.config[field.word] |= value << field.shift;
  return true;
}

bool TermFields::pack(const tables::ArchTables& arch, const tables::Event& event,
                      Words& words) const {
  std::array<std::uint64_t, 4> given{};  // what config=, config1=, … say: under the fields
  for (const std::uint32_t index : tables::term_list(arch, event)) {
    const tables::Term& term = arch.terms[index];
    const Field& field = fields_[term.name];
    const bool bare = term.spelling == tables::Spelling::bare;
    if (term.spelling == tables::Spelling::text && term.numeric == 0) return false;
    if (bare && (field.use != Use::field || std::popcount(field.mask) != 1)) return false;
    switch (field.use) {
      case Use::unknown:
        return false;
      case Use::field:
        if (!fill(field, bare ? 1 : term.value, words)) return false;
        break;
      case Use::config:
        given[field.word] = term.value;
        break;
      case Use::period:
        words.period = term.value;
        break;
      case Use::nothing:
        break;
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) words.config[i] |= given[i];
  return true;
}

}  // namespace evname::event
