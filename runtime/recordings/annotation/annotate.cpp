#include "evname/annotate.hpp"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "recordings/annotation/batch_writer.hpp"
#include "recordings/annotation/record_dump.hpp"
#include "recordings/annotation/sample_writers.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::annotation {
namespace {

constexpr Field kDefaults[] = {Field::comm, Field::pid, Field::tid, Field::time, Field::event};
constexpr Field kRowDefaults[] = {Field::comm, Field::pid,  Field::tid,
                                  Field::cpu,  Field::time, Field::event};

struct WriterRow {
  Format format;
  std::unique_ptr<SampleWriter> (*make)(const WriterSetup& setup);
  std::span<const Field> defaults;
};
constexpr auto kWriters =
    enum_table<&WriterRow::format>({{Format::text, make_text_writer, kDefaults},
                                    {Format::csv, make_row_writer, kRowDefaults},
                                    {Format::jsonl, make_row_writer, kRowDefaults},
                                    {Format::folded, make_folded_writer, kDefaults}});

/// Returns true for `ibs`, and for its registers and their parts.
bool is_ibs(Field field) { return row_of(field).name.starts_with("ibs"); }

/// Fills in the file and its events as text. `wants_descs`: with their descriptions.
void fill_names(FieldContext& context, const Recording& file, const ScriptOptions& options,
                bool wants_descs) {
  context.file = file.facts().path;
  std::size_t width = 0;
  for (const RecordedEvent& event : file.events()) {
    const bool symbolic = options.names == NameStyle::symbolic;
    context.names.push_back(symbolic ? event.full_name() : event.recorded_name);
    width = std::max(width, context.names.back().size());
    context.full_names.push_back(event.full_name());
    if (wants_descs) context.descs.push_back(perf_data::description_of(file.machine(), event));
  }
  context.printable = options.printable && options.format == Format::text;
  if (context.printable) {
    make_printable(context.file);
    for (auto* names : {&context.names, &context.full_names, &context.descs})
      for (std::string& name : *names) make_printable(name);
  }
  for (const std::string& name : context.names)
    context.padded_names.emplace_back(std::string(width - name.size(), ' ') + name + ": ");
}

/// Fills in the print formats of tracepoints.
void fill_prints(FieldContext& context, const Recording& file) {
  const perf_format::TracingData& tracing = detail::state_of(file).file.features.tracing;
  std::unordered_map<const perf_format::TraceFormat*, PrintFormat> parsed;
  for (const perf_format::Event& event : detail::state_of(file).file.events.list()) {
    const perf_format::TraceFormat* const format = event.format;
    const auto [at, is_new] = parsed.try_emplace(format);
    if (is_new && format) at->second = PrintFormat::parse(*format, tracing.long_size);
    context.prints.push_back(at->second);
  }
}

/// Finds the events with callchains in their text: they sample them and print ip.
void fill_chains(FieldContext& context, const Recording& file, const ScriptOptions& options,
                 std::span<const Field> fields) {
  const auto& events = detail::state_of(file).file.events.list();
  for (std::size_t i = 0; i < file.events().size(); ++i) {
    if (!options.event_fields.empty()) fields = options.event_fields[i];
    context.has_chains.push_back(has_any(fields, {Field::ip}) &&
                                 events[i].attr.samples(perf_format::kSampleCallchain) &&
                                 !options.style.hides_callers);
  }
}

/// Finds the parts of locations and of code that the text of each event has.
void fill_parts(FieldContext& context, const Recording& file, const ScriptOptions& options,
                std::span<const Field> fields) {
  for (std::size_t i = 0; i < file.events().size(); ++i) {
    if (!options.event_fields.empty()) fields = options.event_fields[i];
    const auto wants = [&](Field field) { return has_any(fields, {field}); };
    context.location_fields.push_back(
        {wants(Field::ip), wants(Field::sym), wants(Field::symoff),
         wants(Field::dso) || (wants(Field::dsoff) && options.event_fields.empty()),
         wants(Field::dsoff), wants(Field::srcline)});
    context.block_fields.push_back({wants(Field::brstackinsnlen), wants(Field::brstackdisasm),
                                    wants(Field::srcline), wants(Field::brcntr),
                                    wants(Field::srccode)});
  }
}

FieldContext make_context(const Recording& file, const ScriptOptions& options,
                          std::span<const Field> fields) {
  const auto wants = [&](Field field) { return has_any(fields, {field}); };
  FieldContext context;
  fill_names(context, file, options, wants(Field::desc));
  if (options.format == Format::text && wants(Field::trace)) fill_prints(context, file);
  if (wants(Field::brcntr) || wants(Field::brcounts))
    context.branch_counters = BranchCounters(file, context.printable);
  if (std::any_of(fields.begin(), fields.end(), is_ibs))
    context.ibs = perf_data::IbsReader::of(file);
  context.events = &detail::state_of(file).file.events;
  context.big_endian = detail::state_of(file).file.header.order == std::endian::big;
  context.arch = perf_format::architecture(perf_data::features_of(file), context.big_endian);
  fill_chains(context, file, options, fields);
  fill_parts(context, file, options, fields);
  context.style = options.style;
  context.clock = perf_data::features_of(file).clock;
  return context;
}

/// Returns true if functions or files are asked for, or callers that the kernel did not record.
bool needs_locations(const Recording& file, const ScriptOptions& options,
                     std::span<const Field> fields) {
  const auto& events = detail::state_of(file).file.events.list();
  const bool has_registers =
      std::any_of(events.begin(), events.end(), [](const perf_format::Event& event) {
        return event.has_callchain() && event.attr.samples(perf_format::kSampleRegsUser);
      });
  return options.format == Format::folded || options.filter.needs_symbols() ||
         options.places.any() || options.dump ||
         has_any(fields, {Field::sym, Field::symoff, Field::dso, Field::dsoff, Field::srcline,
                          Field::build_id, Field::frames, Field::brstacksym, Field::brstackoff,
                          Field::insnlen, Field::insn, Field::disasm, Field::brstackinsn,
                          Field::brstackinsnlen, Field::brstackdisasm, Field::srccode}) ||
         (options.format == Format::text && has_registers && has_any(fields, {Field::ip}));
}

/// Returns true if inlined calls are asked for. perf script's text has them only in callchains.
bool asks_for_calls(const ScriptOptions& options, std::span<const Field> fields, bool chains) {
  return options.format == Format::folded || !options.filter.sym.empty() ||
         has_any(fields, {Field::srcline, Field::frames, Field::srccode}) ||
         (options.format == Format::text && chains && !options.style.hides_callers &&
          has_any(fields, {Field::sym}));
}

/// Returns true if sources are asked for.
bool asks_for_lines(std::span<const Field> fields) {
  return has_any(fields, {Field::srcline, Field::frames, Field::srccode});
}

/// Returns the requested fields of all events.
std::vector<Field> all_fields_of(const ScriptOptions& options) {
  std::vector<Field> fields = options.fields;
  if (!options.event_fields.empty()) fields.clear();
  for (const std::vector<Field>& some : options.event_fields)
    for (const Field field : some)
      if (!has_any(fields, {field})) fields.push_back(field);
  return fields;
}

/// Returns the bytes of a recording that stay in memory while it is read.
Bytes mapped_bytes(const stream::File& file) {
  return file.streams.size() == 1 && !file.streams[0].more ? file.streams[0].bytes : Bytes();
}

/// Threads use the cursor's names, so they end before the cursor even if an exception is thrown.
struct Stop {
  BatchWriter& writer;
  ~Stop() { writer.stop(); }
};

/// Counts samples of IBS whose raw data lacks registers. Their lines have the registers that are
/// there.
class IbsFaults {
 public:
  IbsFaults(const Recording& file, const std::optional<perf_data::IbsReader>& ibs)
      : file_(detail::state_of(file).file), ibs_(ibs) {}

