#pragma once
// Gives the library access to the private members of an Encoding.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/tables/model_view.hpp"
#include "evname/encoding.hpp"

namespace evname::detail {

/// The texts of an encoding that are not the machine's.
struct EncodingTexts {
  std::string name;
  std::string terms;
  std::vector<std::string> warnings;
  /// Its own terms about sampling, "call-graph=dwarf/stack-size=1024": no term has a slash.
  std::string sampling_terms = {};
  std::string text = {};  ///< Encoding::text(), if it differs from the name
  bool has_given_name = false;
  /// The text as given and its own modifiers, for Encoding::written(); empty: name and modifiers.
  std::string written = {}, written_modifiers = {};
};

struct EncodingAccess {
  /// Sets the event of the tables for desc() and, unless own() replaces them, terms().
  static void set_event(Encoding& encoding, const tables::ArchTables& arch,
                        const tables::Event& event) {
    encoding.arch_ = &arch;
    encoding.event_ = &event;
  }

  /// Sets name, terms and warnings, which the encoding then owns.
  static void own(Encoding& encoding, EncodingTexts texts) {
    auto owned = std::make_shared<const EncodingTexts>(std::move(texts));
    encoding.name = owned->name;
    encoding.terms_ = owned->terms;
    encoding.texts_ = std::move(owned);
  }

  /// Returns a copy of its texts, to be changed and passed to own().
  static EncodingTexts texts_of(const Encoding& encoding) {
    if (encoding.texts_ != nullptr) return *encoding.texts_;
    return {std::string(encoding.name), encoding.terms(), {}};
  }

  /// Sets the event's text as given, if Encoding::written() would differ.
  static void set_written(Encoding& encoding, std::string_view text, std::string_view modifiers) {
    if (encoding.name == text && encoding.modifiers == modifiers) return;
    EncodingTexts texts = texts_of(encoding);
    texts.written = text;
    texts.written_modifiers = modifiers;
    own(encoding, std::move(texts));
  }

  /// Adds the modifier `u` to an event that names no privilege level.
  static void restrict_to_user_space(Encoding& encoding) {
    encoding.bits.exclude_kernel = encoding.bits.exclude_hv = true;
    encoding.modifiers += 'u';
    if (encoding.texts_ == nullptr || encoding.texts_->written.empty()) return;
    EncodingTexts texts = texts_of(encoding);
    texts.written_modifiers += 'u';
    own(encoding, std::move(texts));
  }

  /// Keeps alive the machine that the encoding's views refer to.
  static void keep(Encoding& encoding, std::shared_ptr<const void> machine) {
    encoding.machine_ = std::move(machine);
  }

  /// Returns the cycles from the retirement of one instruction to the next, as the event's table
  /// states them; nullptr if it does not. The modifier `R` stands for them if perf does not sample
  /// them.
  static const tables::Latency* retirement_latency(const Encoding& encoding) {
    if (encoding.event_ == nullptr || encoding.event_->latency == 0) return nullptr;
    return &encoding.arch_->latencies[encoding.event_->latency];
  }

  /// Returns EncodingTexts::sampling_terms; "" if it has none.
  static std::string_view sampling_terms(const Encoding& encoding) {
    return encoding.texts_ == nullptr ? std::string_view() : encoding.texts_->sampling_terms;
  }
};

}  // namespace evname::detail

namespace evname::machine {

/// Returns true if both are the same event: the same code with the same modifiers. Their PMUs may
/// differ, as for instances of a unit.
bool is_same_event(const Encoding& a, const Encoding& b);

}  // namespace evname::machine
