#include "recordings/rewriting/copies.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/bytes.hpp"

namespace evname::rewriting {
namespace {

using perf_format::kFileHeader, perf_format::kSmallHeader;

constexpr auto kAuxtrace = static_cast<std::uint64_t>(perf_format::Feature::auxtrace);
constexpr std::size_t kAttrsOffset = 24, kDataOffset = 40, kDataSize = 48, kBitmap = 72;

/// The parts of a file around its data section, with the original's offsets.
class Image {
 public:
  Image(const stream::File& file)
      : order_(file.header.order),
        data_(file.header.data),
        head_(text_of(file.bytes().first(file.header.data.offset))),
        tail_(text_of(file.bytes().subspan(file.header.data.offset + file.header.data.size))) {}

  std::uint64_t tail_offset() const { return data_.offset + data_.size; }
  std::string& head() { return head_; }
  std::string& tail() { return tail_; }
  std::uint64_t end() const { return tail_offset() + tail_.size(); }

  /// The data section stays as it is.
  void put_u64(std::uint64_t at, std::uint64_t value) {
    ByteWriter word(order_);
    word.u64(value);
    std::string& part = at < data_.offset ? head_ : tail_;
    const std::uint64_t begin = at < data_.offset ? 0 : tail_offset();
    if (at >= begin && at - begin + 8 <= part.size()) part.replace(at - begin, 8, word.bytes());
  }

 private:
  std::endian order_;
  perf_format::Section data_;
  std::string head_, tail_;
};

// -1 if there is no path to open: the mapping is written.
int open_source(const stream::File& file) {
  auto source = open_regular(file.main_path());
  return source ? source->release() : -1;
}

class Changer {
 public:
  Changer(const stream::File& file, const NewFeature& feature)
      : file_(file),
        header_(file.header),
        image_(file),
        number_(static_cast<std::uint64_t>(feature.number)),
        content_(feature.content) {}

  /// Leaves samples that are not chosen out of the data section.
  Result<ChosenStream> choose(const ChosenSamples& chosen, const StreamEdits& edits,
                              OutputFile& out) {
    chosen_ = &chosen;
    edits_ = &edits;
    auto measured = for_chosen(file_, file_.streams[0], chosen, edits,
                               [&](Bytes piece) { return out.go_on(piece.size()); });
    if (measured) fit_data(*measured);
    return measured;
  }

  /// Does the same and writes the file in one walk of the records, if it needs no other change;
  /// then rewrites the head of the file.
  Result<ChosenStream> write_chosen(const ChosenSamples& chosen, const StreamEdits& edits,
                                    OutputFile& out) {
    edits_ = &edits;
    if (auto done = out.write(image_.head()); !done) return fail(done);
    auto written = write_data(chosen, out);
    if (!written) return written;
    fit_data(*written);
    Result<void> done = out.write(image_.tail());
    if (done) done = out.replace(image_.head());
    if (!done) return fail(done);
    return written;
  }

  /// Returns true if a file with other data needs no other change.
  bool is_complete() const { return has_table() || header_.size < kFileHeader; }

  Result<void> apply() {
    if (header_.size < kFileHeader) return grow_header();
    if (!has_table()) return end_cut_file();
    if (header_.features[number_]) {
      replace_feature();
    } else {
      add_feature();
    }
    return {};
  }

  Result<void> write(OutputFile& out) {
    const int source = open_source(file_);
    const Bytes data = chosen_ ? Bytes() : file_.bytes().subspan(header_.data.offset, data_size_);
    Result<void> done = out.write(image_.head());
    if (done && chosen_) {
      if (const auto written = write_data(*chosen_, out); !written) done = fail(written);
    } else if (done) {
      done = out.copy(source, header_.data.offset, data);
    }
    if (done) done = out.write(image_.tail());
    if (source >= 0) ::close(source);
    return done;
  }

 private:
  Result<ChosenStream> write_data(const ChosenSamples& chosen, OutputFile& out) const {
    return for_chosen(file_, file_.streams[0], chosen, *edits_,
                      [&](Bytes piece) { return out.write(text_of(piece)); });
  }

  /// Adjusts the parts around the data to the chosen samples.
  void fit_data(const ChosenStream& chosen) {
    data_size_ = chosen.size;
    shrunk_ = header_.data.size - data_size_;
    image_.put_u64(kDataSize, data_size_);
    if (!has_table()) return;
    move_pointers(UINT64_MAX, 0);
    move_traces(chosen.traces);
  }

  bool has_table() const {
    return header_.feature_table != 0 &&
           perf_format::Section{header_.feature_table,
                                header_.features.count() * perf_format::kSectionBytes}
               .inside(file_.bytes().size());
  }