  void check(const perf_format::SampleRecord& sample) {
    if (!ibs_) return;
    const std::size_t attr = file_.events.index_of(*sample.event);
    if (ibs_->kind(attr) == perf_data::IbsKind::none) return;
    perf_format::SampleRecord whole;  // the cursor may have parsed only its thread
    whole.record = sample.record;
    perf_format::parse_sample(*sample.event, file_.header.order, whole);
    const Bytes raw = whole.raw;
    if (ibs_->read(attr, {reinterpret_cast<const char*>(raw.data()), raw.size()})) return;
    if (count_++ == 0) first_ = fmt::format("{:#x}, of {} bytes", sample.record.offset, raw.size());
  }

  SampleTally add_to(SampleTally tally) const {
    if (count_ > 0)
      tally.warnings.push_back(
          counted(count_, "IBS sample has", "IBS samples have") +
          " raw data that is not a valid sample or too short for all registers; the first is at " +
          first_);
    return tally;
  }

 private:
  const stream::File& file_;
  std::optional<perf_data::IbsReader> ibs_;
  std::uint64_t count_ = 0;
  std::string first_;
};

/// One run of annotate().
class Annotation {
 public:
  Annotation(const Recording& file, const ScriptOptions& options, std::vector<Field> fields,
             const TextSink& sink)
      : file_(file),
        options_(options),
        fields_(std::move(fields)),
        sink_(sink),
        context_(make_context(file, options, fields_)),
        out_(sink),
        lines_(make_writer(context_, out_)) {
    if ((options.others.any() || options.others.counts) && options.format == Format::text)
      others_.emplace(file, options, fields_, context_, out_);
    if (options.dump) dump_.emplace(file, *options.dump, context_, out_);
    needs_maps_ = needs_locations(file, options, fields_) ||
                  std::ranges::any_of(context_.prints, &PrintFormat::names_functions);
    if (!needs_maps_) return;
    if (!options.symbols) own_symbols_.emplace();
    context_.locations.emplace(file, options.symbols ? *options.symbols : *own_symbols_,
                               asks_for_calls(options, fields_, samples_callchains()),
                               asks_for_lines(fields_));
  }

