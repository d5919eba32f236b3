#include "annotation/branches.hpp"

namespace evname {
namespace {

// struct perf_branch_entry and PERF_BR_* of include/uapi/linux/perf_event.h.
struct Branch {
  std::uint64_t from, to, flags;

  bool mispredicted() const { return flags & 1; }
  bool predicted() const { return flags & 2; }
  bool in_tx() const { return flags & 4; }
  bool abort() const { return flags & 8; }
  std::uint64_t cycles() const { return flags >> 4 & 0xffff; }
  std::string_view type() const {
    constexpr std::string_view kTypes[16] = {
        "",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
        "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", ""};
    return kTypes[flags >> 20 & 15];
  }
};

template <class Each>
void for_each_branch(const Sample& sample, Each&& each) {
  const SampleWords words = sample.branches();
  for (std::size_t i = 0; i + 2 < words.size(); i += 3)
    each(Branch{words[i], words[i + 1], words[i + 2]});
}

void write_text(const Branch& branch, Output& out) {
  out.text("0x");
  out.hex(branch.from);
  out.text("/0x");
  out.hex(branch.to);
  const char flags[] = {branch.predicted()      ? 'P'
                        : branch.mispredicted() ? 'M'
                                                : '-',
                        branch.in_tx() ? 'X' : '-', branch.abort() ? 'A' : '-'};
  for (const char flag : flags) {
    out.put('/');
    out.put(flag);
  }
  out.put('/');
  out.decimal(branch.cycles());
  out.put('/');
  out.text(branch.type());
}

void write_json(const Branch& branch, Output& out) {
  out.text("{\"from\":\"0x");
  out.hex(branch.from);
  out.text("\",\"to\":\"0x");
  out.hex(branch.to);
  out.text("\",\"predicted\":");
  out.text(branch.predicted() ? "true" : branch.mispredicted() ? "false" : "null");
  out.text(",\"in_tx\":");
  out.text(branch.in_tx() ? "true" : "false");
  out.text(",\"abort\":");
  out.text(branch.abort() ? "true" : "false");
  out.text(",\"cycles\":");
  out.decimal(branch.cycles());
  out.text(",\"type\":\"");
  out.text(branch.type());
  out.text("\"}");
}

}  // namespace

void write_branches_text(const Sample& sample, Output& out) {
  for_each_branch(sample, [&](const Branch& branch) {
    out.put(' ');
    write_text(branch, out);
    out.put(' ');
  });
}

void write_branches_value(const Sample& sample, ValueWriter& out) {
  out.begin_list();
  for_each_branch(sample, [&](const Branch& branch) {
    out.next_item();
    out.json() ? write_json(branch, out.out()) : write_text(branch, out.out());
  });
  out.end_list();
}

}  // namespace evname
