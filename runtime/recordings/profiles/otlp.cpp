// OpenTelemetry's profiles, whose status is Alpha. Messages and fields: opentelemetry-proto of
// August 2026 (profiles/v1development/profiles.proto, common.proto, resource.proto); names of
// attributes: OpenTelemetry's semantic conventions.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "base/hash_map.hpp"
#include "base/text.hpp"
#include "evname/version.h"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/profiles/equal_samples.hpp"
#include "recordings/profiles/otlp_encodings.hpp"
#include "recordings/profiles/profile.hpp"

namespace evname::profiles {
namespace {

using F = OtlpField;
using Index = std::uint32_t;  // of a table of the dictionary, whose first entry is empty

/// Names and values of attributes, each pair once.
class Attributes {
 public:
  using Value = std::variant<std::uint64_t, std::string>;
  struct Entry {
    Index key = 0;
    Value value;

    auto operator<=>(const Entry&) const = default;
  };

  explicit Attributes(Strings& texts) : texts_(texts) {}

  Index of(std::string_view key, Value value) {
    const Entry entry{texts_.id(key), std::move(value)};
    const auto [at, is_new] = indices_.try_emplace(entry, static_cast<Index>(entries_.size() + 1));
    if (is_new) entries_.push_back(entry);
    return at->second;
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Strings& texts_;
  std::vector<Entry> entries_;
  std::map<Entry, Index> indices_;
};

void write_value(auto& body, const Attributes::Value& value) {
  body.message(F{2, "value"}, [&](auto& any) {
    if (const auto* text = std::get_if<std::string>(&value))
      any.text(F{1, "stringValue"}, *text);
    else
      any.choice(F{3, "intValue"}, std::get<std::uint64_t>(value));
  });
}

void write_key_value(auto& body, std::string_view key, std::string_view value) {
  body.text(F{1, "key"}, key);
  write_value(body, std::string(value));
}

/// Returns the semantic conventions' name of an architecture ("host.arch") for what uname -m
/// prints.
std::string architecture_of(std::string_view machine) {
  struct Row {
    std::string_view prefix, name;
  };
  constexpr Row kRows[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"arm64", "arm64"},
                           {"arm", "arm32"},    {"ppc64", "ppc64"},   {"ppc", "ppc32"},
                           {"s390x", "s390x"},  {"ia64", "ia64"},     {"x86", "x86"}};
  const bool is_32_bit_x86 =
      machine.size() == 4 && machine[0] == 'i' && machine.substr(2) == "86";  // i386 to i686
  for (const Row& row : kRows)
    if (machine.starts_with(row.prefix)) return std::string(row.name);
  return std::string(is_32_bit_x86 ? "x86" : machine);
}

/// The facts of a recording by the names that resources have for them.
std::vector<std::pair<std::string_view, std::string>> resource_of(const Source& recording) {
  const perf_format::Features& features = perf_data::features_of(*recording.file);
  std::vector<std::pair<std::string_view, std::string>> out = {
      {"evname.recording", recording.name},
      {"evname.recording.command_line", joined(features.command_line, " ")},
      {"host.arch", architecture_of(features.arch)},
      {"host.cpu.model.name", features.cpu_desc.empty() ? features.cpuid : features.cpu_desc},
      {"host.name", features.hostname},
      {"os.type", "linux"},
      {"os.version", features.os_release}};
  std::erase_if(out, [](const auto& fact) { return fact.second.empty(); });
  return out;
}

/// Maps numbers of the profile to indexes in a table of the dictionary.
class Referred {
 public:
  Index of(std::uint32_t number) { return numbers_.add(number).first + 1; }
  std::size_t table_size() const { return numbers_.size() + std::size_t{1}; }
  /// Returns the number at an index, which is not 0.
  std::uint32_t at(std::size_t index) const { return numbers_.keys()[index - 1]; }

