// The seeds of targets that read text.

#include <initializer_list>
#include <limits>
#include <string>

#include "fuzz/seed_writer.hpp"
#include "support/bytes_out.hpp"
#include "support/jitdump.hpp"
#include "support/zip_file.hpp"

namespace evname::fuzz {
namespace {

using namespace std::string_literals;

/// The content of files, each but the last ended by a NUL.
std::string pieces(std::initializer_list<std::string_view> contents) {
  std::string out;
  for (const std::string_view content : contents) out.append(content) += '\0';
  out.pop_back();
  return out;
}

void write_events(SeedWriter& write) {
  for (const char* text :
       {"cycles:u",
        "{mem_load_retired.l3_miss,cpu/event=0xd1,umask=0x20/pp}:S",
        "r1a8",
        "mem:0x1000/4:rw",
        "L1-dcache-load-misses",
        "sched:sched_switch",
        "cpu/r20d1,name=label,period=7/",
        "4:0x20d1",
        "unc_cha_clockticks",
        "cpu_core/cycles/,cpu_atom/cycles/",
        "config=1",
        "cycles:ukhGHIppPSDWeb",
        "cycles:uu",
        "{cycles,instructions}:u,dummy",
        "cycles:z",
        ":u",
        "cpu/cycles/ukx",
        "'inst_ret*'",
        "'cycles",
        "mem:0x1000/8:rwx",
        "mem:0x10:rr",
        "mem:x",
        "mem:/",
        "mem:0x1/99999999999999999999",
        "cpu/@driver=value/",
        "cpu/@=/",
        "cpu/config=99999999999999999999/",
        "99999999999999999999",
        "0:",
        "0:x",
        "cpu/",
        "cpu/a=/",
        "cpu/a=config/",
        "cpu/=1/",
        "cpu/1=2/",
        "cpu/r0x1a8/",
        "cpu/config=r1/",
        "cpu/a b/",
        "{cycles",
        "{}",
        "cycles,,cycles",
        "cycles}",
        "cpu/branch_type=any,call/",
        "cpu/branch_type=zz/",
        "cpu/branch_type=no,ratio-to-prev=2.0/",
        "cpu/ratio-to-prev=x/",
        "cpu/period=zz/",
        "cpu/cycles,name/",
        "cpu/config3=1,percore=9,driver-config/",
        "cpu/cycles,call-graph=fp,stack-size=8,no-inherit,overwrite,max-stack=3,max-events=1,"
        "aux-output,aux-action=pause,percore,metric-id=3/",
        "cpu/legacy-cache-config=0x10102/",
        "cpu/legacy-cache-config=0x999999/",
        "LLC-load-misses",
        "dTLB-loads",
        "L1-icache-prefetch-misses",
        "L1-dcache-",
        "L1-icache-stores",
        "branch-loads",
        "cache-misses",
        "cpu-clock",
        "duration_time",
        "dummy",
        "sched:*",
        "sched:",
        "1:2,3:0x10102",
        "0:0,1:0,3:0,4:0x3c",
        "cpu*/cycles/",
        "software/cpu-clock/",
        "cycles: u",
        "{cycles:D,r3c}:W{",
        "{cycles}:z",
        "name{cycles,cycles}",
        "r123456789abcdef01",
        "cpu//",
        "cpu/event=0x3c/x/"})
    for (char machine = 0; machine < 4; ++machine) write("syntax", machine + std::string(text));
  // One for each layout of codes, and wrong ones.
  for (const char* text : {"skx::MEM_LOAD_RETIRED:L3_MISS:u",
                           "skx::OFFCORE_RESPONSE_0:SNP_ANY",
                           "skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=0x40:precise=2:period=100",
                           "skx::FRONTEND_RETIRED:LATENCY_GE_4:fe_thres=4",
                           "skl::UOPS_ISSUED:0x1:c=1:i=1:freq=99",
                           "nhm_unc::UNC_QMC_WRITES:FULL_ANY:e=1:c=1:o=1",
                           "skx_unc_cha0::UNC_C_TOR_INSERTS:IA_MISS:loc=1:isoc",
                           "snbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_ALL:nf=3:tf=1:cf=2",
                           "snbep_unc_pcu::UNC_P_FREQ_BAND0_CYCLES:ff=20",
                           "snbep_unc_ha::UNC_H_ADDR_OPC_MATCH:FILT:addr=0x1234",
                           "skx_unc_upi0::UNC_UPI_TXL_BASIC_HDR_MATCH:NCB:dnid=1:rcsnid=2",
                           "netburst::replay_event:L1_LD_MISS:NBOGUS:e:cmpl:thr=3:u",
                           "amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS:MULT_FLOPS:h",
                           "amd64_fam10h_barcelona::IBSFETCH:RANDEN",
                           "amd64_fam19h_zen3_l3::UNC_L3_REQUESTS:0xff",
                           "arm_n1::L1D_CACHE_REFILL:hv:k=0",
                           "tx2_dmc0::UNC_DMC_READS",
                           "power_torrent::PM_PBUS_MCD_PROBE_RSP:type=1",
                           "mips_74k::CYCLES:u:s:e=n:k=f",
                           "perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS:excl:mg:mh:pinned:cpu=1",
                           "r1a8",
                           "power_rapl::RAPL_ENERGY_PKG",
                           "skx::MEM_LOAD_RETIRED:",
                           "skx::MEM_LOAD_RETIRED:L3_MISS=1:u=2",
                           "::",
                           "a b"})
    write("pfm4", text);
}

void write_machines(SeedWriter& write) {
  for (const char* unlike : {"1", ""})
    write("sysfs", pieces({"4", "0-3", "alias", "id", "skl", "config:0-7", "config:8-15",
                           "config1:0-7,32-35", "event=0x3c", "event=1,umask=?,long", "1e-3", "MB",
                           unlike, "0", unlike, unlike, "cpu/plain,long=3/"}));
  write("sysfs",
        pieces({"x", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "cycles"}));
  write("sysfs", pieces({"4", "", "", "", "", "none", "config9:1", "config:1-0", "event=1", "",
                         "+0x1p3", "", "", "", "0", "", "plain"}));
  write("sysfs", pieces({"4", "", "", "", "", "", "", "", "event=1", "", "zero", "", "", "", "", "",
                         "plain"}));
  for (const char* cpuinfo :
       {"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n",
        "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: 0xd0c\nCPU "
        "revision\t: 1\n",
        "CPU architecture: 7\n", "revision\t: 2.2 (pvr 004e 1202)\n",
        "vendor_id       : IBM/S390\n",
        "isa\t\t: rv64imafdc\nmvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\nmimpid\t: 0x2\n",
        "isa\t\t: rv64\n", "Model Name\t\t: Loongson-3A5000\n", ""})
    for (const char* online : {"0-3", "3,1", ""})
      write(
          "host",
          pieces({cpuinfo, *cpuinfo == 'v' ? "Manufacturer: IBM\nType: 3906\nModel: 704 M03\n" : "",
                  "VM: z/VM\nCPU-MF: Counter facility: version=3.6 authorization=002f\n",
                  "none /sys/fs/cgroup cgroup2 rw 0 0\nx /proc cgroup rw,perf_event 0 0\n",
                  "drm-driver:\ti915\ndrm-engine-render:\t9 ns\ndrm-total-system0:\t4 KiB\n",
                  online, online, *cpuinfo == 'C' ? "0x00000000410fd0c0" : "", "0", "1", "2", "0-1",
                  "a b", "1", "Tctl", "900", "316", online, "sched:sched_switch"}));
  for (const char* name :
       {"skylakex", "skylak", "GenuineIntel,6,85,4", "AuthenticAMD-25-61-2", "GenuineIntel-19-1-0",
        "0x00000000414fd0c1", "0x00000000410fd0c0,$Revision", "IBM,3906,704,M03,3.6,002f",
        "78,4610", "0x004e1202", "0x489-0x8000000000000007-0x20181004", "armv8_cortex_a72",
        "alderlake_hybrid", "arm/neoverse-n1", "zen4", ""})
    for (const char* pattern :
         {"GenuineIntel-6-(55|6A)-[01234]", "^IBM.3906.*[13]\\.[1-5].[[:xdigit:]]+$",
          "0x00000000410fd0c0", "(a|b)*c+d?e{2,3}|[^x-z].", "a|b\\-{1}[[:foo:]]",
          "alderlake_hybrid", "armv8_neoverse_n1", "skylakex", "GenuineIntel-6-[[:xdigit:]]+-[0-",
          "(((a"})
      write("cpuid", pieces({name, pattern}));
  for (const char* glob :
       {"*l3_m?ss", "[!a-z[:digit:]]*", "[]a]", "[^]-z]x", "[[.a.]-[=c=]]", "[[.ab.]]", "[[:foo:]]",
        "[[:alpha:]", "[a", "[a-", "\\[a\\", "[\\]]*", "**a*[b", ""})
    for (const char* text : {"mem_load_retired.l3_miss", "a", "[a", "]", ""})
      write("glob", pieces({glob, text}));
}

void write_metrics(SeedWriter& write) {
  for (const char* text :
       {"100 * (a / 4 if #SMT_on else b) - -1.5e-3 % 2",
        "min(a, max(b, d_ratio(1, 0))) < 2 > 1",
        "cpu@event\\=0x3c\\,cmask\\=?@ / source_count(uncore_imc@cas@) | a & b ^ NaN",
        "a if strcmp_cpuid_str(0x41) else b if has_event(dash\\-event) else #num_cpus",
        "#num_cpu",
        "1e999",
        "a $ b",
        "a \x01 b",
        "a b",
        "(a",
        "min(a b)",
        "has_event(1)",
        "1 +",
        "#none + 1",
        "0 * a + b * 0 + 1 * c + d / 1 + 0",
        "a if 1 else b",
        "a if 0 else b",
        "a if b else a",
        "2 * 3 % 0",
        "a - (b - c) / (d / e)",
        "-a * -(b + 1)",
        "#SMT_on if #core_wide < 1 else #system_tsc_freq"})
    for (const double value : {0.0, 3.0, std::numeric_limits<double>::quiet_NaN()})
      write("metric", std::string(reinterpret_cast<const char*>(&value), sizeof value) + text);
  for (
      const char* text :
      {"# started\n\n0.90,msec,task-clock,904310,100.00,0.008,CPUs utilized\n,,,,,1.5,M/sec\n",
       "     1.5,CPU0,7,,inst_retired.any,9,50.00,,\n     1.5,CPU1,<not "
       "counted>,,cycles,0,0.00,,\n",
       "S0-D0-C1;2;1e3;ns;duration_time;0.50%;9;100.00;;\n12;;cpu/event=0x3c,cmask=1/"
       "u;a.slice;9;1\n",
       R"({"interval" : 1.5, "core" : "S0", "counter-value" : "1.5", "unit" : "", "event" : "r1"})",
       " Performance counter stats for 'true':\n\n          0.44 msec task-clock:u     #  0.6 "
       "CPUs utilized\n   <not supported>      cycles:u\n       1,234      "
       "instructions:u   (50.00%)\n\n       0.000741 seconds time elapsed\n\n       0.000798 "
       "seconds user\n",
       "#           time             counts unit events\n     1.001  CPU0   2,345  "
       "inst_retired.any "
       "[cpu]  # 1.0 per\n     2.002  CPU0   45  cycles\n",
       "{\"event\":\"cycles\",\"counter-value\":12,\"unit\":\"\",\"nested\":{\"a\":[1,2]},\"cpu\":"
       "\"1\","
       "\"cgroup\":\"a\",\"x\":-1,\"y\":5000000000,\"z\":-5000000000,\"d\":1.5,\"n\":null,\"t\":"
       "true}\n{bad\n",
       "CPU0,1,,cpu_core/cycles/,1,100,,\nCPU0,2,,cpu_atom/cycles/"
       ",1,100,,\n5,,inst_retired.any:u,1,100,,\n"
       "7,,CYCLES,1,100,,\n8,,r3c,1,100,,\n"})
    write("counts", text);
}

void write_trees(SeedWriter& write) {
  const std::string heading = "Family-model,Version,Filename,EventType,Core Type,Native,Role\n";
  const std::string topic =
      R"([{"EventName":"A.B","EventCode":"0x3c,0x3d","UMask":"0x1","CounterMask":"1",
      "Invert":"1","SampleAfterValue":"2000003","BriefDescription":"text \u00e9","MSRIndex":"0x1a6",
      "MSRValue":"0x1","Unit":"CHA"},{"ArchStdEvent":"STD"},{"MetricName":"m","MetricExpr":"A / B"}])";
  write("topic", topic);
  write("topic", R"([{"EventName":"C","EventCode":"1","Counter":"0,1,Fixed counter 2","PEBS":"2",
      "Deprecated":"1","PerPkg":"1","ScaleUnit":"64Bytes","Filter":"fc=1","Errata":"E1",
      "PublicDescription":"long","ConfigCode":"0x5","AnyThread":"1","EdgeDetect":"1","Data_LA":"1",
      "PortMask":"0x1","FCMask":"0x7","ExtSel":"1","UMaskExt":"0x2","CounterType":"PGMABLE",
      "nested":[1,{"a":null}]},
      {"MetricName":"n","MetricExpr":"C","MetricGroup":"g;h","MetricThreshold":"n > 1",
      "ScaleUnit":"1%","MetricConstraint":"NO_GROUP_EVENTS","Compat":"v1|v2","AggregationMode":"PerCore",
      "DefaultMetricgroupName":"g","MetricgroupNoGroup":"g"}])");
  write("topic", R"({"group":"About it.","other":"More."})");
  write(
      "topic",
      R"({"Header":{"a":[1]},"Events":[{"EventName":"D","EventCode":"0x","UMask":"0xfffff","Counter":"x",
      "CountersNumGeneric":"8","CountersNumFixed":"99"},{"Unit":"core","CountersNumGeneric":"4","CountersNumFixed":"3"},
      {"EventName":"E","EventCode":"2","MSRIndex":"0x3f6","MSRValue":"0x3","Counter":"Fixed counter 1","UMask":"0","Errata":"x",
       "Data_LA":"1","PEBS":"1","BriefDescription":"b.","PublicDescription":"p. "},
      {"EventName":"F","EventCode":"3","MSRIndex":"0x999","Counter":"FIXED","MetricName":"o","MetricExpr":"1 +"},
      {"EventName":"G","EventCode":"4","MSRIndex":"0x1a6","MSRValue":"07","FCMask":"1","PortMask":"1","Counter":"40,1",
       "Unit":"cpu_core","Filter":"umask=0x1,x=zz,","RetirementLatencyMean":"5.5","RetirementLatencyMin":"1"},
      {"ArchStdEvent":"NOT"},{"MetricName":"p"},{"ArchStdEvent":"STD","MetricName":"q","MetricExpr":"a"},
      {"MetricName":"r","MetricExpr":"a","MetricThreshold":"s > 1","MetricConstraint":"ZZ","AggregationMode":"ZZ"},
      {"EventNam":"typo","Invert":"2","EventCode":"0x123456789abcdef01"},{"EventName":"I","ConfigCode":"zz","Counter":"1,99"},
      {"EventName":"inst_retired.any","EventCode":"0"},{"EventName":true,"EventCode":false,"x":null,"y":1.5e3}]})");
  write(
      "topic",
      R"({"events":{"J":{"EventCode":"1","nested":{}},"K":{"EventCode":"2"}},"metrics":{"a":{}}})");
  write("topic",
        R"json({"Header":{},"Metrics":[{"MetricName":"A","LegacyName":"metric_A(%)","Level":2,
    "ParentCategory":"B","BriefDescription":"One. Two.","UnitOfMeasure":"percent",
    "Events":[{"Name":"X.Y:c1:e1:SUP","Alias":"a"},{"Name":"UNC_CHA_Z:one_unit","Alias":"b"}],
    "Constants":[{"Name":"HYPERTHREADING_ON","Alias":"s"},{"Name":"20","Alias":"w"},
      {"Name":"CHAS_PER_SOCKET","Alias":"c"},{"Name":"SYSTEM_TSC_FREQ","Alias":"t"}],
    "Formula":"100 * ( a[0] / c if s else min( b , w ) )","Category":"TMA","CountDomain":"Slots",
    "Threshold":{"ThresholdMetrics":[{"Alias":"a","Value":"metric_A(%)"}],"Formula":"a > = 5 && a < 9"},
    "MetricGroup":"G","LocateWith":"X.Y;#NA"},
    {"MetricName":"A","Formula":"b","Threshold":{"Formula":"metric_A(%) > 0.5 || #NA > 1"}},
    {"MetricName":"C","BaseFormula":"c.d:u0x80 + C"}]})json");
  write("topic",
        R"({"events":{"E":{"code":"0x1"}},"metrics":{"m":{"formula":"100 * E","description":"d",
    "units":"percent of slots","sample_events":["E"]},"n":{"formula":"m"}},
    "groups":{"metrics":{"G":{"title":"t","description":"d","metrics":["n"]}}},
    "methodologies":{"x":{"decision_tree":{"root_nodes":["m"],"metrics":[
      {"name":"m","next_items":["G","n"]},{"name":"n","next_items":["m"]}]}}}})");
  write("topic", R"({"Platform":{"Model":"1"},"Data":{"E":{"MIN":0,"MAX":8,"MEAN":6.11}}})");
  write("topic", "[{\"EventName\":\"\0\"}]"s);
  write("topic", "[{\"EventName\":\"\xf0");  // ends within a character
  const std::string mapfile = heading +
                              "# comment\nGenuineIntel-6-(55|6A)-[01234],v1,\"sky,lakex\",core\n"
                              "0x00000000410fd0c0,v1,n1,core\n";
  write("mapfile", mapfile);
  write("mapfile", heading +
                       "IBM.*3906.*,3,\"a\"\"b\",core\r\nGenuineIntel-6-8f,v1,x,core\n"
                       "GenuineIntel-6-8f,v1,x,core\n spaced ,v1,x,core\n(,v1,x,core\nfew,v1\n"
                       "0x00000000410fd0c0,v1,n1,core\n0x00000000411fd0c1,v1,n1,core\n");
  const std::string cpuid = "GenuineIntel-6-FE-3", midr = "0x00000000410fd8b0";
  write("tree", '\0' + pieces({heading + "GenuineIntel-6-FE,v1,m,core\n", "m,Somebody 1\n",
                               R"([{"EventName":"STD","EventCode":"0x1"}])", topic,
                               R"([{"MetricName":"m","MetricExpr":"a.b"}])", topic,
                               heading + midr + ",v1,n/a,core\n",
                               R"([{"ArchStdEvent":"BR_MIS_PRED"}])", "[]", cpuid}));
  for (const char* known : {"GenuineIntel-6-55-4", "AuthenticAMD-1-1-1", "IBM,1", "nothing"})
    write("tree",
          '\0' + pieces({heading +
                             "GenuineIntel-6-5.,v2,skylakex,core\nGenuineIntel-6-55-4,v1,m,core\n",
                         "", "", topic, "", "", "", "", "", known}));
  const std::string events =
      R"({"Header":{"Version":"1"},"Events":[{"EventName":"A","EventCode":"0x3c","UMask":"1","Filter":"na"},
      {"EventName":"UNC_MC0_X_FREERUN","Unit":"imc","Counter":"FREERUN"},{"EventName":"B","Unit":"NCU",
      "EventCode":"1","Counter":"FIXED"},{"EventName":"C","CounterType":"FREERUN","Filter":"CHAFilter0[26:17]"}]})";
  write("tree",
        '\1' + pieces({heading +
                           "GenuineIntel-6-FE,V1.20,/XYZ/events/xyz_core.json,core,,,\n"
                           "GenuineIntel-6-FE,V1,/XYZ/events/xyz_uncore.json,uncore,,,\n"
                           "GenuineIntel-6-FD,V1,/XYZ/events/xyz_core.json,hybridcore,0x20,1,Atom\n"
                           "GenuineIntel-6-FC,V1,/XYZ/metrics/xyz_metrics.json,metrics,,,\n"
                           "GenuineIntel-6-FE,V1,/../up.json,core,,,\n",
                       events, events, "{}", cpuid}));
  const std::string data =
      R"({"timestamp":"Thu Feb  8 21:07:03 2024","cpuid":"0x41c0f","cpu":"Cortex-A15","architecture":"armv7-a",
      "events":[{"code":1,"name":"L1I_CACHE_REFILL"},{"code":64,"description":"x"},{"description":"y"}]})";
  const std::string telemetry =
      R"({"document":{"timestamp":"09 Sep 13:13:32 2025"},"product_configuration":{"product_name":"C1-Pro",
      "part_num":"0xd8b","major_revision":"1","minor_revision":"0","implementer":"0x41","architecture":"armv9.3"},
      "events":{"SW_INCR":{"code":"0x0000","accesses":["PMU"]},"NEW":{"code":"0x4001"}}})";
  write("tree", '\5' + pieces({R"([{"EventName":"cycles","LegacyConfigCode":"0"}])", cpuid}));
  write("tree", '\2' + pieces({"{}", data, data, "0x00000000410fc0f0"}));
  write("tree", '\3' + pieces({telemetry, telemetry, midr}));
  for (const std::string_view known :
       {std::string_view(cpuid), std::string_view("GenuineIntel-6-55-4")})
    write("tree", '\4' + pieces({topic, R"({"g":"About it."})", known}));
  write("tree", '\4' + pieces({R"([{"EventName":"A","EventCode":"zz"}])", "", cpuid}));
  write("tree", '\4' + pieces({"", "", cpuid}));
  const std::string conditions = "PMU,CPUID,Models,";
  write(
      "tree",
      '\6' +
          pieces({conditions + "Kind,Type,Format,Source\n"
                               "cpu|cpu_*,Genuine*,m,core,4,\"a=config:0-7,32 b=config1:8\",s\n"
                               "uncore_*,,,uncore,,a=config:7-0,s\n",
                  conditions + "Event,Terms,Scale,Unit,Source\ncpu,,,slots,a=1,2,MiB,s\n",
                  conditions + "Generic,Fixed,One thread,Paired "
                               "event,Source\ncpu,,,4,3,8,0x3,s\nmsr,,,each,,,,s\n",
                  "CPUID,Models,cycles,instructions,cache-references,cache-misses,branches,"
                  "branch-misses,bus-cycles,stalled-cycles-frontend,stalled-cycles-backend,"
                  "ref-cycles,Source\n,m,0x3c,1|2,,,,,,,,x,s\n",
                  "Model,CPUID,Short names,Code names,PMU names,Source\nm,,n|o,p,q,s\n,G*,,R,,s\n",
                  topic, "Products,Model,CPUID,Note,Source\ni9[0-9]+k?,m,,,s\nold,,,none,s\n",
                  "PMU,Event,Description,Source\ncpu*,s*|t,Slots,s\n", cpuid}));
}