  /// Returns the new offset of a part that moves only with the data.
  std::uint64_t placed(std::uint64_t offset) const {
    return offset >= image_.tail_offset() ? offset - shrunk_ : offset;
  }

  /// The index of AUXTRACE records: a count, then offset and size of each.
  void move_traces(const std::vector<MovedTrace>& traces) {
    if (!header_.features[kAuxtrace] || traces.empty()) return;
    const perf_format::Section index = row(kAuxtrace);
    Cursor in(perf_format::section_of(file_.bytes(), index), header_.order);
    const std::uint64_t count = in.u64();
    for (std::uint64_t i = 0; i < count && in.remaining() >= 2 * sizeof(std::uint64_t); ++i) {
      const std::uint64_t at = index.offset + in.position(), offset = in.u64();
      in.u64();  // size
      const auto moved = std::lower_bound(traces.begin(), traces.end(), MovedTrace{offset, 0});
      if (moved != traces.end() && moved->first == offset)
        image_.put_u64(at, header_.data.offset + moved->second);
    }
  }

  std::uint64_t row_at(std::uint64_t number) const {
    std::uint64_t before = 0;
    for (std::uint64_t bit = 0; bit < number; ++bit) before += header_.features[bit];
    return header_.feature_table + before * perf_format::kSectionBytes;
  }

  perf_format::Section row(std::uint64_t number) const {
    const std::uint8_t* at = file_.bytes().data() + row_at(number);
    return {load<std::uint64_t>(at, header_.order), load<std::uint64_t>(at + 8, header_.order)};
  }

  void place_content(std::uint64_t row_offset) {
    image_.tail().append((8 - placed(image_.end()) % 8) % 8, '\0');
    image_.put_u64(row_offset, placed(image_.end()));
    image_.put_u64(row_offset + 8, content_.size());
    image_.tail() += content_;
  }

  void replace_feature() {
    const perf_format::Section old = row(number_);
    if (old.inside(file_.bytes().size()) && old.size >= content_.size() &&
        old.offset >= image_.tail_offset()) {
      image_.tail().replace(old.offset - image_.tail_offset(), content_.size(), content_);
      return image_.put_u64(row_at(number_) + 8, content_.size());
    }
    place_content(row_at(number_));
  }

  /// Adds the growth of the table to all offsets past it.
  void move_pointers(std::uint64_t after, std::uint64_t by) {
    const auto moved = [&](std::uint64_t offset) {
      return placed(offset >= after ? offset + by : offset);
    };
    for (std::uint64_t bit = 0; bit < header_.features.size(); ++bit)
      if (header_.features[bit]) image_.put_u64(row_at(bit), moved(row(bit).offset));
    for (const perf_format::Event& event :
         std::span(file_.events.list()).first(file_.events.recorded())) {
      const std::uint64_t ids = event.stored.offset + event.stored.size;  // offset, size
      const Bytes at = perf_format::section_of(file_.bytes(), {ids, 8});
      if (!at.empty()) image_.put_u64(ids, moved(load<std::uint64_t>(at.data(), header_.order)));
    }
    image_.put_u64(kAttrsOffset, moved(header_.attrs.offset));
  }

  void add_feature() {
    const std::uint64_t at = row_at(number_);
    const std::uint64_t after =
        header_.feature_table + header_.features.count() * perf_format::kSectionBytes;
    move_pointers(after, perf_format::kSectionBytes);
    image_.tail().insert(at - image_.tail_offset(), perf_format::kSectionBytes, '\0');
    set_bitmap(true);
    place_content(at);
  }

  /// Sets the feature's bit, in addition to the existing ones if `keep` is true.
  void set_bitmap(bool keep) {
    std::bitset<256> bits = keep ? header_.features : std::bitset<256>{};
    bits.set(number_);
    ByteWriter out(header_.order);
    for (std::size_t half = 0; half < 8; ++half) {
      const std::size_t from =
          header_.narrow_bitmap ? half : half ^ (header_.order == std::endian::big);
      std::uint32_t word = 0;
      for (std::size_t bit = 0; bit < 32; ++bit)
        word |= static_cast<std::uint32_t>(bits[from * 32 + bit]) << bit;
      out.u32(word);
    }
    image_.head().replace(kBitmap, out.size(), out.bytes());
  }

  Result<void> end_cut_file() {
    if (header_.attrs.offset >= header_.data.offset)
      return fail(Errc::unsupported, "recording was cut off, and its events are after its data",
                  file_.path);
    if (!chosen_) {
      perf_format::RecordReader reader(
          file_.bytes().subspan(header_.data.offset, header_.data.size), header_.order);
      for (perf_format::Record record; reader.next(record);) data_size_ = reader.offset();
    }
    image_.put_u64(kDataSize, data_size_);
    set_bitmap(false);
    end_with_content(header_.data.offset + data_size_);
    return {};
  }

