#include "recordings/stream/perf_refusals.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "perf_format/features.hpp"
#include "perf_format/perf_rules.hpp"
#include "perf_format/recorded_events.hpp"

namespace evname::stream {
namespace {

constexpr std::uint32_t kThreadMap = 73;
constexpr std::uint64_t kSectionBytes = 16;

class Refusals {
 public:
  Refusals(const File& file, Looked looked) : file_(file), looked_(looked) {}

  std::vector<std::string> take() {
    if (!file_.header.pipe && !check_file()) return std::move(reasons_);
    for (const Stream& stream : file_.streams) check_records(stream);
    return std::move(reasons_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    reasons_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  bool check_file();
  void check_layout(perf_format::Section attrs, perf_format::Section data);
  void check_attrs(perf_format::Section attrs, std::uint64_t attr_size);
  void check_features(std::uint64_t table);
  void check_feature(std::uint64_t number, Bytes content);
  void check_tracepoints();
  void check_records(const Stream& stream);
  std::string_view why_refused(const perf_format::Record& record);

  const File& file_;
  Looked looked_;
  std::vector<std::string> reasons_;
  std::uint32_t cpus_ = 0, online_ = 0;  ///< from NRCPUS, once it was read
};

// perf_session__read_header and perf_file_header__read of tools/perf/util/header.c. Returns false
// if perf gets no further.
bool Refusals::check_file() {
  const perf_format::Header& header = file_.header;
  Cursor in(file_.bytes(), header.order);
  in.skip(perf_format::kPipeHeader);
  const std::uint64_t attr_size = in.u64();
  const perf_format::Section attrs{in.u64(), in.u64()}, data{in.u64(), in.u64()};
  check_layout(attrs, data);
  if (attr_size == 0)
    add("the size of attrs is 0");
  else
    check_attrs(attrs, attr_size);
  if (data.size == 0) {
    add("the size of the data section is 0");
    return false;
  }
  // perf detects the other byte order by HOSTNAME, and otherwise ignores the features.
  constexpr auto kHostname = static_cast<std::size_t>(perf_format::Feature::hostname);
  if (header.order == std::endian::native || header.features[kHostname])
    check_features(data.offset + data.size);
  check_tracepoints();
  return true;
}

void Refusals::check_layout(perf_format::Section attrs, perf_format::Section data) {
  constexpr std::uint64_t kSmall = 72, kFull = 104;
  const std::uint64_t size = file_.header.size;
  if (size != kSmall && size != kFull) add("the header has {} bytes, not {}", size, kFull);
  if (size > attrs.offset || size > data.offset) add("the header overlaps a section");
  const perf_format::Section& first = attrs.offset <= data.offset ? attrs : data;
  const perf_format::Section& second = attrs.offset <= data.offset ? data : attrs;
  if (first.offset + first.size > second.offset) add("the attrs and data sections overlap");
}

// read_attr: perf uses the size of each attr to find the next.
void Refusals::check_attrs(perf_format::Section attrs, std::uint64_t attr_size) {
  constexpr std::uint64_t kMostAttrs = 65536, kMostIds = 1 << 24;
  constexpr std::uint32_t kLargest = 144;  // of Linux 7.3
  const Bytes bytes = file_.bytes();
  const std::uint64_t count = attrs.size / attr_size;
  if (count > kMostAttrs) return add("it has {} events", count);
  std::uint64_t at = attrs.offset;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (at > bytes.size() || bytes.size() - at < perf_format::kAttrSizeMin)
      return add("attr {} is not in the file", i);
    const std::uint32_t stored = load<std::uint32_t>(bytes.data() + at + 4, file_.header.order);
    const std::uint32_t size = stored == 0 ? perf_format::kAttrSizeMin : stored;
    if (size < perf_format::kAttrSizeMin || size > kLargest)
      return add("attr {} has {} bytes", i, size);
    Cursor in(bytes.subspan(at), file_.header.order);
    in.skip(size);
    const perf_format::Section ids{in.u64(), in.u64()};
    if (!in.ok()) return add("attr {} is not in the file", i);
    if (ids.size % 8 != 0 || ids.size / 8 > kMostIds || !ids.inside(bytes.size()))
      return add("the ids of attr {} are not in the file, or no ids", i);
    at += size + kSectionBytes;
  }
}

// perf_header__process_sections
void Refusals::check_features(std::uint64_t table) {
  constexpr std::uint64_t kFeatures = 35;  // perf ignores later ones
  const Bytes bytes = file_.bytes();
  if (file_.header.features.none()) return;
  if (table >= bytes.size()) return add("the features are not in the file");
  Cursor in(bytes.subspan(table), file_.header.order);
  for (std::uint64_t number = 0; number < kFeatures; ++number) {
    if (!file_.header.features[number]) continue;
    const perf_format::Section section{in.u64(), in.u64()};
    if (!in.ok() || !section.inside(bytes.size())) {
      add("feature {} ({}) is not in the file as a whole", number,
          perf_format::feature_name(number));
      continue;
    }
    check_feature(number, perf_format::section_of(bytes, section));
  }
}

void Refusals::check_feature(std::uint64_t number, Bytes content) {
  const perf_format::Feature feature{number};
  const perf_format::PerfReader reader{file_.header.order, cpus_, online_, file_.events.recorded(),
                                       file_.main_path() != file_.path};
  std::string_view why =
      perf_format::why_perf_refuses(perf_format::perf_rule_of(number), content, reader);
  if (feature == perf_format::Feature::tracing_data)
    for (const perf_format::FeaturePresence& one : file_.features.present)
      if (one.number == number && (one.broken || one.size == 0)) why = "is broken";
  if (!why.empty()) add("feature {} ({}) {}", number, perf_format::feature_name(number), why);
  if (feature == perf_format::Feature::nrcpus) {
    Cursor in(content, file_.header.order);
    cpus_ = in.u32();
    online_ = in.u32();
  }
}

// evlist__prepare_tracepoint_events
void Refusals::check_tracepoints() {
  const auto& formats = file_.features.tracing.formats;
  for (std::size_t i = 0; i < file_.events.recorded(); ++i) {
    const Code& code = file_.events.list()[i].attr.code;
    const auto has = [&](const perf_format::TraceFormat& format) {
      return format.id == code.config[0];
    };
    if (code.type == kTypeTracepoint && std::none_of(formats.begin(), formats.end(), has))
      add("tracepoint {} has no format: TRACING_DATA is missing, or it lacks the tracepoint",
          code.config[0]);
  }
}

// Three of perf's own records had other sizes before these became multiples of 8.
bool may_be_odd(std::uint32_t type) {
  return type == perf_format::kRecordTracingData || type == perf_format::kRecordFeature ||
         type == perf_format::kRecordCompressed;
}

// perf_session__process_event and perf_session__process_user_event of tools/perf/util/session.c
std::string_view Refusals::why_refused(const perf_format::Record& record) {
  Cursor in(record.body(), file_.header.order);
  if (record.bytes.size() % 8 != 0 && !may_be_odd(record.type))
    return "has a size that is no multiple of 8";
  if (record.type < perf_format::kRecordUserFirst && !perf_format::is_known_type(record.type))
    return "has a type that perf does not know";
  if (perf_format::is_packed(record.type) && !file_.features.has(perf_format::Feature::compressed))
    return "comes without the feature COMPRESSED";
  if (record.type == kThreadMap && in.remaining() >= 8 && in.u64() > in.remaining() / 24)
    return "has more threads than it has room for";
  return {};
}

void Refusals::check_records(const Stream& stream) {
  perf_format::RecordReader reader(stream.bytes, file_.header.order, stream.offset);
  for (perf_format::Record record; reader.next(record);) {
    if (const std::string_view why = why_refused(record); !why.empty())
      return add("the record {} ({}) at {:#x} {}", perf_format::record_name(record.type),
                 record.type, record.offset, why);
    if (record.type == perf_format::kRecordFeature && record.body().size() > 8)
      check_feature(load<std::uint64_t>(record.body().data(), file_.header.order),
                    record.body().subspan(8));
    if (looked_ == Looked::first && begins_data(record.type)) return;
  }
}

}  // namespace

std::vector<std::string> perf_refusals(const File& file, Looked looked) {
  return Refusals(file, looked).take();
}

}  // namespace evname::stream