  SampleTally run() {
    lines_->begin();
    SampleTally tally;
    const unsigned writers = count_writers();
    if (options_.limit > 0) tally = writers > 0 ? run_in_batches(writers) : run_one_by_one();
    lines_->end();
    out_.flush();
    tally.selected = selected_;
    return tally;
  }

 private:
  std::unique_ptr<SampleWriter> make_writer(FieldContext& context, Output& out) const {
    return kWriters[options_.format].make({file_, options_, fields_, context, out});
  }

  bool wants(Field field) const { return has_any(fields_, {field}); }

  bool samples_callchains() const {
    const auto& events = detail::state_of(file_).file.events.list();
    return std::any_of(events.begin(), events.end(),
                       [](const perf_format::Event& event) { return event.has_callchain(); });
  }

  /// Returns true if each sample's text is independent of the others.
  bool is_independent() const {
    const bool widths_grow = options_.format == Format::text && wants(Field::data_src);
    // A batch has no records other than its own.
    const bool alone = !detail::state_of(file_).file.events.defer_callchains() &&
                       !(options_.format == Format::text && wants(Field::cgroup)) &&
                       !wants(Field::srccode) && options_.style.times == TimesFrom::clock &&
                       !options_.on_off.on && !options_.on_off.off && !options_.dump;
    return options_.limit == UINT64_MAX && !options_.pass.waits && !widths_grow && alone;
  }

  /// Returns true if naming takes so much longer than reading that the thread that reads mostly
  /// waits.
  bool reads_debug_info() const {
    const bool inlines = !options_.symbols || options_.symbols->has_calls();
    return asks_for_lines(fields_) ||
           (inlines && asks_for_calls(options_, fields_, samples_callchains()));
  }

  /// Returns the number of threads that write text for the one that reads; 0 if that one writes it.
  unsigned count_writers() const {
    const unsigned jobs = perf_data::jobs_of(pass_);
    if (jobs == 1 || !is_independent()) return 0;
    if (reads_debug_info()) return jobs;
    // Handing samples to only one thread costs as much as it saves.
    return jobs == 2 ? 0 : jobs - 1;
  }

  Selection select(FieldContext& context) const {
    return detail::Access::make<Selection>(options_.filter, file_,
                                           context.locations ? &*context.locations : nullptr);
  }

  /// Returns true if the sample is of the event, and in the files and functions, of the options:
  /// machine__resolve of tools/perf/util/event.c.
  bool is_chosen(const Sample& sample, FieldContext& context) const {
    if (options_.only_event && options_.only_event != sample.event().attr) return false;
    const NamedPlaces& places = options_.places;
    if (!places.any()) return true;
    const Address address = perf_data::instruction_of(sample);
    const Locations::Named& location = context.locations->at(sample, address);
    const auto has = [](const auto& list, const auto& item) {
      return std::find(list.begin(), list.end(), item) != list.end();
    };
    if (!places.files.empty() &&
        !(location.is_mapped &&
          (has(places.files, location.dso) || has(places.files, last_part(location.dso)))))
      return false;
    if (places.functions.empty() && places.addresses.empty()) return true;
    const Frame& frame = location.frames.back();
    const std::uint64_t ip = address.value;
    return (!frame.function.empty() && has(places.functions, frame.function)) ||
           (location.is_mapped && std::ranges::any_of(places.addresses, [&](std::uint64_t first) {
              return ip == first || ip - first < places.range;
            }));
  }

  /// Follows the switching events. evswitch__discard of tools/perf/util/evswitch.c.
  bool is_switched_on(const Sample& sample) {
    const EventSwitch& on_off = options_.on_off;
    const std::size_t attr = sample.event().attr;
    if (on_off.on && is_off_) {
      if (on_off.on != attr) return false;
      is_off_ = false;
      return on_off.shows_both;
    }
    if (!on_off.off || is_off_ || on_off.off != attr) return true;
    is_off_ = true;
    return on_off.shows_both;
  }

