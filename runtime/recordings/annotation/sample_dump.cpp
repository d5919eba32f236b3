#include <algorithm>
#include <vector>

#include "evname/decoded.hpp"
#include "recordings/annotation/record_dump.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::annotation {
namespace {

using namespace perf_format;

// The formats follow dump_sample and its callees in tools/perf/util/session.c; the marks are
// PERF_CONTEXT_* of include/uapi/linux/perf_event.h.

constexpr std::uint64_t kUserMark = -512, kDeferredMark = -640;

struct Mark {
  std::uint64_t word;
  const char* name;
};
constexpr Mark kMarks[] = {{std::uint64_t{0} - 32, "HV"},
                           {std::uint64_t{0} - 128, "KERNEL"},
                           {kUserMark, "USER"},
                           {kDeferredMark, "USER_DEFERRED"},
                           {std::uint64_t{0} - 2048, "GUEST"},
                           {std::uint64_t{0} - 2176, "GUEST_KERNEL"},
                           {std::uint64_t{0} - 2560, "GUEST_USER"}};

void write_word(std::uint64_t index, std::uint64_t word, Output& out) {
  out.text("..... ");
  out.decimal(index, 2);
  out.text(": ");
  out.hex_zeros(word, 16);
}

/// The branch stack of a CPU that records calls is a callchain: where the innermost function is,
/// and the calls.
std::vector<std::uint64_t> calls_of(const SampleWords& branches) {
  std::vector<std::uint64_t> calls;
  for (std::size_t i = 0; i + 2 < branches.size(); i += 3) {
    if (i == 0) calls.push_back(branches[1]);
    calls.push_back(branches[i]);
  }
  return calls;
}

void write_words(const std::vector<std::uint64_t>& words, Output& out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    write_word(i, words[i], out);
    out.put('\n');
  }
}

/// The callchain of the kernel and, in place of user space's, the CPU's calls.
void dump_recorded_calls(const Sample& sample, Output& out) {
  std::vector<std::uint64_t> words;
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    words.push_back(chain[i]);
    if (chain[i] != kUserMark) continue;
    const auto calls = calls_of(sample.branches());
    if (calls.empty()) return;
    words.insert(words.end(), calls.begin(), calls.end());
    out.format("... LBR call chain: nr:{}\n", words.size());
    return write_words(words, out);
  }
}

void dump_branches(const Sample& sample, std::string_view arch, Output& out) {
  constexpr unsigned kReserved = 34;  // the first bit that perf_branch_entry does not name
  const SampleWords words = sample.branches();
  out.format("... branch stack: nr:{}\n", words.size() / 3);
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    const Branch branch(words[i], words[i + 1], words[i + 2]);
    write_word(i / 3, branch.from, out);
    out.format(" -> {:016x} {} cycles {}{}{}{} {:x} {} {}\n", branch.to, branch.cycles,
               branch.mispredicted ? 'M' : ' ', branch.predicted ? 'P' : ' ',
               branch.abort ? 'A' : ' ', branch.in_transaction ? 'T' : ' ',
               words[i + 2] >> kReserved, branch.type_text(arch), branch.speculation_text());
  }
}

void dump_calls(const Sample& sample, Output& out) {
  const std::vector<std::uint64_t> calls = calls_of(sample.branches());
  out.format("... branch callstack: nr:{}\n", sample.branches().size() / 3 + 1);
  write_words(calls, out);
}

void dump_registers(const Sample& sample, RegisterSet set, std::string_view arch, Output& out) {
  constexpr const char* kAbis[] = {"none", "32-bit", "64-bit"};
  const SampleRecord& record = detail::record_of(sample);
  const bool user = set == RegisterSet::user;
  const std::uint64_t abi = user ? record.user_abi : record.interrupt_abi;
  if ((user ? record.user_registers : record.interrupt_registers).empty()) return;
  out.format("... {} regs: mask 0x{:x} ABI {}\n", user ? "user" : "intr",
             user ? record.event->attr.regs_user : record.event->attr.regs_intr,
             abi < std::size(kAbis) ? kAbis[abi] : "unknown");
  write_register_lines(sample, set, arch, out);
}

