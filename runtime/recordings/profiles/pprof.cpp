// profile.proto of pprof, gzipped. Field numbers: proto/profile.proto of github.com/google/pprof.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/profiles/equal_samples.hpp"
#include "recordings/profiles/profile.hpp"
#include "recordings/profiles/proto_message.hpp"

namespace evname::profiles {
namespace {

enum class ProfileField : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10,
  period_type = 11,
  period = 12,
  comment = 13,
  default_sample_type = 14,
};
enum class ValueTypeField : protozero::pbf_tag_type { type = 1, unit = 2 };
enum class SampleField : protozero::pbf_tag_type { location_id = 1, value = 2, label = 3 };
enum class LabelField : protozero::pbf_tag_type { key = 1, str = 2 };
enum class MappingField : protozero::pbf_tag_type {
  id = 1,
  memory_start = 2,
  memory_limit = 3,
  file_offset = 4,
  filename = 5,
  build_id = 6,
  has_functions = 7,
  has_filenames = 8,
  has_line_numbers = 9,
  has_inline_frames = 10,
};
enum class LocationField : protozero::pbf_tag_type {
  id = 1,
  mapping_id = 2,
  address = 3,
  line = 4
};
enum class LineField : protozero::pbf_tag_type { function_id = 1, line = 2 };
enum class FunctionField : protozero::pbf_tag_type {
  id = 1,
  name = 2,
  system_name = 3,
  filename = 4
};

template <class Field>
using ProfileMessage = ProtoMessage<Field>;

struct Sums {
  std::uint64_t samples = 0, count = 0;  ///< they go round
};

class PprofWriter final : public Writer {
 public:
  explicit PprofWriter(const WriterSetup& setup) : profile_(setup.profile), out_(setup.out) {}

  bool row(const Row& row) override {
    Sums& sums = sums_.of(row);
    ++sums.samples;
    sums.count += row.period;
    return true;
  }

  void end() override {
    write_types();
    write_samples();
    find_named();
    const std::size_t main = main_binary();
    for (std::size_t i = 0; i < profile_.stacks.binaries().size(); ++i)
      write_mapping(i == 0 ? main : i <= main ? i - 1 : i);
    for (std::size_t i = 0; i < profile_.stacks.locations().size(); ++i) write_location(i);
    for (std::size_t i = 0; i < profile_.stacks.functions().size(); ++i) write_function(i);
    write_times();
    write_comments();
    for (std::size_t i = 0; i < texts_.size(); ++i) {  // these come last, when all are known
      message([&](auto& m) { m.add_string(ProfileField::string_table, texts_[i]); });
      if (!out_.wanted()) return;
    }
  }

 private:
  /// The string table of the profile, whose first one is empty.
  std::int64_t text(const std::string& text) { return texts_.id(text); }

  /// A part of the profile: a message is written piece by piece.
  template <class Fill>
  void message(Fill&& fill) {
    piece_.clear();
    ProfileMessage<ProfileField> builder(piece_);
    fill(builder);
    out_.append(piece_);
  }

  void value_type(ProfileMessage<ProfileField>& to, ProfileField field, const std::string& name,
                  const char* unit) {
    ProfileMessage<ValueTypeField> type(to, field);
    type.add_int64(ValueTypeField::type, text(name));
    type.add_int64(ValueTypeField::unit, text(unit));
  }

  void write_types() {
    for (const Event& event : profile_.events)
      message([&](auto& m) {
        value_type(m, ProfileField::sample_type, event.label + "_samples", "count");
        value_type(m, ProfileField::sample_type, event.label,
                   event.is_time ? "nanoseconds" : "count");
      });
    const auto shown =
        std::max_element(profile_.events.begin(), profile_.events.end(),
                         [](const Event& a, const Event& b) { return a.samples < b.samples; });
    if (shown == profile_.events.end()) return;
    message([&](auto& m) { m.add_int64(ProfileField::default_sample_type, text(shown->label)); });
    const perf_format::Attr& attr = profile_.recordings[shown->recording].file->attr(shown->attr);
    if (attr.has(perf_format::kFreq) || attr.sample_period == 0) return;
    message([&](auto& m) {
      value_type(m, ProfileField::period_type, shown->label,
                 shown->is_time ? "nanoseconds" : "count");
      m.add_int64(ProfileField::period, static_cast<std::int64_t>(attr.sample_period));
    });
  }

