#include "info/attr_text.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace evname::tools {
namespace {

using namespace perf_format;

struct BitName {
  std::uint64_t bit;
  std::string_view name;
};
struct FlagName {
  AttrFlag flag;
  std::string_view name;
};

constexpr BitName kSampleBits[] = {{kSampleIp, "IP"},
                                   {kSampleTid, "TID"},
                                   {kSampleTime, "TIME"},
                                   {kSampleAddr, "ADDR"},
                                   {kSampleRead, "READ"},
                                   {kSampleCallchain, "CALLCHAIN"},
                                   {kSampleId, "ID"},
                                   {kSampleCpu, "CPU"},
                                   {kSamplePeriod, "PERIOD"},
                                   {kSampleStreamId, "STREAM_ID"},
                                   {kSampleRaw, "RAW"},
                                   {kSampleBranchStack, "BRANCH_STACK"},
                                   {kSampleRegsUser, "REGS_USER"},
                                   {kSampleStackUser, "STACK_USER"},
                                   {kSampleIdentifier, "IDENTIFIER"},
                                   {kSampleRegsIntr, "REGS_INTR"},
                                   {kSampleDataSrc, "DATA_SRC"},
                                   {kSampleWeight, "WEIGHT"},
                                   {kSampleTransaction, "TRANSACTION"},
                                   {kSamplePhysAddr, "PHYS_ADDR"},
                                   {kSampleAux, "AUX"},
                                   {kSampleCgroup, "CGROUP"},
                                   {kSampleDataPageSize, "DATA_PAGE_SIZE"},
                                   {kSampleCodePageSize, "CODE_PAGE_SIZE"},
                                   {kSampleWeightStruct, "WEIGHT_STRUCT"}};
constexpr BitName kReadBits[] = {{kReadTimeEnabled, "TOTAL_TIME_ENABLED"},
                                 {kReadTimeRunning, "TOTAL_TIME_RUNNING"},
                                 {kReadId, "ID"},
                                 {kReadGroup, "GROUP"},
                                 {kReadLost, "LOST"}};
constexpr BitName kBranchBits[] = {{kBranchUser, "USER"},
                                   {kBranchKernel, "KERNEL"},
                                   {kBranchHv, "HV"},
                                   {kBranchAny, "ANY"},
                                   {kBranchAnyCall, "ANY_CALL"},
                                   {kBranchAnyReturn, "ANY_RETURN"},
                                   {kBranchIndirectCall, "IND_CALL"},
                                   {kBranchAbort, "ABORT_TX"},
                                   {kBranchInTransaction, "IN_TX"},
                                   {kBranchNoTransaction, "NO_TX"},
                                   {kBranchConditional, "COND"},
                                   {kBranchCallStack, "CALL_STACK"},
                                   {kBranchIndirectJump, "IND_JUMP"},
                                   {kBranchCall, "CALL"},
                                   {kBranchNoFlags, "NO_FLAGS"},
                                   {kBranchNoCycles, "NO_CYCLES"},
                                   {kBranchTypeSave, "TYPE_SAVE"},
                                   {kBranchHwIndex, "HW_INDEX"},
                                   {kBranchPrivilege, "PRIV_SAVE"},
                                   {kBranchCounters, "COUNTERS"}};

// precise_ip is two bits, so the second one has no row.
constexpr FlagName kFlags[] = {{kDisabled, "disabled"},
                               {kInherit, "inherit"},
                               {kPinned, "pinned"},
                               {kExclusive, "exclusive"},
                               {kExcludeUser, "exclude_user"},
                               {kExcludeKernel, "exclude_kernel"},
                               {kExcludeHv, "exclude_hv"},
                               {kExcludeIdle, "exclude_idle"},
                               {kMmap, "mmap"},
                               {kComm, "comm"},
                               {kFreq, "freq"},
                               {kInheritStat, "inherit_stat"},
                               {kEnableOnExec, "enable_on_exec"},
                               {kTask, "task"},
                               {kWatermark, "watermark"},
                               {kPreciseIp, "precise_ip"},
                               {kMmapData, "mmap_data"},
                               {kSampleIdAll, "sample_id_all"},
                               {kExcludeHost, "exclude_host"},
                               {kExcludeGuest, "exclude_guest"},
                               {kExcludeCallchainKernel, "exclude_callchain_kernel"},
                               {kExcludeCallchainUser, "exclude_callchain_user"},
                               {kMmap2, "mmap2"},
                               {kCommExec, "comm_exec"},
                               {kUseClockid, "use_clockid"},
                               {kContextSwitch, "context_switch"},
                               {kWriteBackward, "write_backward"},
                               {kNamespaces, "namespaces"},
                               {kKsymbol, "ksymbol"},
                               {kBpfEvent, "bpf_event"},
                               {kAuxOutput, "aux_output"},
                               {kCgroup, "cgroup"},
                               {kTextPoke, "text_poke"},
                               {kBuildIds, "build_id"},
                               {kInheritThread, "inherit_thread"},
                               {kRemoveOnExec, "remove_on_exec"},
                               {kSigtrap, "sigtrap"},
                               {kDeferCallchain, "defer_callchain"},
                               {kDeferOutput, "defer_output"}};

std::string bit_names(std::uint64_t value, std::span<const BitName> names) {
  std::string text;
  for (const auto& [bit, name] : names) {
    if ((value & bit) == 0) continue;
    text += (text.empty() ? "" : "|") + std::string(name);
    value &= ~bit;
  }
  if (value != 0) text += fmt::format("{}{:#x}", text.empty() ? "" : "|", value);
  return text;
}

class Fields {
 public:
  void text(std::string_view name, std::string value) {
    if (!value.empty()) list.push_back({name, name, std::move(value)});
  }
  void number(std::string_view label, std::uint64_t value, std::string_view key = {}) {
    if (value != 0) always(label, value, key);
  }
  void always(std::string_view label, std::uint64_t value, std::string_view key = {}) {
    list.push_back(
        {label, key.empty() ? label : key, fmt::format("{}", value), AttrField::Kind::number});
  }
  void flag(std::string_view name) { list.push_back({name, name, "1", AttrField::Kind::flag}); }
  void hex(std::string_view label, std::uint64_t value, std::string_view key = {}) {
    if (value != 0) list.push_back({label, key.empty() ? label : key, fmt::format("{:#x}", value)});
  }
  std::vector<AttrField> list;
};

}  // namespace