void dump_stack(const SampleRecord& record, Output& out) {
  const std::size_t at =
      record.stack.data() == nullptr
          ? 0
          : static_cast<std::size_t>(record.stack.data() - record.record.bytes.data()) -
                sizeof(std::uint64_t);
  out.format("... ustack: size {}, offset 0x{:x}\n", record.stack.size(), at);
}

void dump_weight(const SampleRecord& record, Output& out) {
  out.format("... weight: {}", record.weight);
  if (record.event->attr.samples(kSampleWeightStruct))
    out.format(",0x{:x},0x{:x}", record.ins_lat, record.retire_lat);
  out.put('\n');
}

void dump_values(const SampleRecord& record, std::endian order, Output& out) {
  const std::uint64_t format = record.event->attr.read_format;
  const bool is_group = (format & kReadGroup) != 0;
  Cursor in(record.read, order);
  const std::uint64_t first = in.u64();
  out.text("... sample_read:\n");
  if (format & kReadTimeEnabled) out.format("...... time enabled {:016x}\n", in.u64());
  if (format & kReadTimeRunning) out.format("...... time running {:016x}\n", in.u64());
  if (is_group) out.format(".... group nr {}\n", first);
  for (std::uint64_t i = 0; i < (is_group ? first : 1) && in.ok(); ++i) {
    const std::uint64_t value = is_group ? in.u64() : first;
    const std::uint64_t id = format & kReadId ? in.u64() : 0;
    out.format("..... id {:016x}, value {:016x}", id, value);
    if (format & kReadLost) out.format(", lost {}", in.u64());
    out.put('\n');
  }
}

bool is_deferred(const Sample& sample) {
  const SampleWords chain = sample.callchain();
  return chain.size() >= 2 && chain[chain.size() - 2] == kDeferredMark;
}

void dump_page_size(const char* name, std::uint64_t size, Output& out) {
  out.format(" .. {} page size: ", name);
  write_page_size(size, out);
  out.put('\n');
}

}  // namespace

void dump_chain(SampleWords chain, Output& out) {
  out.format("... FP chain: nr:{}\n", chain.size());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    write_word(i, chain[i], out);
    const auto* const mark = std::ranges::find(kMarks, chain[i], &Mark::word);
    if (mark != std::end(kMarks)) out.format(" (PERF_CONTEXT_{})", mark->name);
    out.put('\n');
  }
}

void dump_sample(const Sample& sample, std::string_view arch, std::endian order, Output& out) {
  const SampleRecord& record = detail::record_of(sample);
  const Attr& attr = record.event->attr;
  const bool has_calls = (attr.branch_sample_type & kBranchCallStack) != 0;
  out.format("(IP, 0x{:x}): {}/{}: {} period: {} addr: {}\n", record.record.misc, record.pid,
             record.tid,
             number_text(attr.samples(kSampleIp) || record.event->off_cpu ? record.ip : 0),
             record.period, number_text(attr.samples(kSampleAddr) ? record.addr : 0));
  if (attr.samples(kSampleCallchain)) {
    if (has_calls) dump_recorded_calls(sample, out);
    dump_chain(sample.callchain(), out);
    if (attr.has(kDeferCallchain) && is_deferred(sample)) out.text("...... (deferred)\n");
  }
  if (attr.samples(kSampleBranchStack))
    has_calls ? dump_calls(sample, out) : dump_branches(sample, arch, out);
  if (attr.samples(kSampleRegsUser)) dump_registers(sample, RegisterSet::user, arch, out);
  if (attr.samples(kSampleRegsIntr)) dump_registers(sample, RegisterSet::interrupt, arch, out);
  if (attr.samples(kSampleStackUser)) dump_stack(record, out);
  if ((attr.sample_type & (kSampleWeight | kSampleWeightStruct)) != 0) dump_weight(record, out);
  if (attr.samples(kSampleDataSrc)) out.format(" . data_src: 0x{:x}\n", record.data_src);
  if (attr.samples(kSamplePhysAddr)) out.format(" .. phys_addr: 0x{:x}\n", record.phys_addr);
  if (attr.samples(kSampleDataPageSize)) dump_page_size("data", record.data_page_size, out);
  if (attr.samples(kSampleCodePageSize)) dump_page_size("code", record.code_page_size, out);
  if (attr.samples(kSampleTransaction)) out.format("... transaction: {:x}\n", record.transaction);
  if (attr.samples(kSampleRead)) dump_values(record, order, out);
}

}  // namespace evname::annotation
