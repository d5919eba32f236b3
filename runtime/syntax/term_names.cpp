#include "syntax/term_names.hpp"

namespace evname::syntax {
namespace {

using Effect = OwnTerm::Effect;

constexpr bool kText = true, kOptional = false;

constexpr OwnTerm kOwnTerms[] = {
    {"config", Effect::config, 0},
    {"config1", Effect::config, 1},
    {"config2", Effect::config, 2},
    {"config3", Effect::config, 3},
    {"period", Effect::period, 0},
    {"name", Effect::none, 0, kText},
    {"freq", Effect::none, 0},
    {"branch_type", Effect::none, 0, kText},
    {"time", Effect::none, 0, false, kOptional},
    {"call-graph", Effect::none, 0, kText},
    {"stack-size", Effect::none, 0},
    {"max-stack", Effect::none, 0},
    {"nr", Effect::none, 0},
    {"inherit", Effect::none, 0, false, kOptional},
    {"no-inherit", Effect::none, 0, false, kOptional},
    {"overwrite", Effect::none, 0, false, kOptional},
    {"no-overwrite", Effect::none, 0, false, kOptional},
    {"percore", Effect::none, 0, false, kOptional},
    {"aux-output", Effect::none, 0, false, kOptional},
    {"aux-sample-size", Effect::none, 0},
    {"metric-id", Effect::none, 0, kText},
    {"max-events", Effect::none, 0, false, kOptional, true},
    {"aux-action", Effect::none, 0, kText, kOptional, true},
    {"driver-config", Effect::none, 0, kText, kOptional, true},
};

constexpr OwnTerm kDriverTerm = {"@", Effect::none, 0, kText, kOptional};

const OwnTerm* find_row(std::string_view name) {
  for (const OwnTerm& row : kOwnTerms)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

const OwnTerm* find_own_term(std::string_view name) {
  if (name.starts_with('@')) return &kDriverTerm;
  const OwnTerm* row = find_row(name);
  return row != nullptr && !row->only_recorded ? row : nullptr;
}

bool is_sampling_term(std::string_view name) {
  const OwnTerm* row = find_row(name);
  return row != nullptr && row->effect != Effect::config;
}

}  // namespace evname::syntax
