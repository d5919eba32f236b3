
#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/packing/packer.hpp"

namespace evname::packing {
namespace {

std::string plain_word(std::size_t word, std::uint64_t value) {
  return word == 0 ? fmt::format("config={:#x}", value)
                   : fmt::format("config{}={:#x}", word, value);
}

void append(std::string& out, const std::string& term) {
  if (term.empty()) return;
  if (!out.empty()) out += ',';
  out += term;
}

/// Chooses fields of one word until all its bits are spelled.
class WordDecoder {
 public:
  WordDecoder(const pmu::Pmu& pmu, std::size_t word, std::uint64_t value)
      : pmu_(pmu),
        word_(word),
        value_(value),
        default_(word == 0 ? default_config(pmu) : 0),
        rest_(value) {}

  void take(const pmu::Format& format) {
    if (format.word != word_ || (format.mask & taken_) != 0) return;
    const std::uint64_t field = format.extract(value_);
    const bool is_default = field == format.extract(default_);
    if (field == 0 && is_default) return;
    if (!is_default)
      append(text_, canonical_term(pmu_, {format.name, tables::Term::Value::number, field, {}}));
    taken_ |= format.mask;
    rest_ &= ~format.mask;
  }

  /// The other fields, unless two of them claim the same set bit.
  void take_unambiguous() {
    for (const pmu::Format& a : pmu_.formats)
      for (const pmu::Format& b : pmu_.formats)
        if (&a != &b && open(a) && open(b) && (a.mask & b.mask & rest_) != 0) return;
    for (const pmu::Format& format : pmu_.formats) take(format);
  }

  std::string text() const {
    if (value_ == default_) return {};
    return rest_ == 0 ? text_ : plain_word(word_, value_);
  }

 private:
  bool open(const pmu::Format& format) const {
    return format.word == word_ && (format.mask & taken_) == 0;
  }

  const pmu::Pmu& pmu_;
  std::size_t word_;
  std::uint64_t value_, default_;  ///< the words of the text, and the words without terms
  std::uint64_t rest_, taken_ = 0;
  std::string text_;
};

bool is_users(const tables::Term& term) { return term.offset != tables::Term::kNotInText; }

/// All terms of one field in the list.
class FieldTerms {
 public:
  FieldTerms(std::string_view name, std::span<const tables::Term> terms) {
    for (const tables::Term& term : terms) {
      if (term.name != name || term.value == tables::Term::Value::text) continue;
      if (last_ == nullptr || is_users(term) || !is_users(*last_)) last_ = &term;
      const std::uint64_t value = term.number;
      if (std::find(values_.begin(), values_.end(), value) == values_.end())
        values_.push_back(value);
    }
  }

  std::uint64_t wanted() const { return last_->number; }
  std::string warning(std::uint64_t got) const {
    if (values_.size() > 1) {
      std::string given;
      for (const std::uint64_t value : values_)
        given += fmt::format("{}{:#x}", given.empty() ? "" : " and ", value);
      return fmt::format("'{}' is given as {}: perf ORs that to {:#x}", last_->name, given, got);
    }
    return fmt::format(
        "'{}={:#x}' ends up as {:#x}: other terms set bits of that field, and perf ORs them",
        last_->name, wanted(), got);
  }

 private:
  const tables::Term* last_ = nullptr;
  std::vector<std::uint64_t> values_;  // without repetitions
};

/// Bits of the field that narrower fields also name, as `pmc` inside `event` on POWER; terms may
/// add to these.
std::uint64_t refined_bits(const pmu::Pmu& pmu, const pmu::Format& field,
                           std::span<const tables::Term> terms) {
  std::uint64_t bits = 0;
  for (const tables::Term& term : terms) {
    const pmu::Format* other = pmu.find_format(term.name);
    if (other != nullptr && other->word == field.word && other->mask != field.mask &&
        (other->mask & ~field.mask) == 0)
      bits |= other->mask;
  }
  return bits;
}

}  // namespace

std::string decode_terms(const pmu::Pmu& pmu, const ConfigWords& config,
                         std::span<const tables::Term> preferred) {
  constexpr std::string_view kFirst[] = {"event", "umask"};
  std::string out;
  for (std::size_t word = 0; word < config.size(); ++word) {
    WordDecoder decoder(pmu, word, config[word]);
    for (const std::string_view name : kFirst)
      if (const pmu::Format* format = pmu.find_format(name)) decoder.take(*format);
    for (const tables::Term& term : preferred)
      if (const pmu::Format* format = pmu.find_format(term.name)) decoder.take(*format);
    decoder.take_unambiguous();
    append(out, decoder.text());
  }
  if (!out.empty() || default_config(pmu) != 0) return out;
  return pmu.find_format("event") != nullptr ? "event=0x0" : "config=0x0";
}

std::string plain_terms(const ConfigWords& config) {
  std::string out;
  for (std::size_t word = 0; word < config.size(); ++word)
    if (config[word] != 0 || word == 0) append(out, plain_word(word, config[word]));
  return out;
}

std::string canonical_term(const pmu::Pmu& pmu, const tables::Term& term) {
  switch (term.value) {
    case tables::Term::Value::none:
      return std::string(term.name);
    case tables::Term::Value::text:
      return fmt::format("{}={}", term.name, term.text);
    case tables::Term::Value::number:
      break;
  }
  const pmu::Format* format = pmu.find_format(term.name);
  const syntax::PerfTerm* own = syntax::find_perf_term(term.name);
  const bool decimal = own != nullptr ? own->effect != syntax::PerfTerm::Effect::config
                                      : format != nullptr && format->width() == 1;
  return decimal ? fmt::format("{}={}", term.name, term.number)
                 : fmt::format("{}={:#x}", term.name, term.number);
}

std::vector<std::string> overlap_warnings(const pmu::Pmu& pmu, std::span<const tables::Term> terms,
                                          const Packed& words) {
  std::vector<std::string> warnings;
  for (const tables::Term& term : terms) {
    const pmu::Format* format = pmu.find_format(term.name);
    if (format == nullptr || term.value == tables::Term::Value::text ||
        syntax::find_perf_term(term.name) != nullptr)
      continue;
    const bool again = std::any_of(terms.data(), &term, [&](const tables::Term& other) {
      return other.name == term.name && other.value != tables::Term::Value::text;
    });
    if (again) continue;
    const FieldTerms field(term.name, terms);
    const std::uint64_t word = words.config[format->word];
    const std::uint64_t wrong = (word ^ format->pack(field.wanted()).value_or(0)) & format->mask;
    if ((wrong & ~refined_bits(pmu, *format, terms)) != 0)
      warnings.push_back(field.warning(format->extract(word)));
  }
  return warnings;
}

}  // namespace evname::packing
