#include "perfdata/format/record.hpp"

namespace evname::perfdata {
namespace {

constexpr std::string_view kKernelNames[] = {"",
                                             "MMAP",
                                             "LOST",
                                             "COMM",
                                             "EXIT",
                                             "THROTTLE",
                                             "UNTHROTTLE",
                                             "FORK",
                                             "READ",
                                             "SAMPLE",
                                             "MMAP2",
                                             "AUX",
                                             "ITRACE_START",
                                             "LOST_SAMPLES",
                                             "SWITCH",
                                             "SWITCH_CPU_WIDE",
                                             "NAMESPACES",
                                             "KSYMBOL",
                                             "BPF_EVENT",
                                             "CGROUP",
                                             "TEXT_POKE",
                                             "AUX_OUTPUT_HW_ID",
                                             "CALLCHAIN_DEFERRED"};

constexpr std::string_view kUserNames[] = {
    "ATTR",           "EVENT_TYPE",    "TRACING_DATA",    "BUILD_ID",
    "FINISHED_ROUND", "ID_INDEX",      "AUXTRACE_INFO",   "AUXTRACE",
    "AUXTRACE_ERROR", "THREAD_MAP",    "CPU_MAP",         "STAT_CONFIG",
    "STAT",           "STAT_ROUND",    "EVENT_UPDATE",    "TIME_CONV",
    "FEATURE",        "COMPRESSED",    "FINISHED_INIT",   "COMPRESSED2",
    "BPF_METADATA",   "SCHEDSTAT_CPU", "SCHEDSTAT_DOMAIN"};

}  // namespace

std::string_view record_name(std::uint32_t type) {
  if (type > 0 && type < std::size(kKernelNames)) return kKernelNames[type];
  if (type >= kRecordUserFirst && type - kRecordUserFirst < std::size(kUserNames))
    return kUserNames[type - kRecordUserFirst];
  return "UNKNOWN";
}

}  // namespace evname::perfdata