  void write_samples() {
    sums_.sort();
    std::vector<std::int64_t> values(profile_.events.size() * 2);
    const auto& sorted = sums_.entries();
    for (auto at = sorted.begin(); at != sorted.end() && out_.wanted();) {
      const auto& first = *at;
      std::fill(values.begin(), values.end(), 0);
      for (; at != sorted.end() && at->stack == first.stack &&
             !sums_.key(*at).differs_by_event(sums_.key(first));
           ++at) {
        const std::size_t event = sums_.key(*at).event;
        values[event * 2] = static_cast<std::int64_t>(at->value.samples);
        values[event * 2 + 1] = static_cast<std::int64_t>(at->value.count);
      }
      write_sample(first.stack, labels_of(first.whose, sums_.key(first)), values);
    }
  }

  void write_sample(std::uint32_t stack, std::string_view labels,
                    const std::vector<std::int64_t>& values) {
    profile_.stacks.locations_of(stack, locations_);
    for (std::uint32_t& location : locations_) ++location;  // ids begin at 1
    message([&](auto& m) {
      ProfileMessage<SampleField> sample(m, ProfileField::sample);
      sample.add_packed_uint64(SampleField::location_id, locations_.begin(), locations_.end());
      sample.add_packed_int64(SampleField::value, values.begin(), values.end());
      piece_ += labels;
    });
  }

  /// Returns the fields with the labels of a key, which are made once.
  std::string_view labels_of(std::uint32_t number, const SampleKey& key) {
    if (number >= labels_.size()) labels_.resize(number + 1);
    std::optional<std::string>& labels = labels_[number];
    if (labels) return *labels;
    ProfileMessage<SampleField> sample(labels.emplace());
    // Numbers are texts, too: pprof ignores a label with the number 0.
    const auto word = [&](const char* name, const std::string& value) {
      ProfileMessage<LabelField> label(sample, SampleField::label);
      label.add_int64(LabelField::key, text(name));
      label.add_int64(LabelField::str, text(value));
    };
    if (profile_.several()) word("recording", profile_.recordings[key.recording].name);
    if (key.tid != -1 || key.pid != -1) {
      word("comm", profile_.strings[key.comm]);
      word("pid", fmt::format("{}", key.pid));
      word("tid", fmt::format("{}", key.tid));
    }
    if (key.cpu != kNone) word("cpu", fmt::format("{}", key.cpu));
    return *labels;
  }

  /// pprof takes the first mapping for the program, so the user-space mapping with the most samples
  /// comes first.
  std::size_t main_binary() const {
    std::vector<std::uint64_t> samples(profile_.stacks.binaries().size());
    for (const auto& [stack, whose, sums] : sums_.entries()) {
      if (stack == kNone) continue;
      const std::uint32_t leaf = profile_.stacks.nodes()[stack].location;
      const std::uint32_t binary = profile_.stacks.locations()[leaf].binary;
      if (binary != kNone && !profile_.stacks.binaries()[binary].kernel)
        samples[binary] += sums.samples;
    }
    return static_cast<std::size_t>(std::max_element(samples.begin(), samples.end()) -
                                    samples.begin());
  }

  void find_named() {
    named_.resize(profile_.stacks.binaries().size());
    for (const Function& function : profile_.stacks.functions())
      if (function.known) {
        named_[function.binary].functions = true;
        named_[function.binary].lines |= !profile_.strings[function.source].empty();
      }
  }