  SampleTally run_one_by_one() {
    const detail::RecordingState& state = detail::state_of(file_);
    const Selection selection = select(context_);
    session::RecordCursor cursor(state.file, pass_,
                                 {.leaves_traces = dump_.has_value(), .maps = needs_maps_});
    std::uint64_t selected = 0;
    while (selected < options_.limit && cursor.next()) {
      if (dump_) dump_->write(cursor);
      if (!cursor.is_sample()) {
        if (others_ && !others_->write(cursor)) break;
        continue;
      }
      ibs_faults_.check(cursor.sample());
      const Sample sample = detail::sample_at(state, cursor);
      if (!selection.accepts(sample) || !is_chosen(sample, context_) || !is_switched_on(sample))
        continue;
      ++selected;
      if (options_.dump && options_.dump->is_of_report) continue;
      if (!lines_->sample(sample)) break;
    }
    selected_ = selected;
    cursor.end();
    return ibs_faults_.add_to(cursor.tally());
  }

  SampleTally run_in_batches(unsigned writers) {
    out_.flush();
    const stream::File& recording = detail::state_of(file_).file;
    BatchWriter writer(
        recording.events, mapped_bytes(recording), writers, [this] { return make_batch_write(); },
        sink_);
    session::CursorOptions more;
    more.threads_only = true;
    more.maps = needs_maps_;
    more.before_mapping = [&] { writer.finish(); };
    session::RecordCursor cursor(recording, pass_, more);
    const Stop stop{writer};
    while (cursor.next()) {
      if (cursor.is_sample() ? !writer.add(cursor) : !write_other(cursor, writer)) break;
      if (cursor.is_sample()) ibs_faults_.check(cursor.sample());
    }
    cursor.end();
    writer.finish();
    writer.stop();
    for (auto& thread : threads_) {
      lines_->take(*thread->lines);
      thread.reset();
    }
    return ibs_faults_.add_to(cursor.tally());
  }

  /// Writes the line of a record after the lines of all earlier samples. Returns false if the sink
  /// wants no more.
  bool write_other(session::RecordCursor& cursor, BatchWriter& writer) {
    if (!others_ || !others_->wants(cursor.record().type)) return true;
    return writer.finish() && others_->write(cursor) && out_.flush();
  }

  /// A thread's own writer and its data, in cache lines that no other thread writes to.
  struct alignas(128) Thread {
    explicit Thread(const Annotation& all)
        : context(all.context_),
          selection(all.select(context)),
          out(sink, SIZE_MAX),
          lines(all.make_writer(context, out)) {}
    FieldContext context;
    Selection selection;
    TextSink sink;  ///< gets nothing: batches take the text
    Output out;
    std::unique_ptr<SampleWriter> lines;
  };

  BatchWriter::Write make_batch_write() {
    threads_.push_back(std::make_unique<Thread>(*this));
    return [this, thread = threads_.back().get()](Batch& batch) {
      thread->out.swap(batch.text);
      std::uint64_t selected = 0;
      batch.for_each(detail::state_of(file_), [&](const Sample& sample) {
        if (!thread->selection.accepts(sample) || !is_chosen(sample, thread->context)) return true;
        ++selected;
        return thread->lines->sample(sample);
      });
      selected_ += selected;
      thread->out.swap(batch.text);
    };
  }

  const Recording& file_;
  const ScriptOptions& options_;
  std::vector<Field> fields_;
  const TextSink& sink_;
  std::optional<Symbols> own_symbols_;
  FieldContext context_;
  Output out_;
  std::unique_ptr<SampleWriter> lines_;
  std::optional<RecordLines> others_;
  std::optional<RecordDump> dump_;
  IbsFaults ibs_faults_{file_, context_.ibs};
  std::atomic<std::uint64_t> selected_ = 0;
  PassOptions pass_ = options_.pass;
  bool needs_maps_ = false;
  bool is_off_ = options_.on_off.on.has_value();  ///< see is_switched_on()
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace

Result<SampleTally> annotate(const Recording& file, const ScriptOptions& options,
                             const TextSink& sink) {
  const auto is_field = [](Field field) {
    return static_cast<std::size_t>(field) < all_fields().size();
  };
  if (!kWriters.find(options.format) || !std::ranges::all_of(options.fields, is_field))
    return fail(Errc::invalid_argument, "there is no such format or field");
  std::vector<Field> fields = all_fields_of(options);
  if (fields.empty()) {
    const auto defaults = kWriters[options.format].defaults;
    fields.assign(defaults.begin(), defaults.end());
  }
  const auto ready = check_fields(file, options.format, options.fields)
                         .and_then([&] { return options.filter.check(file); })
                         .and_then([&] { return perf_data::check_waits(file, options.pass); });
  if (!ready) return fail(ready);
  return perf_data::unless_cancelled(Annotation(file, options, std::move(fields), sink).run());
}

}  // namespace evname::annotation

namespace evname {

std::span<const Field> default_fields(Format format) {
  const auto* const row = annotation::kWriters.find(format);
  return row ? row->defaults : std::span<const Field>();
}

Result<SampleTally> annotate(const Recording& file, const AnnotateOptions& options,
                             const TextSink& sink) {
  return annotation::annotate(file, {options}, sink);
}

}  // namespace evname