  /// Makes a feature table of one row, which begins there, the end of the file.
  void end_with_content(std::uint64_t table) {
    ByteWriter row(header_.order);
    row.u64(table + perf_format::kSectionBytes);
    row.u64(content_.size());
    image_.tail() = row.bytes() + content_;
  }

  /// The header of 72 bytes has no bitmap of features, so the following parts move.
  Result<void> grow_header() {
    constexpr std::uint64_t kBy = kFileHeader - kSmallHeader;
    if (header_.size != kSmallHeader || !image_.tail().empty() ||
        header_.attrs.offset >= header_.data.offset)
      return fail(Errc::unsupported, "nothing can be added to this old form of file", file_.path);
    move_pointers(kSmallHeader, kBy);
    image_.put_u64(8, kFileHeader);
    image_.put_u64(kDataOffset, header_.data.offset + kBy);
    image_.head().insert(kBitmap, kBy, '\0');
    set_bitmap(false);
    end_with_content(header_.data.offset + kBy + data_size_);
    return {};
  }

  const stream::File& file_;
  const perf_format::Header& header_;
  Image image_;
  std::uint64_t number_;  ///< of the feature
  const std::string& content_;
  std::uint64_t data_size_ = file_.header.data.size;
  const ChosenSamples* chosen_ = nullptr;  ///< nullptr: all samples
  const StreamEdits* edits_ = nullptr;     ///< of `chosen_`
  std::uint64_t shrunk_ = 0;               ///< the data shrink by this; may be below 0
};

}  // namespace

Result<void> write_as_is(const stream::File& file, OutputFile& out) {
  const int source = open_source(file);
  const Result<void> done = out.copy(source, 0, file.bytes());
  if (source >= 0) ::close(source);
  return done;
}

Result<void> check_header(const stream::File& file) {
  if (file.header.data.offset >= file.header.size) return {};
  return fail(Errc::unsupported, "the data are inside of the header", file.path);
}

// u32 count, u32 attr size, then attr, u32 ids, name, ids for each event.
NewFeature event_desc(const stream::File& file, std::span<const std::string> names) {
  constexpr std::uint64_t kLongest = 4096;  // the kernel refuses an attr that is longer than a page
  std::uint64_t attr_size = perf_format::kAttrSizeMin;
  for (const perf_format::Event& event : file.events.list())
    attr_size = std::max(attr_size, std::min<std::uint64_t>(event.stored.size, kLongest));
  ByteWriter out(file.header.order);
  out.u32(static_cast<std::uint32_t>(names.size()));
  out.u32(static_cast<std::uint32_t>(attr_size));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const perf_format::Event& event = file.events.list()[i];
    const Bytes stored = perf_format::section_of(file.bytes(), event.stored);
    const Bytes attr = stored.first(std::min<std::uint64_t>(stored.size(), attr_size));
    out.raw(attr);
    out.zeros(attr_size - attr.size());
    out.u32(static_cast<std::uint32_t>(event.ids.size()));
    out.u32(static_cast<std::uint32_t>((names[i].size() + 64) / 64 * 64));
    out.text(names[i], 64);
    for (const std::uint64_t id : event.ids) out.u64(id);
  }
  return {perf_format::Feature::event_desc, out.bytes()};
}

Result<void> write_changed_file(const stream::File& file, const NewFeature& feature,
                                OutputFile& out) {
  if (auto done = check_header(file); !done) return done;
  Changer changer(file, feature);
  if (auto done = changer.apply(); !done) return done;
  return changer.write(out);
}

Result<ChosenStream> write_chosen_file(const stream::File& file, const NewFeature& feature,
                                       bool is_needed, const ChosenSamples& chosen,
                                       const StreamEdits& edits, OutputFile& out) {
  if (auto done = check_header(file); !done) return fail(done);
  Changer changer(file, feature);
  if (!is_needed && changer.is_complete() && out.can_replace())
    return changer.write_chosen(chosen, edits, out);
  auto measured = changer.choose(chosen, edits, out);
  if (!measured) return measured;
  Result<void> done;
  if (is_needed || !changer.is_complete()) done = changer.apply();
  if (done) done = changer.write(out);
  if (!done) return fail(done);
  return measured;
}

Result<ChosenStream> write_chosen_stream(const stream::File& file, const stream::Stream& stream,
                                         const ChosenSamples& chosen, const StreamEdits& edits,
                                         OutputFile& out) {
  return for_chosen(file, stream, chosen, edits,
                    [&](Bytes piece) { return out.write(text_of(piece)); });
}

namespace {

std::string update_records(const stream::File& file, std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const perf_format::Event& event = file.events.list()[i];
    if (event.ids.empty() && names.size() > 1) continue;  // the record could not identify the event
    if (event.name == names[i]) continue;
    out += perf_format::make_name_update(file.header.order, event.ids.empty() ? 0 : event.ids[0],
                                         names[i]);
  }
  return out;
}

