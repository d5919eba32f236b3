#include "info/features.hpp"

#include <fmt/format.h>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "info/feature_lines.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::tools {
namespace {

using perf_format::Feature;
using perf_format::Features;

void add(Lines& out, std::string_view key, const std::string& value) {
  out.push_back(fmt::format("{} : {}", key, value));
}

/// Writes values of any shape.
class FeatureJson {
 public:
  std::string take() const { return buffer_; }

  void null() { json_.null(); }
  /// Writes a time in ns as seconds with nine decimals.
  void seconds(std::uint64_t ns) { json_.digits(seconds_text(ns)); }
  /// Writes a text, a number, a flag, a list, an object of pairs, or the output of a function.
  template <class T>
  void value(const T& item) {
    if constexpr (std::is_invocable_v<T>)
      item();
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
      json_.text(item);
    else if constexpr (std::is_same_v<T, bool>)
      json_.flag(item);
    else if constexpr (std::is_signed_v<T>)
      json_.integer(item);
    else if constexpr (std::is_unsigned_v<T>)
      json_.number(item);
    else if constexpr (std::is_same_v<T, perf_format::Pairs>)
      pairs(item);
    else
      each(item, [this](const auto& one) { this->value(one); });
  }
  /// Writes an object: object("a", 1, "b", "x").
  template <class... Rest>
  void object(const Rest&... rest) {
    json_.object([&] { members(rest...); });
  }
  template <class List, class Write>
  void each(const List& list, Write write) {
    json_.each(list, write);
  }
  void pairs(const perf_format::Pairs& list) {
    json_.object([&] {
      for (const auto& [name, text] : list) json_.key(name).text(text);
    });
  }

 private:
  void members() {}
  template <class T, class... Rest>
  void members(std::string_view key, const T& item, const Rest&... rest) {
    json_.key(key);
    value(item);
    members(rest...);
  }

