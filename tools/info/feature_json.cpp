#include "info/features.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/json_text.hpp"
#include "base/text.hpp"

namespace evname::tools {
namespace {

using perfdata::Features;

/// Values of any shape.
class Json {
 public:
  std::string take() const { return buffer_.GetString(); }

  void value(std::string_view text) {
    std::string quoted;  // RapidJSON would let bytes that are no UTF-8 through
    append_json_string(quoted, text);
    json_.RawValue(quoted.data(), quoted.size(), rapidjson::kStringType);
  }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::uint64_t number) { json_.Uint64(number); }
  void value(std::uint32_t number) { json_.Uint(number); }
  void value(std::int32_t number) { json_.Int(number); }
  void value(bool yes) { json_.Bool(yes); }
  void null() { json_.Null(); }
  /// A time in ns, with nine decimals.
  void seconds(std::uint64_t ns) {
    const std::string text = seconds_text(ns);
    json_.RawValue(text.data(), text.size(), rapidjson::kNumberType);
  }
  template <class T>
  void value(const std::vector<T>& list) {
    each(list, [this](const T& item) { value(item); });
  }
  /// key("a", 1, "b", "x"): an object.
  template <class... Rest>
  void object(Rest&&... rest) {
    json_.StartObject();
    members(std::forward<Rest>(rest)...);
    json_.EndObject();
  }
  template <class List, class Write>
  void each(const List& list, Write write) {
    json_.StartArray();
    for (const auto& item : list) write(item);
    json_.EndArray();
  }
  void pairs(const perfdata::Pairs& list) {
    json_.StartObject();
    for (const auto& [name, text] : list) member(name, text);
    json_.EndObject();
  }
  void value(const perfdata::Pairs& list) { pairs(list); }

