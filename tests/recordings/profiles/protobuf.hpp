#pragma once
// Profiles of pprof and traces of Perfetto, read by protozero. Field numbers: profile.proto of
// github.com/google/pprof, perfetto_trace.proto of github.com/google/perfetto.

#ifdef HAVE_PROTOZERO
#include <fmt/format.h>

#include <array>
#include <protozero/pbf_reader.hpp>

#include "recordings/profiles/profiles.hpp"
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

namespace evname::test {

/// A message within a message; empty if there is none.
inline protozero::pbf_reader part(protozero::pbf_reader message, protozero::pbf_tag_type field) {
  return message.next(field) ? message.get_message() : protozero::pbf_reader();
}
inline std::uint64_t number(protozero::pbf_reader message, protozero::pbf_tag_type field) {
  return message.next(field) ? message.get_uint64() : 0;
}
inline std::string text(protozero::pbf_reader message, protozero::pbf_tag_type field) {
  return message.next(field) ? message.get_string() : "";
}

/// By the timebase's name of each sequence; the counts of a CPU grow.
inline Sums perfetto_sums(const std::string& bytes) {
  std::map<std::uint64_t, std::string> names;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> latest;
  Sums sums;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    const protozero::pbf_reader packet = trace.get_message();
    const std::uint64_t sequence = number(packet, 10);
    const auto timebase = part(part(part(packet, 59), 12), 1);
    if (std::string name = text(timebase, 10); !name.empty()) {
      if (const auto at = name.find(".data: "); at != name.npos) name.erase(0, at + 7);
      names[sequence] = name;
    }
    protozero::pbf_reader samples = packet;
    if (!samples.next(66)) continue;
    const protozero::pbf_reader sample = samples.get_message();
    EXPECT_TRUE(names.contains(sequence)) << "a sample before its event";
    ++sums[names[sequence]].samples;
    const std::pair cpu(sequence, number(sample, 1));
    EXPECT_GE(number(sample, 6), latest[cpu]);
    latest[cpu] = number(sample, 6);
  }
  for (const auto& [key, count] : latest) sums[names[key.first]].period += count;
  return sums;
}

#ifdef HAVE_ZLIB
inline std::string unpacked(const std::string& gzip) {
  std::string out(1 << 22, 0);
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

/// What a test asks about a profile of pprof.
class Pprof {
 public:
  struct Sample {
    std::vector<std::uint64_t> locations;
    std::vector<std::int64_t> values;
    std::map<std::string, std::string> labels;
  };
  struct Mapping {
    std::uint64_t start = 0, limit = 0, offset = 0;
    std::string file, build_id;
  };
  struct Location {
    std::uint64_t mapping = 0, address = 0;
    std::vector<std::string> lines;  ///< "function (system name) source:line", inlined ones first
  };

  explicit Pprof(const std::string& gzip) : bytes_(unpacked(gzip)) {
    protozero::pbf_reader profile(bytes_);
    while (profile.next(6)) strings_.push_back(profile.get_string());
    for_each(1, [&](protozero::pbf_reader type) { types_.push_back(strings_[number(type, 1)]); });
    for_each(2, [&](protozero::pbf_reader sample) { samples.push_back(sample_of(sample)); });
    for_each(3, [&](protozero::pbf_reader m) {
      mappings[number(m, 1)] = {number(m, 2), number(m, 3), number(m, 4), strings_[number(m, 5)],
                                strings_[number(m, 6)]};
    });
    std::map<std::uint64_t, std::array<std::string, 3>> functions;
    for_each(5, [&](protozero::pbf_reader function) {
      functions[number(function, 1)] = {strings_[number(function, 2)],
                                        strings_[number(function, 3)],
                                        strings_[number(function, 4)]};
    });
    for_each(4, [&](protozero::pbf_reader at) {
      Location& location = locations[number(at, 1)] = {number(at, 2), number(at, 3), {}};
      while (at.next(4)) {
        const protozero::pbf_reader line = at.get_message();
        const auto& [name, system_name, source] = functions.at(number(line, 1));
        location.lines.push_back(
            fmt::format("{} ({}) {}:{}", name, system_name, source, number(line, 2)));
      }
    });
  }

  Sums sums() const {
    Sums out;
    EXPECT_EQ(types_.size() % 2, 0u);
    for (std::size_t i = 0; i + 1 < types_.size(); i += 2) {
      EXPECT_EQ(types_[i], types_[i + 1] + "_samples");
      EventSums& event = out[types_[i + 1]];
      for (const Sample& sample : samples) {
        event.samples += static_cast<std::uint64_t>(sample.values.at(i));
        event.period += static_cast<std::uint64_t>(sample.values.at(i + 1));
      }
    }
    return out;
  }

  /// Returns what the default type is called, and "TYPE UNIT PERIOD" of profiles with a period.
  std::string default_type() const {
    protozero::pbf_reader message(bytes_);
    return message.next(14) ? strings_[message.get_uint64()] : "";
  }
  std::string period() const {
    const protozero::pbf_reader whole(bytes_);
    const protozero::pbf_reader type = part(whole, 11);
    if (type.length() == 0) return {};
    return fmt::format("{} {} {}", strings_[number(type, 1)], strings_[number(type, 2)],
                       number(whole, 12));
  }
  /// The time of the first sample and how long the samples took, in ns.
  std::pair<std::uint64_t, std::uint64_t> times() const {
    const protozero::pbf_reader whole(bytes_);
    return {number(whole, 9), number(whole, 10)};
  }
  /// Returns if the mapping has functions, files, lines and inlined functions: "1000".
  std::string known_of(std::uint64_t mapping) const {
    std::string out;
    for_each(3, [&](protozero::pbf_reader m) {
      if (number(m, 1) != mapping) return;
      for (const protozero::pbf_tag_type field : {7, 8, 9, 10})
        out += std::to_string(number(m, field));
    });
    return out;
  }
  /// Ids of mappings as they come.
  std::vector<std::uint64_t> mapping_order() const {
    std::vector<std::uint64_t> out;
    for_each(3, [&](protozero::pbf_reader m) { out.push_back(number(m, 1)); });
    return out;
  }

  std::vector<Sample> samples;
  std::map<std::uint64_t, Mapping> mappings;
  std::map<std::uint64_t, Location> locations;

 private:
  template <class Each>
  void for_each(protozero::pbf_tag_type field, Each each) const {
    protozero::pbf_reader message(bytes_);
    while (message.next(field)) each(message.get_message());
  }

  Sample sample_of(protozero::pbf_reader message) const {
    Sample out;
    while (message.next()) {
      if (message.tag() == 1)
        for (const std::uint64_t id : message.get_packed_uint64()) out.locations.push_back(id);
      else if (message.tag() == 2)
        for (const std::int64_t value : message.get_packed_int64()) out.values.push_back(value);
      else if (const auto label = message.get_message(); true)
        out.labels[strings_[number(label, 1)]] = strings_[number(label, 2)];
    }
    return out;
  }

  std::string bytes_;
  std::vector<std::string> strings_, types_;
};
#endif

}  // namespace evname::test
#endif
