// Names that resolve to what was asked about: of the texts that may be its name, the first that
// does.

#include <algorithm>

#include "events/machine/namer.hpp"
#include "evname/machine.hpp"

namespace evname {
namespace {

bool is_same_pmu(const Encoding& a, const Encoding& b) {
  return a.code.has_type && b.code.has_type ? a.code.type == b.code.type : a.pmu == b.pmu;
}

/// An event that several PMUs have is still that event; but all of them count the same words.
bool resolves_to(const Machine& machine, const std::string& text, const Encoding& wanted) {
  const auto found = machine.resolve(text);
  if (!found) return false;
  const auto has_words = [&](const Encoding& e) {
    return words_of(e.code) == words_of(wanted.code) &&
           (wanted.bp_type == 0 || e.bp_type == wanted.bp_type);
  };
  return std::all_of(found->begin(), found->end(), has_words) &&
         std::any_of(found->begin(), found->end(),
                     [&](const Encoding& e) { return is_same_pmu(e, wanted); });
}

}  // namespace

std::string Machine::name_of(const Encoding& encoding) const {
  std::vector<std::string> texts = naming::spellings(*state_, encoding);
  for (std::string& text : texts)
    if (resolves_to(*this, text, encoding)) return std::move(text);
  return texts.empty() ? std::string() : std::move(texts.back());
}

}  // namespace evname