void write_formats(SeedWriter& write) {
  const std::string format =
      "name: sched_switch\nID: 316\nformat:\n\tfield:unsigned short "
      "common_type;\toffset:0;\tsize:2;"
      "\tsigned:0;\n\n\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t "
      "pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:__data_loc char[] name;\toffset:28;\tsize:4;"
      "\tsigned:0;\n\tfield:__rel_loc u8[] more;\toffset:32;\tsize:4;\tsigned:0;\n\tfield:void * "
      "at;\toffset:36;\tsize:8;\tsigned:0;\n\tfield:u16 list[2];\toffset:44;\tsize:4;\tsigned:0;\n"
      "\tfield:u8 host[28];\toffset:8;\tsize:28;\tsigned:0;\n\nprint fmt: ";
  const std::string prints[] = {
      R"("")",
      R"("%s pid=%-5d %08llx %c%%", REC->prev_comm, REC->pid, (unsigned long long)REC->at, 'a')",
      R"("%s %s", __print_flags(REC->pid & ((1U << 4) - 1), "|", { 0x1, "A" }, { 2, "B" }), __get_str(name))",
      R"("%s%p", REC->pid > 3 || !REC->pid ? __print_symbolic(REC->list[1], { -1, "x" }) : "\\n", REC->at)",
      R"("%ps %pI4 %pI6c %pISpc %s", REC->at, REC->host, REC->host, REC->host, __print_symbolic(REC->pid, { NAME, "n" }, { -1, 0 }))",
      R"("%lu %hx", ((REC->pid + 010) * 3 / 2 % 5 ^ ~REC->list[0]) >> 1 << 2, (u16)(REC->pid - 1 <= 2 && REC->pid != 4))"};
  for (const std::string& print : prints)
    for (const std::endian order : {std::endian::little, std::endian::big})
      write("trace", pieces({format + print + "\n", test::BytesOut(order)
                                                        .u64(1)
                                                        .raw("swapper/0=;\n\"\\=\0")
                                                        .pad(4)
                                                        .u32(7)
                                                        .u32(3 << 16 | 48)
                                                        .u32(2 << 16 | 8)
                                                        .u64(0x1234)
                                                        .u16(1)
                                                        .u16(2)
                                                        .raw("abcdef")
                                                        .str()}));
}