 private:
  Numbers<std::uint32_t> numbers_;
};

/// The samples of a key: their number and the sum of periods, or each with its time.
struct OtlpSeries {
  std::uint64_t count = 0;  ///< goes round
  std::vector<std::uint64_t> times, values;
};

/// The samples of an event in a recording.
struct OtlpProfile {
  HashMap<SampleKey, OtlpSeries> series;
  std::uint64_t samples = 0;
};

/// Collects the samples, and writes a message by either encoding.
class OtlpWriter : public Writer {
 public:
  explicit OtlpWriter(const WriterSetup& setup) : profile_(setup.profile), out_(setup.out) {}

  void begin() override {
    profiles_.resize(profile_.recordings.size());
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      profiles_[i].resize(profile_.events.size());
      has_times_.push_back(perf_data::features_of(*profile_.recordings[i].file).clock.has_value());
    }
  }

  bool row(const Row& row) override {
    OtlpProfile& profile = profiles_[row.recording][row.event];
    SampleKey key(row);
    key.stack = places_.stack(key.stack);
    OtlpSeries& series = profile.series[key];
    ++profile.samples;
    series.count += row.period;
    if (!row.time) has_times_[row.recording] = false;
    if (!has_times_[row.recording]) return true;
    const Source& recording = profile_.recordings[row.recording];
    series.times.push_back(*row.time + (profile_.several() ? recording.first : 0));
    series.values.push_back(row.period);
    return true;
  }

 protected:
  void write_resource(auto& body, std::size_t number) {
    const Source& recording = profile_.recordings[number];
    body.message(F{1, "resource"}, [&](auto& resource) {
      const auto facts = resource_of(recording);
      resource.messages(F{1, "attributes"}, facts.size(), [&](auto& one, std::size_t i) {
        write_key_value(one, facts[i].first, facts[i].second);
      });
    });
    body.messages(F{2, "scopeProfiles"}, 1, [&](auto& scope, std::size_t) {
      scope.message(F{1, "scope"}, [](auto& name) {
        name.text(F{1, "name"}, "evname");
        name.text(F{2, "version"}, EVNAME_VERSION);
      });
      std::vector<std::size_t> events;
      for (std::size_t i = 0; i < profile_.events.size(); ++i)
        if (profiles_[number][i].samples != 0) events.push_back(i);
      scope.messages(F{2, "profiles"}, events.size(), [&](auto& profile, std::size_t i) {
        write_profile(profile, recording, number, events[i]);
      });
    });
  }

