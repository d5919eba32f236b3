// Implements the records other than samples, and the fields of tracepoints, of recordings.h, and
// decoded.h.

#include <algorithm>
#include <variant>

#include "c/handles.hpp"
#include "evname/decoded.hpp"
#include "perf_format/trace_data.hpp"
#include "recordings/perf_data/recording_state.hpp"

using namespace evname::c;

namespace {

using evname::Record;

/// Sets the fields of a record that is no sample.
class Fill {
 public:
  Fill(evname_record& out, std::vector<std::uint64_t>& words) : out_(out), words_(words) {}

#define EVNAME_SET(name, NAME, value) \
  (out_.name = value, out_.fields |= std::uint64_t{1} << EVNAME_RECORD_BIT_##NAME)
#define EVNAME_SET_BYTES(name, NAME, value) \
  (out_.name##_size = (value).size(), EVNAME_SET(name, NAME, (value).data()))
#define EVNAME_SET_IDENTITY(name, NAME) \
  if (from.name) EVNAME_SET(name, NAME, *from.name);

  void identity(const Record& from) {
    out_.type = from.type;
    out_.misc = from.misc;
    out_.place = from.offset;
    out_.event = from.event != nullptr ? from.event->attr : UINT64_MAX;
    EVNAME_SET_IDENTITY(time, TIME)
    EVNAME_SET_IDENTITY(id, ID)
    EVNAME_SET_IDENTITY(pid, PID)
    EVNAME_SET_IDENTITY(tid, TID)
    EVNAME_SET_IDENTITY(cpu, CPU)
  }

  void operator()(const Record::Other& from) { EVNAME_SET_BYTES(bytes, BYTES, from.bytes); }
  void operator()(const evname::Sample*) {}
  void operator()(const Record::Map& from) {
    thread(from);
    EVNAME_SET(address, ADDRESS, from.start);
    EVNAME_SET(size, SIZE, from.size);
    EVNAME_SET(offset, OFFSET, from.offset);
    EVNAME_SET(protection, PROTECTION, from.protection);
    EVNAME_SET(flags, FLAGS, from.flags);
    EVNAME_SET(is_data, IS_DATA, from.is_data);
    EVNAME_SET_BYTES(name, NAME, from.file);
    if (!from.build_id.empty()) {
      EVNAME_SET_BYTES(build_id, BUILD_ID, from.build_id);
    } else {
      EVNAME_SET(device_major, DEVICE_MAJOR, from.device_major);
      EVNAME_SET(device_minor, DEVICE_MINOR, from.device_minor);
      EVNAME_SET(inode, INODE, from.inode);
      EVNAME_SET(generation, GENERATION, from.generation);
    }
  }
  void operator()(const Record::Lost& from) {
    EVNAME_SET(own_id, OWN_ID, from.id);
    EVNAME_SET(lost, LOST, from.lost);
  }
  void operator()(const Record::Comm& from) {
    thread(from);
    EVNAME_SET(is_exec, IS_EXEC, from.is_exec);
    EVNAME_SET_BYTES(name, NAME, from.name);
  }
  void operator()(const Record::Task& from) {
    thread(from);
    EVNAME_SET(other_pid, OTHER_PID, from.parent_pid);
    EVNAME_SET(other_tid, OTHER_TID, from.parent_tid);
    EVNAME_SET(is_exec, IS_EXEC, from.is_exec);
    EVNAME_SET(own_time, OWN_TIME, from.time);
  }
  void operator()(const Record::Throttle& from) {
    EVNAME_SET(own_time, OWN_TIME, from.time);
    EVNAME_SET(own_id, OWN_ID, from.id);
    EVNAME_SET(stream_id, STREAM_ID, from.stream_id);
  }
  void operator()(const Record::Read& from) {
    thread(from);
    words(from.values);
  }
  void operator()(const Record::Aux& from) {
    EVNAME_SET(offset, OFFSET, from.offset);
    EVNAME_SET(size, SIZE, from.size);
    EVNAME_SET(flags, FLAGS, from.flags);
  }
  void operator()(const Record::ItraceStart& from) { thread(from); }
  void operator()(const Record::LostSamples& from) {
    EVNAME_SET(lost, LOST, from.lost);
    EVNAME_SET(by_bpf, BY_BPF, from.by_bpf);
  }
  void operator()(const Record::Switch& from) {
    EVNAME_SET(is_out, IS_OUT, from.is_out);
    EVNAME_SET(is_preempted, IS_PREEMPTED, from.is_preempted);
    if (out_.type != evname::perf_format::kRecordSwitchCpuWide) return;
    EVNAME_SET(other_pid, OTHER_PID, from.other_pid);
    EVNAME_SET(other_tid, OTHER_TID, from.other_tid);
  }
  void operator()(const Record::Namespaces& from) {
    thread(from);
    words(from.links);
  }
  void operator()(const Record::Ksymbol& from) {
    EVNAME_SET(address, ADDRESS, from.address);
    EVNAME_SET(size, SIZE, from.size);
    kind(from);
    EVNAME_SET(flags, FLAGS, from.flags);
    EVNAME_SET(is_gone, IS_GONE, from.is_gone);
    EVNAME_SET_BYTES(name, NAME, from.name);
  }
  void operator()(const Record::BpfEvent& from) {
    kind(from);
    EVNAME_SET(flags, FLAGS, from.flags);
    EVNAME_SET(own_id, OWN_ID, from.id);
    EVNAME_SET(tag, TAG, from.tag);
  }
  void operator()(const Record::Cgroup& from) {
    EVNAME_SET(own_id, OWN_ID, from.id);
    EVNAME_SET_BYTES(name, NAME, from.path);
  }
  void operator()(const Record::TextPoke& from) {
    EVNAME_SET(address, ADDRESS, from.address);
    EVNAME_SET_BYTES(old_bytes, OLD_BYTES, from.old_bytes);
    EVNAME_SET_BYTES(new_bytes, NEW_BYTES, from.new_bytes);
  }
  void operator()(const Record::AuxOutputHwId& from) { EVNAME_SET(hw_id, HW_ID, from.hw_id); }
  void operator()(const Record::CallchainDeferred& from) {
    EVNAME_SET(cookie, COOKIE, from.cookie);
    words(from.callchain);
  }
  void operator()(const Record::AuxtraceInfo& from) {
    kind(from);
    words(from.words);
  }
  void operator()(const Record::Auxtrace& from) {
    EVNAME_SET(size, SIZE, from.size);
    EVNAME_SET(offset, OFFSET, from.offset);
    EVNAME_SET(reference, REFERENCE, from.reference);
    EVNAME_SET(index, INDEX, from.index);
    EVNAME_SET(own_tid, OWN_TID, from.tid);
    EVNAME_SET(own_cpu, OWN_CPU, from.cpu);
    EVNAME_SET_BYTES(bytes, BYTES, from.data);
  }
  void operator()(const Record::AuxtraceError& from) {
    thread(from);
    kind(from);
    EVNAME_SET(code, CODE, from.code);
    EVNAME_SET(own_cpu, OWN_CPU, from.cpu);
    EVNAME_SET(address, ADDRESS, from.address);
    EVNAME_SET(own_time, OWN_TIME, from.time);
    EVNAME_SET_BYTES(name, NAME, from.message);
  }
  void operator()(const Record::BuildId& from) {
    EVNAME_SET(own_pid, OWN_PID, from.pid);
    EVNAME_SET_BYTES(build_id, BUILD_ID, from.build_id);
    EVNAME_SET_BYTES(name, NAME, from.file);
  }

 private:
  template <class T>
  void thread(const T& from) {
    EVNAME_SET(own_pid, OWN_PID, from.pid);
    EVNAME_SET(own_tid, OWN_TID, from.tid);
  }
  template <class T>
  void kind(const T& from) {
    EVNAME_SET(kind, KIND, from.kind);
  }
  void words(const evname::SampleWords& from) {
    out_.words_count = copy_words(from, words_, out_.words);
    EVNAME_SET(words, WORDS, words_.data());
  }

#undef EVNAME_SET
#undef EVNAME_SET_BYTES
#undef EVNAME_SET_IDENTITY

  evname_record& out_;
  std::vector<std::uint64_t>& words_;
};

/// Does what evname_sample_field does.
int get_field(const evname::Recording& recording, std::uint64_t event, std::string_view raw,
              const char* name, std::size_t index, evname_field& out) {
  const evname::stream::File& file = evname::detail::state_of(recording).file;
  const auto& events = file.events.list();
  if (event >= events.size()) return EVNAME_NOT_FOUND;
  const auto* const field = evname::perf_format::field_named(events[event].format, name);
  if (field == nullptr) return EVNAME_NOT_FOUND;
  const auto value = evname::perf_format::value_of(*field, raw, file.header.order);
  if (!value) return EVNAME_NOT_FOUND;
  out.is_signed = field->is_signed;
  if (const auto* const text = std::get_if<std::string_view>(&*value)) {
    out.text = text->data();
    out.text_size = text->size();
  } else if (const auto* const items = std::get_if<std::vector<std::int64_t>>(&*value)) {
    out.count = items->size();
    if (index >= items->size()) return EVNAME_OUT_OF_RANGE;
    out.number = (*items)[index];
  } else {
    const auto* const number = std::get_if<std::int64_t>(&*value);
    out.is_signed = number != nullptr;
    out.number =
        number != nullptr ? *number : static_cast<std::int64_t>(std::get<std::uint64_t>(*value));
  }
  return EVNAME_OK;
}

template <std::size_t Size>
void write(std::string_view text, char (&out)[Size]) {
  copy_text(text, out, Size);
}

}  // namespace

int evname_records_next(evname_samples* samples, evname_record* out) {
  if (lacks({samples, out})) return -EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->event = UINT64_MAX;
  return step(*samples, [&] {
    const Record* const record = samples->range.next_record();
    if (record == nullptr) return false;
    Fill fill(*out, samples->record_words);
    fill.identity(*record);
    std::visit(fill, record->content);
    if (const evname::Sample* const sample = record->sample()) {
      samples->show(*sample, samples->shown);
      out->sample = &samples->shown;
    }
    return true;
  });
}

const char* evname_record_name(uint32_t type) { return text_of(evname::record_name(type)); }

int evname_sample_field(const evname_recording* recording, uint64_t event, const void* raw,
                        size_t raw_size, const char* name, size_t index, evname_field* out) {
  set(out, {});
  int status = EVNAME_OK;
  const int done = guarded(nullptr, {recording, array(raw, raw_size), name, out}, [&] {
    status = get_field(recording->file, event, {static_cast<const char*>(raw), raw_size}, name,
                       index, *out);
  });
  return done != EVNAME_OK ? done : status;
}

int evname_data_source_of(uint64_t word, evname_data_source* out) {
  set(out, {});
  return guarded(nullptr, {out}, [&] {
    const evname::DataSource from(word);
    evname_data_source to = {};
    to.op = from.op, to.level = from.level, to.level_number = from.level_number;
    to.snoop = from.snoop, to.snoop_more = from.snoop_more, to.lock = from.lock;
    to.tlb = from.tlb, to.blocked = from.blocked, to.hops = from.hops;
    to.remote = from.remote, to.region = from.region;
    write(from.op_text(), to.op_text);
    write(from.lock_text(), to.lock_text);
    write(from.blocked_text(), to.blocked_text);
    write(from.snoop_text(), to.snoop_text);
    write(from.tlb_text(), to.tlb_text);
    write(from.level_text(), to.level_text);
    write(from.text(), to.text);
    *out = to;
  });
}

int evname_branch_of(const uint64_t* words, const char* arch, evname_branch* out) {
  evname_branch none = {};
  none.type_text = none.speculation_text = none.privilege_text = none.prediction_text = "";
  set(out, none);
  return guarded(nullptr, {words, out}, [&] {
    const std::string_view on = arch != nullptr ? arch : "";
    const evname::Branch from(words[0], words[1], words[2]);
    evname_branch to = {};
    to.from = from.from, to.to = from.to, to.mispredicted = from.mispredicted;
    to.predicted = from.predicted, to.in_transaction = from.in_transaction, to.abort = from.abort;
    to.not_taken = from.not_taken, to.cycles = from.cycles, to.type = from.type;
    to.extended_type = from.extended_type, to.speculation = from.speculation;
    to.privilege = from.privilege;
    to.type_text = text_of(from.type_text(on));
    to.speculation_text = text_of(from.speculation_text());
    to.privilege_text = text_of(from.privilege_text());
    to.prediction_text = text_of(from.prediction_text());
    write(from.text(on), to.text);
    *out = to;
  });
}