/// Returns true if the record gives an event another name than `names`.
bool is_overruled(const perf_format::Record& record, const stream::File& file,
                  std::span<const std::string> names) {
  if (record.type != perf_format::kRecordEventUpdate) return false;
  Cursor in(record.body(), file.header.order);
  const std::uint64_t kind = in.u64(), id = in.u64();
  if (!in.ok() || kind != perf_format::kUpdateName) return false;
  const std::uint32_t index = file.events.size() == 1 ? 0 : file.events.index_of(id);
  return index < names.size() && file.events.list()[index].name != names[index];
}

/// Returns the records of a feature in a pipe: the number, then a piece of the content.
std::string feature_records(std::endian order, const NewFeature& feature) {
  constexpr std::size_t kPiece = 60'000;
  std::string records;
  for (std::string_view rest = feature.content; !rest.empty();) {
    const std::string_view piece = rest.substr(0, kPiece);
    rest.remove_prefix(piece.size());
    ByteWriter body(order);
    body.u64(static_cast<std::uint64_t>(feature.number));
    body.raw(piece);
    records += perf_format::make_record(order, perf_format::kRecordFeature, 0, body.bytes());
  }
  return records;
}

bool is_of(const NewFeature& feature, const perf_format::Record& record, std::endian order) {
  return !feature.content.empty() && record.type == perf_format::kRecordFeature &&
         Cursor(record.body(), order).u64() == static_cast<std::uint64_t>(feature.number);
}

Result<void> copy_rest(stream::OneWay& pipe, OutputFile& out) {
  std::vector<std::uint8_t> buffer(256 << 10);
  for (;;) {
    if (auto ready = out.wait_for(pipe.fd()); !ready) return ready;
    const auto got = pipe.read(buffer.data(), buffer.size());
    if (!got) return fail(got);
    if (*got == 0) return {};
    if (auto done = out.write(text_of(Bytes(buffer).first(*got))); !done) return done;
  }
}

std::string pipe_header(std::endian order) {
  ByteWriter header(order);
  header.u64(0x32454c4946524550);  // "PERFILE2"
  header.u64(16);
  return header.bytes();
}

/// Returns the end of the last of `count` events; 0 if they are not all there.
std::uint64_t end_of_events(const stream::Stream& stream, std::endian order, std::size_t count) {
  std::size_t events = 0;
  perf_format::RecordReader reader(stream.bytes, order);
  for (perf_format::Record record; reader.next(record);)
    if (record.type == perf_format::kRecordAttr && ++events == count) return reader.offset();
  return 0;
}

}  // namespace

// The names go after the last of the events.
Result<void> write_named_pipe(const stream::File& file, std::span<const std::string> names,
                              OutputFile& out) {
  const stream::Stream& stream = file.streams[0];
  if (stream.more && !stream.more->take())
    return fail(Errc::invalid_argument, "standard input can be read only once");
  Result<void> done = out.write(pipe_header(file.header.order));
  const std::uint64_t place = end_of_events(stream, file.header.order, names.size());
  perf_format::RecordReader reader(stream.bytes, file.header.order);
  std::uint64_t from = 0;
  const auto copy_to = [&](std::uint64_t end) {
    if (done) done = out.write(text_of(stream.bytes.subspan(from, end - from)));
    from = end;
  };
  bool written = false;
  for (perf_format::Record record; done && reader.next(record);) {
    const std::uint64_t start = record.offset, end = reader.offset();
    if (!written && start >= place) {
      copy_to(start);
      if (done) done = out.write(update_records(file, names));
      written = true;
    }
    if (is_overruled(record, file, names)) {
      copy_to(start);
      from = end;
    }
  }
  copy_to(stream.bytes.size());
  if (done && !written) done = out.write(update_records(file, names));
  if (done && stream.more) done = copy_rest(*stream.more, out);
  return done;
}

Result<ChosenStream> write_chosen_pipe(const stream::File& file, std::span<const std::string> names,
                                       const NewFeature& feature, const ChosenSamples& chosen,
                                       StreamEdits edits, OutputFile& out) {
  const stream::Stream& stream = file.streams[0];
  if (auto done = out.write(pipe_header(file.header.order)); !done) return fail(done);
  edits.insert = update_records(file, names) + feature_records(file.header.order, feature);
  edits.insert_at = end_of_events(stream, file.header.order, names.size());
  edits.drops = [&](const perf_format::Record& record) {
    return is_overruled(record, file, names) || is_of(feature, record, file.header.order);
  };
  return for_chosen(file, stream, chosen, edits,
                    [&](Bytes piece) { return out.write(text_of(piece)); });
}

}  // namespace evname::rewriting