  /// Returns the recordings that have samples. Others have no profile, and a resource must have
  /// one.
  std::vector<std::size_t> recordings() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < profiles_.size(); ++i)
      if (std::any_of(profiles_[i].begin(), profiles_[i].end(),
                      [](const OtlpProfile& one) { return one.samples != 0; }))
        out.push_back(i);
    return out;
  }

  /// Writes the tables last, when all entries are known; strings come after the others.
  void write_dictionary(auto& body) {
    body.messages(F{1, "mappingTable"}, places_.binaries().size() + 1,
                  [&](auto& m, std::size_t i) { write_mapping(m, i); });
    body.messages(F{2, "locationTable"}, places_.locations().size() + 1,
                  [&](auto& m, std::size_t i) { write_location(m, i); });
    body.messages(F{3, "functionTable"}, functions_.table_size(),
                  [&](auto& m, std::size_t i) { write_function(m, i); });
    body.messages(F{4, "linkTable"}, 1, [](auto& link, std::size_t) {
      link.zero_id(F{1, "traceId"}, 16);
      link.zero_id(F{2, "spanId"}, 8);
    });
    body.messages(F{7, "stackTable"}, stacks_.table_size(),
                  [&](auto& m, std::size_t i) { write_stack(m, i); });
    body.messages(F{6, "attributeTable"}, attributes_.entries().size() + 1,
                  [&](auto& m, std::size_t i) { write_attribute(m, i); });
    body.texts(F{5, "stringTable"}, texts_.size(),
               [&](std::size_t i) -> const std::string& { return texts_[static_cast<Index>(i)]; });
  }

  Profile& profile_;
  Output& out_;

 private:
  void write_type(auto& body, F field, const Event& event) {
    body.message(field, [&](auto& type) {
      type.index(F{1, "typeStrindex"}, texts_.id(event.label));
      type.index(F{2, "unitStrindex"}, texts_.id(event.is_time ? "nanoseconds" : "count"));
    });
  }

  void write_profile(auto& body, const Source& recording, std::size_t number, std::size_t index) {
    const Event& event = profile_.events[index];
    OtlpProfile& from = profiles_[number][index];
    write_type(body, F{1, "sampleType"}, event);
    using Entry = std::pair<const SampleKey*, OtlpSeries*>;
    std::vector<Entry> sorted;
    sorted.reserve(from.series.size());
    for (auto at = from.series.begin(); at != from.series.end(); ++at)
      sorted.emplace_back(&at->first, &at.value());
    std::sort(sorted.begin(), sorted.end(), [](Entry a, Entry b) { return *a.first < *b.first; });
    body.messages(F{2, "samples"}, sorted.size(), [&](auto& sample, std::size_t i) {
      write_sample(sample, number, *sorted[i].first, *sorted[i].second);
    });
    const auto& clock = perf_data::features_of(*recording.file).clock;
    if (recording.first <= recording.last) {
      if (clock)
        body.fixed(F{3, "timeUnixNano"}, recording.first + clock->wall_clock - clock->clock);
      body.number(F{4, "durationNano"},
                  recording.last - recording.first + 1);  // the end is outside
    }
    const perf_format::Attr& attr = event_attr(recording, index);
    if (!attr.has(perf_format::kFreq) && attr.sample_period != 0) {
      write_type(body, F{5, "periodType"}, event);
      body.number(F{6, "period"}, attr.sample_period);
    }
    const Index facts[] = {attributes_.of("evname.event", event.about),
                           attributes_.of("evname.samples", from.samples)};
    body.indices(F{11, "attributeIndices"}, std::span(facts));
    from.series.clear();
  }

  /// The attr of an event in a recording that has it; the first of them if there are several.
  const perf_format::Attr& event_attr(const Source& recording, std::size_t event) const {
    const auto at = std::find(recording.events.begin(), recording.events.end(), event);
    return recording.file->attr(static_cast<std::size_t>(at - recording.events.begin()));
  }

  void write_sample(auto& body, std::size_t recording, const SampleKey& key, OtlpSeries& series) {
    if (key.stack != kNone) body.index(F{1, "stackIndex"}, stacks_.of(key.stack));
    std::vector<Index> attributes;
    if (key.pid != -1 || key.tid != -1) {
      if (key.pid != -1)
        attributes.push_back(attributes_.of("process.pid", static_cast<std::uint64_t>(key.pid)));
      if (key.tid != -1)
        attributes.push_back(attributes_.of("thread.id", static_cast<std::uint64_t>(key.tid)));
      attributes.push_back(attributes_.of("thread.name", profile_.strings[key.comm]));
    }
    if (key.cpu != kNone)
      attributes.push_back(attributes_.of("cpu.logical_number", std::uint64_t{key.cpu}));
    body.indices(F{2, "attributeIndices"}, attributes);
    if (!has_times_[recording]) {
      body.numbers(F{4, "values"}, std::span(&series.count, 1));
      return;
    }
    const perf_format::ClockData& clock =
        *perf_data::features_of(*profile_.recordings[recording].file).clock;
    for (std::uint64_t& time : series.times) time += clock.wall_clock - clock.clock;
    body.numbers(F{4, "values"}, series.values);
    body.fixed_numbers(F{5, "timestampsUnixNano"}, series.times);
  }

  void write_mapping(auto& body, std::size_t index) {
    if (index == 0) return;
    const Binary& binary = profile_.stacks.binaries()[places_.binaries()[index - 1]];
    if (binary.start < binary.end) {
      body.number(F{1, "memoryStart"}, binary.start);
      body.number(F{2, "memoryLimit"}, binary.end);
    }
    body.number(F{3, "fileOffset"}, binary.offset);
    body.index(F{4, "filenameStrindex"}, texts_.id(binary.file));
    if (binary.build_id.empty()) return;
    const Index build_id =
        attributes_.of("process.executable.build_id.gnu", hex_text(binary.build_id));
    body.indices(F{5, "attributeIndices"}, std::span(&build_id, 1));
  }

  /// Without a line if no function is known: a server can then name it itself.
  void write_location(auto& body, std::size_t index) {
    if (index == 0) return;
    const Location& from = profile_.stacks.locations()[places_.locations()[index - 1]];
    if (from.binary != kNone) body.index(F{1, "mappingIndex"}, places_.binary(from.binary) + 1);
    body.number(F{2, "address"}, from.address);
    const std::vector<Location::Line> lines = places_.lines(from);
    if (!lines.empty())
      body.messages(F{3, "lines"}, lines.size(), [&](auto& line, std::size_t i) {
        line.index(F{1, "functionIndex"}, functions_.of(lines[i].function));
        line.number(F{2, "line"}, lines[i].line);
      });
    if (from.binary == kNone) return;
    const Index type = attributes_.of(
        "profile.frame.type", profile_.stacks.binaries()[from.binary].kernel ? "kernel" : "native");
    body.indices(F{4, "attributeIndices"}, std::span(&type, 1));
  }

  void write_function(auto& body, std::size_t index) {
    if (index == 0) return;
    const Function& from = profile_.stacks.functions()[functions_.at(index)];
    body.index(F{1, "nameStrindex"}, texts_.id(profile_.strings[from.name]));
    body.index(F{3, "filenameStrindex"}, texts_.id(profile_.strings[from.source]));
  }

  void write_stack(auto& body, std::size_t index) {
    if (index == 0) return;
    profile_.stacks.locations_of(stacks_.at(index), locations_);
    for (std::uint32_t& location : locations_) location = places_.location(location) + 1;
    body.indices(F{1, "locationIndices"}, locations_);
  }

  void write_attribute(auto& body, std::size_t index) {
    if (index == 0) return;
    const Attributes::Entry& entry = attributes_.entries()[index - 1];
    body.index(F{1, "keyStrindex"}, entry.key);
    write_value(body, entry.value);
  }

  std::vector<std::vector<OtlpProfile>> profiles_;  ///< by recording and event
  std::vector<bool> has_times_;                     ///< by recording: the time of the day is known
  DistinctPlaces places_{profile_.stacks};
  Strings texts_{""};
  Attributes attributes_{texts_};
  Referred stacks_, functions_;
  std::vector<std::uint32_t> locations_;
};