void write_symbols(SeedWriter& write) {
  write("plain_symbols", '\0' +
                             "ffffffff81000000 T _text\nffffffff81000010 t local\n"
                             "ffffffff81000010 W weak\nffffffff81000020 a none\n"
                             "ffffffff81000050 t $x\nffffffff81000070 d data\n"
                             "ffffffffc0000000 t read_it\t[module]\n"s);
  write("plain_symbols",
        "\1"
        "1000 10 one\n1010 8 name with; blanks\nzz 8 none\n0x1020\t0X8\ttabs\n"
        "ffffffffffffffff 8 ends nowhere\n1030 4 last\n");
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const test::Jitdump::Line lines[] = {{0x1000, 7, "a.js"}, {0x1004, 8, "\xff"}};
    const std::string dump = test::Jitdump(0, order)
                                 .lines(0x1000, lines)
                                 .unwinding("table of first", "header")
                                 .load(3, "first", 0x1000, 8, 1)
                                 .load(4, "second", 0x1000, 8, 2)
                                 .move(5, 0x1000, 0x2000, 8, 1)
                                 .close(6)
                                 .str();
    write("plain_symbols", "\2" + dump);
  }
  write("plain_symbols", "\3" + test::BytesOut(std::endian::native)
                                    .u32(4)
                                    .u32(4)
                                    .u32(1)
                                    .raw("GNU\0wxyz"s)
                                    .u32(4)
                                    .u32(4)
                                    .u32(3)
                                    .raw("GNU\0abcd"s)
                                    .str());
  for (const char* name : {"_ZN4room3BoxIiE4moreEi", "_ZN4core3fmt5write17h0123456789abcdefE",
                           "_RNvCs1_5crate4main", "_GLOBAL__sub_I_x", "main"})
    write("plain_symbols", '\4' + std::string(name));
}

/// Archives with numbers of 32 bits, and with the records that large archives need.
void write_archives(SeedWriter& write) {
  for (const bool is_wide : {false, true})
    for (const std::uint16_t method : {0, 8}) write("zip", test::zip_file({method, is_wide}));
}

}  // namespace

void write_text_seeds(SeedWriter& write) {
  write_archives(write);
  write_events(write);
  write_machines(write);
  write_metrics(write);
  write_trees(write);
  write_formats(write);
  write_symbols(write);
}

}  // namespace evname::fuzz
