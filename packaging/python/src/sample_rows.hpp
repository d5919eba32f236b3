#pragma once
// The numbers and lists of samples, which packaging/interface-tables writes.

// clang-format off
// recordings.h: rows
#define EVNAME_SAMPLE_ROWS(ALWAYS, NUMBER, LIST) \
  NUMBER(pid, PID, int32_t, "Process.") \
  NUMBER(tid, TID, int32_t, "Thread.") \
  NUMBER(cpu, CPU, uint32_t, "CPU.") \
  ALWAYS(misc, 0, uint32_t, "Mode of the CPU, as PERF_RECORD_MISC_* bits of the record header.") \
  NUMBER(time, TIME, uint64_t, "Time by the recording's clock, in ns.") \
  ALWAYS(period, 0, uint64_t, "How many of the events it stands for; the event's if the sample has none.") \
  NUMBER(transaction, TRANSACTION, uint64_t, "Flags of a transaction's abort, as PERF_TXN_* bits.") \
  NUMBER(id, ID, uint64_t, "The kernel's id of the event.") \
  NUMBER(addr, ADDR, uint64_t, "Address that the event is about.") \
  NUMBER(data_src, DATA_SRC, uint64_t, "Where data came from, as union perf_mem_data_src.") \
  NUMBER(weight, WEIGHT, uint64_t, "Cost: mostly a latency in cycles.") \
  NUMBER(ins_lat, INS_LAT, uint32_t, "Latency of the instruction, in cycles.") \
  NUMBER(retire_lat, RETIRE_LAT, uint32_t, "Cycles until it retired.") \
  NUMBER(cgroup, CGROUP, uint64_t, "Id of the cgroup.") \
  NUMBER(ip, IP, uint64_t, "Address of the instruction.") \
  NUMBER(phys_addr, PHYS_ADDR, uint64_t, "Physical address.") \
  NUMBER(data_page_size, DATA_PAGE_SIZE, uint64_t, "Page size of the data, in bytes.") \
  NUMBER(code_page_size, CODE_PAGE_SIZE, uint64_t, "Page size of the code, in bytes.") \
  LIST(callchain, CALLCHAIN, uint64_t, "Return addresses, leaf first, with perf's context markers (from UINT64_MAX - 4094 on).") \
  LIST(branches, BRANCHES, uint64_t, "From, to and flags of each branch, newest first.") \
  LIST(branch_counters, BRANCH_COUNTERS, uint64_t, "Counts of the group's events in each branch, by the PMU's caps branch_counter_*.") \
  LIST(user_registers, USER_REGISTERS, uint64_t, "Registers of user space, lowest bit of the event's mask first.") \
  LIST(interrupt_registers, INTERRUPT_REGISTERS, uint64_t, "Registers at the interrupt, lowest bit of the event's mask first.")
// recordings.h: end
// clang-format on