  std::string buffer_;
  JsonWriter<std::string> json_{buffer_};
};

/// Puts "\\" before each apostrophe, as perf does.
std::string with_backslashes(std::string_view word) {
  std::string out;
  for (const char letter : word) (letter == '\'' ? out += '\\' : out) += letter;
  return out;
}

template <auto Member>
void plain(const Features& f, FeatureJson& out) {
  out.value(f.*Member);
}

void write_tracing(const Features& f, FeatureJson& out) {
  const perf_format::TracingData& t = f.tracing;
  const auto write_field = [&](const perf_format::TraceField& field) {
    out.object("name", field.name, "type", field.type, "offset", field.offset, "size", field.size,
               "count", field.count, "signed", field.is_signed);
  };
  const auto write_formats = [&] {
    out.each(t.formats, [&](const perf_format::TraceFormat& format) {
      out.object("id", format.id, "name", format.system + ":" + format.name, "fields",
                 [&] { out.each(format.fields, write_field); });
    });
  };
  out.object("version", t.version, "big_endian", t.big_endian, "long_size", t.long_size,
             "page_size", t.page_size, "formats", write_formats);
}

void write_build_ids(const Features& f, FeatureJson& out) {
  out.each(f.build_ids, [&](const perf_format::BuildId& entry) {
    out.object("build_id", hex_text(entry.id), "pid", entry.pid, "file", entry.file);
  });
}

void write_topology(const Features& f, FeatureJson& out) {
  const perf_format::CpuTopology& t = f.topology;
  out.object("packages", t.packages, "threads", t.threads, "dies", t.dies, "cpus", [&] {
    out.each(t.cpus, [&](const perf_format::CpuTopology::Cpu& cpu) {
      out.object("core", cpu.core, "socket", cpu.socket, "die", cpu.die);
    });
  });
}

void write_events(const Features& f, FeatureJson& out) {
  out.each(f.event_desc, [&](const perf_format::EventDesc& event) {
    out.object("name", event.name, "type", event.attr.code.type, "config",
               fmt::format("{:#x}", event.attr.code.config[0]), "ids", event.ids);
  });
}

void write_caps(const Features& f, FeatureJson& out) {
  out.each(f.caps, [&](const perf_format::PmuCaps& caps) {
    out.object("pmu", caps.pmu, "caps", [&] { out.pairs(caps.values); });
  });
}

void write_clock(const Features& f, FeatureJson& out) {
  if (!f.clock) return out.null();
  out.object("version", f.clock->version, "clockid", f.clock->clockid, "wall_clock",
             f.clock->wall_clock, "clock", f.clock->clock);
}

void write_compression(const Features& f, FeatureJson& out) {
  if (!f.compression) return out.null();
  out.object("version", f.compression->version, "type", f.compression->type, "level",
             f.compression->level, "ratio", f.compression->ratio, "mmap_size",
             f.compression->mmap_size);
}

void write_cpu_domains(const Features& f, FeatureJson& out) {
  const auto write_domain = [&](const perf_format::CpuDomains::Domain& domain) {
    out.object("domain", domain.number, "name", domain.name, "cpu_mask", domain.cpu_mask, "cpus",
               domain.cpus);
  };
  out.object(
      "schedstat_version", f.schedstat_version, "most_domains", f.most_cpu_domains, "cpus", [&] {
        out.each(f.cpu_domains, [&](const perf_format::CpuDomains& row) {
          out.object("cpu", row.cpu, "domains", [&] { out.each(row.domains, write_domain); });
        });
      });
}

/// The output of a feature in the recording.
struct FeatureRow {
  Feature feature;
  void (*lines)(const Features& f, Lines& out);       ///< nullptr: it has none
  void (*json)(const Features& f, FeatureJson& out);  ///< nullptr: null
};

// In the order of perf's lines.
constexpr FeatureRow kRows[] = {
    {Feature::hostname, [](const Features& f, Lines& out) { add(out, "hostname", f.hostname); },
     plain<&Features::hostname>},
    {Feature::osrelease,
     [](const Features& f, Lines& out) { add(out, "os release", f.os_release); },
     plain<&Features::os_release>},
    {Feature::version, [](const Features& f, Lines& out) { add(out, "perf version", f.version); },
     plain<&Features::version>},
    {Feature::arch, [](const Features& f, Lines& out) { add(out, "arch", f.arch); },
     plain<&Features::arch>},
    {Feature::nrcpus,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("nrcpus online : {}", f.cpus_online));
       out.push_back(fmt::format("nrcpus avail : {}", f.cpus_available));
     },
     [](const Features& f, FeatureJson& out) {
       out.object("available", f.cpus_available, "online", f.cpus_online);
     }},
    {Feature::cpudesc, [](const Features& f, Lines& out) { add(out, "cpudesc", f.cpu_desc); },
     plain<&Features::cpu_desc>},
    {Feature::cpuid, [](const Features& f, Lines& out) { add(out, "cpuid", f.cpuid); },
     plain<&Features::cpuid>},
    {Feature::total_mem,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("total memory : {} kB", f.total_memory));
     },
     plain<&Features::total_memory>},
    {Feature::cmdline,
     [](const Features& f, Lines& out) {
       std::string line = "cmdline : ";
       for (const std::string& word : f.command_line) line += with_backslashes(word) + " ";
       out.push_back(std::move(line));
     },
     plain<&Features::command_line>},
    {Feature::cpu_topology, topology_lines, write_topology},
    {Feature::numa_topology, numa_lines,
     [](const Features& f, FeatureJson& out) {
       out.each(f.numa, [&](const perf_format::NumaNode& n) {
         out.object("node", n.node, "total_kb", n.total, "free_kb", n.free, "cpus", n.cpus);
       });
     }},
    {Feature::cache, cache_lines,
     [](const Features& f, FeatureJson& out) {
       out.each(f.caches, [&](const perf_format::CacheLevel& c) {
         out.object("level", c.level, "line_size", c.line_size, "sets", c.sets, "ways", c.ways,
                    "type", c.type, "size", c.size, "cpus", c.cpus);
       });
     }},
    {Feature::cpu_domain_info, domain_lines, write_cpu_domains},
    {Feature::pmu_mappings, mapping_lines,
     [](const Features& f, FeatureJson& out) {
       out.each(f.pmu_mappings,
                [&](const auto& row) { out.object("type", row.first, "pmu", row.second); });
     }},
    {Feature::hybrid_topology,
     [](const Features& f, Lines& out) {
       out.push_back("hybrid cpu system:");
       for (const auto& [pmu, cpus] : f.hybrid)
         out.push_back(fmt::format("{} cpu list : {}", pmu, cpus));
     },
     [](const Features& f, FeatureJson& out) { out.pairs(f.hybrid); }},
    {Feature::cpu_pmu_caps, caps_lines, write_caps},
    {Feature::pmu_caps,
     [](const Features& f, Lines& out) {
       if (!f.has(Feature::cpu_pmu_caps)) caps_lines(f, out);
     },
     write_caps},
    {Feature::sample_time, sample_time_lines,
     [](const Features& f, FeatureJson& out) {
       if (!f.sample_time) return out.null();
       out.object(
           "first", [&] { out.seconds((*f.sample_time)[0]); }, "last",
           [&] { out.seconds((*f.sample_time)[1]); });
     }},
    {Feature::clockid,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("clockid frequency: {} MHz",
                                 f.clockid_resolution ? 1000 / f.clockid_resolution : 0));
     },
     plain<&Features::clockid_resolution>},
    {Feature::clock_data, clock_lines, write_clock},
    {Feature::mem_topology, memory_lines,
     [](const Features& f, FeatureJson& out) {
       out.object("block_size", f.memory_block_size, "nodes", [&] {
         out.each(f.memory, [&](const perf_format::MemoryNode& n) {
           out.object("node", n.node, "blocks", block_ranges(n));
         });
       });
     }},
    {Feature::bpf_prog_info, program_lines,
     [](const Features& f, FeatureJson& out) {
       out.each(f.bpf_programs, [&](const perf_format::BpfProgram& p) {
         out.object("id", p.id, "type", p.type, "name", p.name, "tag",
                    fmt::format("{:016x}", p.tag), "info_size", p.info_size, "data_size",
                    p.data_size);
       });
     }},
    {Feature::bpf_btf,
     [](const Features& f, Lines& out) {
       if (f.bpf_btf.empty()) out.push_back("btf info empty");
       for (const perf_format::BpfBtf& btf : f.bpf_btf)
         out.push_back(fmt::format("btf info of id {}", btf.id));
     },
     [](const Features& f, FeatureJson& out) {
       out.each(f.bpf_btf,
                [&](const perf_format::BpfBtf& b) { out.object("id", b.id, "size", b.size); });
     }},
    {Feature::compressed, compression_lines, write_compression},
    {Feature::branch_stack,
     [](const Features&, Lines& out) { out.push_back("contains samples with branch stack"); },
     nullptr},
    {Feature::auxtrace,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("contains AUX area data: {} pieces", f.auxtrace.size()));
     },
     [](const Features& f, FeatureJson& out) {
       out.each(f.auxtrace, [&](const perf_format::AuxtraceEntry& a) {
         out.object("offset", a.offset, "size", a.size);
       });
     }},
    {Feature::stat, [](const Features&, Lines& out) { out.push_back("contains stat data"); },
     nullptr},
    {Feature::dir_format,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("directory data version : {}", f.dir_format));
     },
     plain<&Features::dir_format>},
    {Feature::tracing_data,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("tracing data : version {}, {} formats", f.tracing.version,
                                 f.tracing.formats.size()));
     },
     write_tracing},
    {Feature::build_id,
     [](const Features& f, Lines& out) {
       out.push_back(fmt::format("build ids : {}", f.build_ids.size()));
     },
     write_build_ids},
    {Feature::e_machine,
     [](const Features& f, Lines& out) {
       if (!f.e_machine) return;
       out.push_back(fmt::format("e_machine : {}", (*f.e_machine)[0]));
       out.push_back(fmt::format("  e_flags : {}", (*f.e_machine)[1]));
     },
     [](const Features& f, FeatureJson& out) {
       f.e_machine ? out.object("machine", (*f.e_machine)[0], "flags", (*f.e_machine)[1])
                   : out.null();
     }},
    {Feature::cln_size,
     [](const Features& f, Lines& out) {
       if (f.cacheline_size > 0) out.push_back(fmt::format("cacheline size: {}", f.cacheline_size));
     },
     plain<&Features::cacheline_size>},
    {Feature::simpleperf_meta_info,
     [](const Features& f, Lines& out) {
       for (const auto& [key, text] : f.meta_info)
         out.push_back(fmt::format("{} : {}", key, joined(split(text, '\n'), "; ")));
     },
     [](const Features& f, FeatureJson& out) { out.pairs(f.meta_info); }},
    {Feature::event_desc, nullptr, write_events},
    {Feature::group_desc, nullptr,
     [](const Features& f, FeatureJson& out) {
       out.each(f.groups, [&](const perf_format::GroupDesc& g) {
         out.object("name", g.name, "leader", g.leader, "members", g.members);
       });
     }},
};

