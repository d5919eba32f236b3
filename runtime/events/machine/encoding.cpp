#include "evname/encoding.hpp"

#include <iterator>

#include "events/machine/encoding_access.hpp"

namespace evname {

const char* to_string(MatchedBy matched_by) {
  constexpr const char* kWords[] = {"none", "cpuid", "name", "caps", "architecture"};
  const auto at = static_cast<std::size_t>(matched_by);
  return at < std::size(kWords) ? kWords[at] : "unknown";
}

const char* to_string(Source source) {
  constexpr const char* kWords[] = {"table", "sysfs", "kernel", "raw"};
  const auto at = static_cast<std::size_t>(source);
  return at < std::size(kWords) ? kWords[at] : "unknown";
}

// Defaulted in the class, it would have what makes an Encoding write zeros over all of it first.
Encoding::Encoding() = default;

std::string Encoding::terms() const {
  const bool own = texts_ != nullptr || event_ == nullptr;
  return own ? std::string(terms_) : tables::terms_text(*arch_, *event_);
}

std::string_view Encoding::desc() const {
  return event_ != nullptr ? arch_->text(event_->desc) : std::string_view();
}

std::optional<RetirementLatency> Encoding::retirement_latency() const {
  if (event_ == nullptr || event_->latency == 0) return std::nullopt;
  const tables::Latency& found = arch_->latencies[event_->latency];
  return RetirementLatency{found.mean, found.min, found.max};
}

std::span<const std::string> Encoding::warnings() const {
  if (texts_ == nullptr) return {};
  return texts_->warnings;
}

}  // namespace evname
