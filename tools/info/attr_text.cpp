#include "info/attr_text.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace evname::tools {
namespace {

using perf_format::Attr;

struct BitName {
  int bit;
  std::string_view name;
};

constexpr BitName kSampleBits[] = {{0, "IP"},
                                   {1, "TID"},
                                   {2, "TIME"},
                                   {3, "ADDR"},
                                   {4, "READ"},
                                   {5, "CALLCHAIN"},
                                   {6, "ID"},
                                   {7, "CPU"},
                                   {8, "PERIOD"},
                                   {9, "STREAM_ID"},
                                   {10, "RAW"},
                                   {11, "BRANCH_STACK"},
                                   {12, "REGS_USER"},
                                   {13, "STACK_USER"},
                                   {16, "IDENTIFIER"},
                                   {18, "REGS_INTR"},
                                   {15, "DATA_SRC"},
                                   {14, "WEIGHT"},
                                   {17, "TRANSACTION"},
                                   {19, "PHYS_ADDR"},
                                   {20, "AUX"},
                                   {21, "CGROUP"},
                                   {22, "DATA_PAGE_SIZE"},
                                   {23, "CODE_PAGE_SIZE"},
                                   {24, "WEIGHT_STRUCT"}};
constexpr BitName kReadBits[] = {
    {0, "TOTAL_TIME_ENABLED"}, {1, "TOTAL_TIME_RUNNING"}, {2, "ID"}, {3, "GROUP"}, {4, "LOST"}};
constexpr BitName kBranchBits[] = {
    {0, "USER"},       {1, "KERNEL"},      {2, "HV"},        {3, "ANY"},        {4, "ANY_CALL"},
    {5, "ANY_RETURN"}, {6, "IND_CALL"},    {7, "ABORT_TX"},  {8, "IN_TX"},      {9, "NO_TX"},
    {10, "COND"},      {11, "CALL_STACK"}, {12, "IND_JUMP"}, {13, "CALL"},      {14, "NO_FLAGS"},
    {15, "NO_CYCLES"}, {16, "TYPE_SAVE"},  {17, "HW_INDEX"}, {18, "PRIV_SAVE"}, {19, "COUNTERS"}};

// precise_ip is two bits, so bit 16 has no row.
constexpr BitName kFlags[] = {{0, "disabled"},
                              {1, "inherit"},
                              {2, "pinned"},
                              {3, "exclusive"},
                              {4, "exclude_user"},
                              {5, "exclude_kernel"},
                              {6, "exclude_hv"},
                              {7, "exclude_idle"},
                              {8, "mmap"},
                              {9, "comm"},
                              {10, "freq"},
                              {11, "inherit_stat"},
                              {12, "enable_on_exec"},
                              {13, "task"},
                              {14, "watermark"},
                              {15, "precise_ip"},
                              {17, "mmap_data"},
                              {18, "sample_id_all"},
                              {19, "exclude_host"},
                              {20, "exclude_guest"},
                              {21, "exclude_callchain_kernel"},
                              {22, "exclude_callchain_user"},
                              {23, "mmap2"},
                              {24, "comm_exec"},
                              {25, "use_clockid"},
                              {26, "context_switch"},
                              {27, "write_backward"},
                              {28, "namespaces"},
                              {29, "ksymbol"},
                              {30, "bpf_event"},
                              {31, "aux_output"},
                              {32, "cgroup"},
                              {33, "text_poke"},
                              {34, "build_id"},
                              {35, "inherit_thread"},
                              {36, "remove_on_exec"},
                              {37, "sigtrap"},
                              {38, "defer_callchain"},
                              {39, "defer_output"}};

std::string bit_names(std::uint64_t value, std::span<const BitName> names) {
  std::string text;
  for (const auto& [bit, name] : names) {
    if ((value >> bit & 1) == 0) continue;
    text += (text.empty() ? "" : "|") + std::string(name);
    value &= ~(std::uint64_t{1} << bit);
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

constexpr int kWatermark = 14;  // of Attr::flags

}  // namespace

std::vector<AttrField> attr_fields(const Attr& attr) {
  const auto is_set = [&](int bit) { return (attr.flags >> bit & 1) != 0; };
  Fields out;
  out.always("type", attr.code.type);
  out.always("size", attr.size);
  out.hex("config", attr.code.config[0]);
  out.number("{ sample_period, sample_freq }", attr.sample_period,
             is_set(perf_format::kFreq) ? "sample_freq" : "sample_period");
  out.text("sample_type", bit_names(attr.sample_type, kSampleBits));
  out.text("read_format", bit_names(attr.read_format, kReadBits));
  std::uint64_t unknown = attr.flags & ~(std::uint64_t{1} << 16);
  for (const auto& [bit, name] : kFlags) {
    if (bit == perf_format::kPreciseIp)
      out.number(name, attr.precise_ip());
    else if (is_set(bit))
      out.flag(name);
    unknown &= ~(std::uint64_t{1} << bit);
  }
  out.hex("flags not known", unknown, "unknown_flags");
  out.number("{ wakeup_events, wakeup_watermark }", attr.wakeup,
             is_set(kWatermark) ? "wakeup_watermark" : "wakeup_events");
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