void groups(const Recording& file, Lines& out) {
  const Features& f = perf_data::features_of(file);
  for (const perf_format::GroupDesc& group : f.groups) {
    Lines names;
    for (std::size_t i = group.leader; i < file.events().size() && names.size() < group.members;
         ++i)
      names.push_back(file.events()[i].recorded_name);
    const bool named = group.name != "{anon_group}";
    out.push_back(fmt::format("group: {}{{{}}}", named ? group.name : "", joined(names, ",")));
  }
}

/// Adds lines for features that can't be decoded, and one for the missing features.
void rest(const Features& f, Lines& out) {
  for (const perf_format::FeaturePresence& one : f.present) {
    const std::string_view name = perf_format::feature_name(one.number);
    const bool opaque = name.empty() || (Feature{one.number} >= Feature::simpleperf_file &&
                                         Feature{one.number} != Feature::simpleperf_meta_info);
    if (one.broken || opaque)
      out.push_back(fmt::format("feature {} ({}) : {} bytes at {:#x}{}", one.number,
                                name.empty() ? "unknown" : name, one.size, one.offset,
                                one.broken ? ", broken" : ""));
  }
  Lines missing;
  constexpr auto kLast = static_cast<std::uint64_t>(Feature::pmu_caps);  // of perf before 6.19
  for (std::uint64_t number = 1; number <= kLast; ++number)
    if (!f.has(Feature{number})) missing.emplace_back(perf_format::feature_name(number));
  if (!missing.empty()) out.push_back(fmt::format("missing features: {} ", joined(missing, " ")));
}

}  // namespace

void add_feature_lines(const Recording& file, Feature feature, Lines& out) {
  if (feature == Feature::group_desc) return groups(file, out);
  for (const FeatureRow& row : kRows)
    if (row.feature == feature && row.lines) row.lines(perf_data::features_of(file), out);
}

Lines feature_lines(const Recording& file) {
  Lines out;
  for (const FeatureRow& row : kRows)
    if (perf_data::features_of(file).has(row.feature)) add_feature_lines(file, row.feature, out);
  rest(perf_data::features_of(file), out);
  return out;
}

std::string feature_json(const Features& features, const perf_format::FeaturePresence& presence) {
  FeatureJson out;
  const auto write_value = [&] {
    for (const FeatureRow& row : kRows)
      if (row.feature == Feature{presence.number} && row.json) return row.json(features, out);
    out.null();
  };
  out.object("feature", perf_format::feature_name(presence.number), "number", presence.number,
             "offset", presence.offset, "bytes", presence.size, "broken", presence.broken, "value",
             write_value);
  return out.take();
}

}  // namespace evname::tools
