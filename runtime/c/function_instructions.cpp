// Implements the instructions of recordings.h.

#include "c/handles.hpp"
#include "evname/instructions.hpp"

using namespace evname::c;

using evname::InstructionReport;

struct evname_instruction_report {
  void refresh() { functions = report.functions(); }

  std::shared_ptr<const evname::Symbols> symbols;  ///< that the report refers to
  InstructionReport report;
  std::vector<InstructionReport::Function> functions = {};
};

struct evname_instructions {
  std::shared_ptr<const evname::Symbols> symbols;  ///< whose texts the frames have
  std::string dso;
  InstructionReport::Code code;
};

int evname_instruction_report_new(const evname_symbols* symbols, const evname_filter* filter,
                                  evname_instruction_report** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {out}, [&]() -> evname::Result<void> {
    auto pass = pass_of(filter);
    if (!pass) return evname::fail(std::move(pass));
    auto shared = symbols != nullptr ? symbols->symbols : std::make_shared<const evname::Symbols>();
    evname::ReportOptions options;
    options.filter = filter_of(filter);
    options.pass = std::move(*pass);
    options.symbols = shared.get();
    *out = new evname_instruction_report{std::move(shared), InstructionReport(std::move(options))};
    return {};
  });
}

void evname_instruction_report_free(evname_instruction_report* report) { delete report; }

int evname_instruction_report_add(evname_instruction_report* report,
                                  const evname_recording* recording, evname_tally* tally,
                                  evname_error* error) {
  return guarded(error, {report, recording}, [&]() -> evname::Result<void> {
    evname_instruction_report next{report->symbols, report->report};
    const auto found = next.report.add(recording->file);
    if (!found) return evname::fail(found);
    next.refresh();
    *report = std::move(next);
    set_tally(*found, tally);
    return {};
  });
}

const char* evname_instruction_report_event(const evname_instruction_report* report, size_t index) {
  if (report == nullptr || index >= report->report.events().size()) return "";
  return report->report.events()[index].name.c_str();
}

size_t evname_instruction_report_function_count(const evname_instruction_report* report) {
  return report == nullptr ? 0 : report->functions.size();
}

int evname_instruction_report_function_at(const evname_instruction_report* report, size_t index,
                                          evname_function* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", "", 0, nullptr, 0, {}};
  if (report == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= report->functions.size()) return EVNAME_OUT_OF_RANGE;
  const InstructionReport::Function& from = report->functions[index];
  *out = {from.name.c_str(),
          from.dso.c_str(),
          from.build_id.c_str(),
          from.all,
          from.samples.data(),
          from.samples.size(),
          {}};
  return EVNAME_OK;
}

int evname_instructions_new(const evname_instruction_report* report, size_t function,
                            uint32_t flags, evname_instructions** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {report, out}, [&]() -> evname::Result<void> {
    if (auto good = check_flags(flags, EVNAME_INSTRUCTIONS_ATT); !good) return good;
    if (function >= report->functions.size())
      return evname::fail(evname::Errc::out_of_range, "the report has no such function");
    const InstructionReport::Function& of = report->functions[function];
    using Syntax = InstructionReport::Syntax;
    const Syntax syntax = flags == EVNAME_INSTRUCTIONS_ATT ? Syntax::att : Syntax::intel;
    *out = new evname_instructions{report->symbols, of.dso, report->report.code(of, syntax)};
    return {};
  });
}

void evname_instructions_free(evname_instructions* instructions) { delete instructions; }

size_t evname_instructions_count(const evname_instructions* instructions) {
  return instructions == nullptr ? 0 : instructions->code.instructions.size();
}

int evname_instructions_at(const evname_instructions* instructions, size_t index,
                           evname_instruction* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->text = out->symbol = "";
  if (instructions == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= instructions->code.instructions.size()) return EVNAME_OUT_OF_RANGE;
  const InstructionReport::Instruction& from = instructions->code.instructions[index];
  *out = {from.address,
          from.bytes.empty() ? nullptr : from.bytes.data(),
          from.bytes.size(),
          from.text.c_str(),
          from.symbol.c_str(),
          from.target.value_or(0),
          std::uint64_t{flag_if(from.is_jump, EVNAME_INSTRUCTION_JUMP) |
                        flag_if(from.is_call, EVNAME_INSTRUCTION_CALL) |
                        flag_if(from.target.has_value(), EVNAME_INSTRUCTION_TARGET)},
          from.samples.data(),
          from.samples.size(),
          {}};
  return EVNAME_OK;
}

int evname_instructions_frames(const evname_instructions* instructions, size_t index,
                               evname_frames* frames, evname_error* error) {
  const int status = guarded(error, {instructions, frames}, [&]() -> evname::Result<void> {
    if (index >= instructions->code.instructions.size())
      return evname::fail(evname::Errc::out_of_range, "there is no such instruction");
    frames->clear();
    const InstructionReport::Instruction& of = instructions->code.instructions[index];
    frames->add({.dso = instructions->dso, .frames = of.frames}, {of.address, false});
    return {};
  });
  if (status != EVNAME_OK && frames != nullptr) frames->clear();
  return status;
}

uint64_t evname_instructions_outside(const evname_instructions* instructions, size_t event) {
  if (instructions == nullptr || event >= instructions->code.outside.size()) return 0;
  return instructions->code.outside[event];
}

const char* evname_instructions_problem(const evname_instructions* instructions) {
  return instructions == nullptr ? "" : instructions->code.problem.c_str();
}