 private:
  template <class T>
  void member(std::string_view key, const T& item) {
    value(key);
    if constexpr (std::is_invocable_v<T>)
      item();
    else
      value(item);
  }
  void members() {}
  template <class T, class... Rest>
  void members(std::string_view key, const T& item, const Rest&... rest) {
    member(key, item);
    members(rest...);
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> json_{buffer_};
};

template <auto Member>
void plain(const Features& f, Json& out) {
  out.value(f.*Member);
}

void write_tracing(const Features& f, Json& out) {
  const perfdata::TracingData& t = f.tracing;
  const auto write_field = [&](const perfdata::TraceField& field) {
    out.object("name", field.name, "type", field.type, "offset", field.offset, "size", field.size,
               "count", field.count, "signed", field.is_signed);
  };
  const auto write_formats = [&] {
    out.each(t.formats, [&](const perfdata::TraceFormat& format) {
      out.object("id", format.id, "name", format.system + ":" + format.name, "fields",
                 [&] { out.each(format.fields, write_field); });
    });
  };
  out.object("version", t.version, "big_endian", t.big_endian, "long_size", t.long_size,
             "page_size", t.page_size, "formats", write_formats);
}

void write_build_ids(const Features& f, Json& out) {
  out.each(f.build_ids, [&](const perfdata::BuildId& entry) {
    out.object("build_id", hex_text(entry.id), "pid", entry.pid, "file", entry.file);
  });
}

void write_topology(const Features& f, Json& out) {
  const perfdata::CpuTopology& t = f.topology;
  out.object("packages", t.packages, "threads", t.threads, "dies", t.dies, "cpus", [&] {
    out.each(t.cpus, [&](const perfdata::CpuTopology::Cpu& cpu) {
      out.object("core", cpu.core, "socket", cpu.socket, "die", cpu.die);
    });
  });
}

void write_events(const Features& f, Json& out) {
  out.each(f.event_desc, [&](const perfdata::EventDesc& event) {
    out.object("name", event.name, "type", event.attr.code.type, "config",
               fmt::format("{:#x}", event.attr.code.config[0]), "ids", event.ids);
  });
}

void write_caps(const Features& f, Json& out) {
  out.each(f.caps, [&](const perfdata::PmuCaps& caps) {
    out.object("pmu", caps.pmu, "caps", [&] { out.pairs(caps.values); });
  });
}

void write_clock(const Features& f, Json& out) {
  if (!f.clock) return out.null();
  out.object("version", f.clock->version, "clockid", f.clock->clockid, "wall_clock",
             f.clock->wall_clock, "clock", f.clock->clock);
}

void write_compression(const Features& f, Json& out) {
  if (!f.compression) return out.null();
  out.object("version", f.compression->version, "type", f.compression->type, "level",
             f.compression->level, "ratio", f.compression->ratio, "mmap_size",
             f.compression->mmap_size);
}

void write_cpu_domains(const Features& f, Json& out) {
  const auto write_domain = [&](const perfdata::CpuDomains::Domain& domain) {
    out.object("domain", domain.number, "name", domain.name, "cpu_mask", domain.cpu_mask, "cpus",
               domain.cpus);
  };
  out.object(
      "schedstat_version", f.schedstat_version, "most_domains", f.most_cpu_domains, "cpus", [&] {
        out.each(f.cpu_domains, [&](const perfdata::CpuDomains& row) {
          out.object("cpu", row.cpu, "domains", [&] { out.each(row.domains, write_domain); });
        });
      });
}

struct Row {
  std::uint64_t number;
  void (*write)(const Features& f, Json& out);
};

constexpr Row kRows[] = {
    {1, write_tracing},
    {2, write_build_ids},
    {3, plain<&Features::hostname>},
    {4, plain<&Features::os_release>},
    {5, plain<&Features::version>},
    {6, plain<&Features::arch>},
    {7, [](const Features& f,
           Json& o) { o.object("available", f.cpus_available, "online", f.cpus_online); }},
    {8, plain<&Features::cpu_desc>},
    {9, plain<&Features::cpuid>},
    {10, plain<&Features::total_memory>},
    {11, plain<&Features::command_line>},
    {12, write_events},
    {13, write_topology},
    {14,
     [](const Features& f, Json& o) {
       o.each(f.numa, [&](const perfdata::NumaNode& n) {
         o.object("node", n.node, "total_kb", n.total, "free_kb", n.free, "cpus", n.cpus);
       });
     }},
    {16,
     [](const Features& f, Json& o) {
       o.each(f.pmu_mappings,
              [&](const auto& row) { o.object("type", row.first, "pmu", row.second); });
     }},
    {17,
     [](const Features& f, Json& o) {
       o.each(f.groups, [&](const perfdata::GroupDesc& g) {
         o.object("name", g.name, "leader", g.leader, "members", g.members);
       });
     }},
    {18,
     [](const Features& f, Json& o) {
       o.each(f.auxtrace, [&](const perfdata::AuxtraceEntry& a) {
         o.object("offset", a.offset, "size", a.size);
       });
     }},
    {20,
     [](const Features& f, Json& o) {
       o.each(f.caches, [&](const perfdata::CacheLevel& c) {
         o.object("level", c.level, "line_size", c.line_size, "sets", c.sets, "ways", c.ways,
                  "type", c.type, "size", c.size, "cpus", c.cpus);
       });
     }},
    {21,
     [](const Features& f, Json& o) {
       if (!f.sample_time) return o.null();
       o.object(
           "first", [&] { o.seconds((*f.sample_time)[0]); }, "last",
           [&] { o.seconds((*f.sample_time)[1]); });
     }},
    {22,
     [](const Features& f, Json& o) {
       o.object("block_size", f.memory_block_size, "nodes", [&] {
         o.each(f.memory, [&](const perfdata::MemoryNode& n) {
           o.object("node", n.node, "blocks", block_ranges(n));
         });
       });
     }},
    {23, plain<&Features::clockid_resolution>},
    {24, plain<&Features::dir_format>},
    {25,
     [](const Features& f, Json& o) {
       o.each(f.bpf_programs, [&](const perfdata::BpfProgram& p) {
         o.object("id", p.id, "type", p.type, "name", p.name, "tag", fmt::format("{:016x}", p.tag),
                  "info_size", p.info_size, "data_size", p.data_size);
       });
     }},
    {26,
     [](const Features& f, Json& o) {
       o.each(f.bpf_btf, [&](const perfdata::BpfBtf& b) { o.object("id", b.id, "size", b.size); });
     }},
    {27, write_compression},
    {28, write_caps},
    {29, write_clock},
    {30, [](const Features& f, Json& o) { o.pairs(f.hybrid); }},
    {31, write_caps},
    {32, write_cpu_domains},
    {33,
     [](const Features& f, Json& o) {
       f.e_machine ? o.object("machine", (*f.e_machine)[0], "flags", (*f.e_machine)[1]) : o.null();
     }},
    {34, plain<&Features::cacheline_size>},
};

}  // namespace

std::string feature_json(const Features& features, const perfdata::FeaturePresence& presence) {
  Json out;
  const auto write_value = [&] {
    for (const Row& row : kRows)
      if (row.number == presence.number) return row.write(features, out);
    out.null();
  };
  out.object("feature", perfdata::feature_name(presence.number), "number", presence.number,
             "offset", presence.offset, "bytes", presence.size, "broken", presence.broken, "value",
             write_value);
  return out.take();
}

}  // namespace evname::tools
