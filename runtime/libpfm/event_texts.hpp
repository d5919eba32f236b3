#pragma once
// Descriptions of libpfm4's events and unit masks, which gen/pfm4_texts.cpp takes from
// arch/descriptions. Only libpfm.so.4 contains them, since evname's own tables have descriptions.

#include <cstdint>

#include "events/pfm4/dictionary.hpp"

namespace evname::libpfm {

/// For an event of pfm4::kEvents: the place of its sentence, and the first place of its masks'
/// sentences.
struct EventTexts {
  std::uint32_t text = 0;   ///< in kSentences; 0: there is none
  std::uint32_t masks = 0;  ///< in kMaskTexts
};
[[gnu::visibility("hidden")]] extern const EventTexts kEventTexts[];
[[gnu::visibility("hidden")]] extern const std::uint32_t kMaskTexts[];
[[gnu::visibility("hidden")]] extern const char kSentences[];

/// Returns the description of an event of the dictionary, or nullptr.
inline const char* description_of(const pfm4::Event& event) {
  const std::uint32_t text = kEventTexts[&event - pfm4::kEvents].text;
  return text != 0 ? kSentences + text : nullptr;
}
inline const char* description_of(const pfm4::Event& event, std::size_t mask) {
  const std::uint32_t text = kMaskTexts[kEventTexts[&event - pfm4::kEvents].masks + mask];
  return text != 0 ? kSentences + text : nullptr;
}

}  // namespace evname::libpfm