  void write_mapping(std::size_t index) {
    const Binary& part = profile_.stacks.binaries()[index];
    const auto [functions, lines] = named_[index];
    message([&](auto& m) {
      ProfileMessage<MappingField> mapping(m, ProfileField::mapping);
      mapping.add_uint64(MappingField::id, index + 1);
      mapping.add_uint64(MappingField::memory_start, part.start);
      mapping.add_uint64(MappingField::memory_limit, part.end);
      mapping.add_uint64(MappingField::file_offset, part.offset);
      mapping.add_int64(MappingField::filename, text(part.file));
      mapping.add_int64(MappingField::build_id, text(hex_text(part.build_id)));
      mapping.add_bool(MappingField::has_functions, functions);
      mapping.add_bool(MappingField::has_filenames, lines);
      mapping.add_bool(MappingField::has_line_numbers, lines);
      mapping.add_bool(MappingField::has_inline_frames, lines);
    });
  }

  /// Without a line if no function is known: pprof can then name it itself.
  void write_location(std::size_t index) {
    const Location& from = profile_.stacks.locations()[index];
    message([&](auto& m) {
      ProfileMessage<LocationField> location(m, ProfileField::location);
      location.add_uint64(LocationField::id, index + 1);
      if (from.binary != kNone) location.add_uint64(LocationField::mapping_id, from.binary + 1);
      location.add_uint64(LocationField::address, from.address);
      for (const Location::Line& at : from.lines) {
        if (!profile_.stacks.functions()[at.function].known) continue;
        ProfileMessage<LineField> line(location, LocationField::line);
        line.add_uint64(LineField::function_id, at.function + 1);
        line.add_int64(LineField::line, at.line);
      }
    });
  }

  void write_function(std::size_t index) {
    const Function& from = profile_.stacks.functions()[index];
    if (!from.known) return;
    message([&](auto& m) {
      ProfileMessage<FunctionField> function(m, ProfileField::function);
      function.add_uint64(FunctionField::id, index + 1);
      function.add_int64(FunctionField::name, text(profile_.strings[from.name]));
      function.add_int64(FunctionField::system_name, text(profile_.strings[from.name]));
      function.add_int64(FunctionField::filename, text(profile_.strings[from.source]));
    });
  }

  /// The time of day is known only for recordings made with --clockid.
  void write_times() {
    std::uint64_t length = 0;
    for (const Source& recording : profile_.recordings)
      if (recording.first <= recording.last)
        length = std::max(length, recording.last - recording.first);
    message([&](auto& m) {
      const Source& first = profile_.recordings[0];
      if (const auto& clock = perf_data::features_of(*first.file).clock;
          clock && first.first <= first.last)
        m.add_int64(ProfileField::time_nanos,
                    static_cast<std::int64_t>(clock->wall_clock + first.first - clock->clock));
      m.add_int64(ProfileField::duration_nanos, static_cast<std::int64_t>(length));
    });
  }

  void write_comments() {
    std::vector<std::string> lines;
    for (const Event& event : profile_.events)
      lines.push_back(fmt::format("{}: {}", event.label, event.about));
    for (const Source& recording : profile_.recordings)
      for (const auto& [name, value] : profile_.facts(recording))
        lines.push_back(fmt::format("{}: {}", name, value));
    message([&](auto& m) {
      for (const std::string& line : lines) m.add_int64(ProfileField::comment, text(line));
    });
  }

  Profile& profile_;
  Output& out_;
  BySampleKey<Sums> sums_;
  std::vector<std::optional<std::string>> labels_;  ///< by key
  /// The facts of a binary that are known.
  struct Named {
    bool functions = false, lines = false;
  };
  std::vector<Named> named_;
  Strings texts_{""};
  std::string piece_;
  std::vector<std::uint32_t> locations_;
};

}  // namespace

std::unique_ptr<Writer> make_pprof_writer(const WriterSetup& setup) {
  return std::make_unique<PprofWriter>(setup);
}

}  // namespace evname::profiles