constexpr F kResourceProfiles{1, "resourceProfiles"}, kDictionary{2, "dictionary"};

class OtlpJsonWriter final : public OtlpWriter {
 public:
  using OtlpWriter::OtlpWriter;

  void end() override {
    Json json(out_);
    OtlpJson body(json);
    const std::vector<std::size_t> which = recordings();
    json.object([&] {
      body.messages(kResourceProfiles, which.size(),
                    [&](auto& one, std::size_t i) { write_resource(one, which[i]); });
      body.message(kDictionary, [&](auto& dictionary) { write_dictionary(dictionary); });
    });
  }
};

#ifdef HAVE_PROTOZERO
class OtlpProtoWriter final : public OtlpWriter {
 public:
  using OtlpWriter::OtlpWriter;

  void end() override {
    for (const std::size_t recording : recordings())
      write([&](auto& body) {
        body.message(kResourceProfiles, [&](auto& one) { write_resource(one, recording); });
      });
    write([&](auto& body) {
      body.message(kDictionary, [&](auto& dictionary) { write_dictionary(dictionary); });
    });
  }

 private:
  /// A part of the message; its length is known only when it is complete.
  void write(auto&& fill) {
    std::string piece;
    OtlpProto body(piece);
    fill(body);
    if (out_.wanted()) out_.append(piece);
  }
};
#endif

}  // namespace

std::unique_ptr<Writer> make_otlp_json_writer(const WriterSetup& setup) {
  return std::make_unique<OtlpJsonWriter>(setup);
}

#ifdef HAVE_PROTOZERO
std::unique_ptr<Writer> make_otlp_writer(const WriterSetup& setup) {
  return std::make_unique<OtlpProtoWriter>(setup);
}
#endif

}  // namespace evname::profiles