std::vector<AttrField> attr_fields(const Attr& attr) {
  Fields out;
  out.always("type", attr.code.type);
  out.always("size", attr.size);
  out.hex("config", attr.code.config[0]);
  out.number("{ sample_period, sample_freq }", attr.sample_period,
             attr.has(kFreq) ? "sample_freq" : "sample_period");
  out.text("sample_type", bit_names(attr.sample_type, kSampleBits));
  out.text("read_format", bit_names(attr.read_format, kReadBits));
  std::uint64_t unknown = attr.flags & ~(std::uint64_t{1} << (kPreciseIp + 1));
  for (const auto& [flag, name] : kFlags) {
    if (flag == kPreciseIp)
      out.number(name, attr.precise_ip());
    else if (attr.has(flag))
      out.flag(name);
    unknown &= ~(std::uint64_t{1} << flag);
  }
  out.hex("flags not known", unknown, "unknown_flags");
  out.number("{ wakeup_events, wakeup_watermark }", attr.wakeup,
             attr.has(kWatermark) ? "wakeup_watermark" : "wakeup_events");
  out.number("bp_type", attr.bp_type);
  const bool breakpoint = attr.code.type == kTypeBreakpoint;
  out.hex("{ bp_addr, config1 }", attr.code.config[1], breakpoint ? "bp_addr" : "config1");
  out.hex("{ bp_len, config2 }", attr.code.config[2], breakpoint ? "bp_len" : "config2");
  out.text("branch_sample_type", bit_names(attr.branch_sample_type, kBranchBits));
  out.hex("sample_regs_user", attr.regs_user);
  out.number("sample_stack_user", attr.stack_user);
  out.number("clockid", attr.clockid);
  out.hex("sample_regs_intr", attr.regs_intr);
  out.number("aux_watermark", attr.aux_watermark);
  out.number("sample_max_stack", attr.max_stack);
  out.number("aux_sample_size", attr.aux_sample_size);
  out.number("sig_data", attr.sig_data);
  out.hex("config3", attr.code.config[3]);
  out.hex("config4", attr.code.config[4]);
  return std::move(out.list);
}

}  // namespace evname::tools
