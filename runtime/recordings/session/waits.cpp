#include "recordings/session/waits.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "perf_format/trace_data.hpp"
#include "perf_format/typed_records.hpp"

namespace evname::session {
namespace {

using perf_format::OffCpu;

/// A state of a thread. Source of the letters: TASK_STATE_TO_CHAR_STR of include/linux/sched.h; of
/// the words: task_state_array of fs/proc/array.c.
struct State {
  OffCpu why;
  char letter;  ///< of sched:sched_switch; '\0': none
  std::string_view text;
};

constexpr auto kStates = enum_table<&State::why>({
    {OffCpu::unknown, '\0', ""},
    {OffCpu::sleeping, 'S', "S (sleeping)"},
    {OffCpu::uninterruptible, 'D', "D (disk sleep)"},
    {OffCpu::stopped, 'T', "T (stopped)"},
    {OffCpu::traced, 't', "t (tracing stop)"},
    {OffCpu::parked, 'P', "P (parked)"},
    {OffCpu::idle, 'I', "I (idle)"},
    {OffCpu::runnable, 'R', "R (runnable)"},
    {OffCpu::preempted, '\0', "R+ (preempted)"},
    {OffCpu::blocked, '\0', "blocked"},
});

constexpr std::string_view kDead = "XZx";

/// The bits of prev_state since Linux 4.14, from the lowest on.
constexpr std::string_view kUsualLetters = "SDTtXZPI";

/// Reads `{ 0x0001, "S" }, { 0x0002, "D" }` from the print format of sched:sched_switch.
std::vector<std::pair<std::uint64_t, char>> letters_of(std::string_view print) {
  std::vector<std::pair<std::uint64_t, char>> letters;
  std::size_t at = print.find("__print_flags(REC->prev_state");
  while (at < print.size() && (at = print.find("{ ", at)) != print.npos) {
    at += 2;
    const bool hex = print.substr(at).starts_with("0x");
    const char* const first = print.data() + at + (hex ? 2 : 0);
    std::uint64_t bit = 0;
    const auto [stop, error] =
        std::from_chars(first, print.data() + print.size(), bit, hex ? 16 : 10);
    const std::string_view rest = print.substr(static_cast<std::size_t>(stop - print.data()));
    if (error == std::errc() && std::has_single_bit(bit) && rest.starts_with(", \"") &&
        rest.size() > 3)
      letters.emplace_back(bit, rest[3]);
  }
  if (!letters.empty()) return letters;
  for (std::size_t i = 0; i < kUsualLetters.size(); ++i)
    letters.emplace_back(std::uint64_t{1} << i, kUsualLetters[i]);
  return letters;
}

/// Returns true if each occurrence of the event is a sample with its time and, for events of the
/// kernel, its thread.
bool samples_each(const perf_format::Event& event, std::uint64_t bits) {
  return event.attr.samples(perf_format::kSampleTime) && (event.attr.sample_type & bits) == bits &&
         event.attr.sample_period == 1 && !event.attr.has(perf_format::kFreq);
}

bool has_switch_records(const perf_format::Events& events) {
  return std::ranges::any_of(events.list(), [](const perf_format::Event& event) {
    return event.attr.has(perf_format::kContextSwitch) &&
           event.attr.has(perf_format::kSampleIdAll) &&
           event.attr.samples(perf_format::kSampleTid) &&
           event.attr.samples(perf_format::kSampleTime);
  });
}

/// Room for the samples of 100,000 threads with callchains of 127 frames.
constexpr std::size_t kMostBytes = std::size_t{128} << 20;
constexpr std::size_t kMostThreads = std::size_t{1} << 21;

}  // namespace

std::string_view off_cpu_text(OffCpu why) { return kStates[why].text; }

Waits::Switches Waits::switches_of(const perf_format::Event& event) {
  constexpr std::uint64_t kContextSwitches = 3;  // PERF_COUNT_SW_CONTEXT_SWITCHES
  Switches out;
  if (event.attr.code.type == kTypeSoftware && event.attr.code.config[0] == kContextSwitches &&
      samples_each(event, perf_format::kSampleTid))
    out.kind = Switches::Kind::software;
  if (!event.format || event.format->name != "sched_switch") return out;
  out.prev_pid = perf_format::field_named(event.format, "prev_pid");
  out.prev_state = perf_format::field_named(event.format, "prev_state");
  out.next_pid = perf_format::field_named(event.format, "next_pid");
  if (!out.prev_pid || !out.prev_state || !out.next_pid ||
      !samples_each(event, perf_format::kSampleRaw))
    return out;
  out.kind = Switches::Kind::tracepoint;
  out.letters = letters_of(event.format->print);
  for (const auto& [bit, letter] : out.letters) out.preempted = std::max(out.preempted, bit << 1);
  return out;
}

Waits::Waits(const perf_format::Events& events, std::endian order)
    : events_(events), order_(order) {
  for (const perf_format::Event& event : events.list()) {
    switches_.push_back(switches_of(event));
    has_tracepoint_ |= switches_.back().kind == Switches::Kind::tracepoint;
  }
}

Result<void> Waits::check(const perf_format::Events& events) {
  bool has_software = false;
  for (const perf_format::Event& event : events.list()) {
    const Switches::Kind kind = switches_of(event).kind;
    if (event.has_durations || kind == Switches::Kind::tracepoint) return {};
    has_software |= kind == Switches::Kind::software;
  }
  if (has_software && has_switch_records(events)) return {};
  if (has_software)
    return fail(Errc::not_found,
                "the recording does not say when threads came back: record context-switches with "
                "--switch-events");
  return fail(Errc::not_found,
              "no event says how long threads waited: record -e sched:sched_switch -a, or "
              "-e context-switches -c 1 --switch-events, or perf record --off-cpu");
}

std::optional<std::uint64_t> Waits::number(const perf_format::TraceField& field, Bytes raw) const {
  const Bytes bytes =
      perf_format::bytes_of(field, {reinterpret_cast<const char*>(raw.data()), raw.size()}, order_);
  if (bytes.empty() || bytes.size() > sizeof(std::uint64_t)) return std::nullopt;
  return perf_format::number_of(bytes, order_);
}

const Waits::Thread* Waits::add(const perf_format::SampleRecord& sample) {
  if (!has_time(sample)) return nullptr;
  last_ = std::max(last_, sample.time);
  const Switches& of = switches_[events_.index_of(*sample.event)];
  if (of.kind == Switches::Kind::none) return nullptr;
  if (of.kind == Switches::Kind::software) {
    if (!has_tracepoint_) begin(sample.tid, OffCpu::unknown, sample);
    return nullptr;
  }
  const auto prev = number(*of.prev_pid, sample.raw), state = number(*of.prev_state, sample.raw),
             next = number(*of.next_pid, sample.raw);
  if (!prev || !state || !next) return nullptr;
  OffCpu why = *state & of.preempted ? OffCpu::preempted : OffCpu::runnable;
  bool is_dead = false;
  for (const auto& [bit, letter] : of.letters) {
    if ((*state & bit) == 0) continue;
    is_dead = kDead.find(letter) != kDead.npos;
    const auto known = std::ranges::find(kStates, letter, &State::letter);
    why = known == kStates.end() ? OffCpu::unknown : known->why;
    break;
  }
  const auto tid = static_cast<std::int32_t>(*prev);
  pids_differ_ |= sample.tid > 0 && sample.tid != tid;
  if (is_dead) threads_[tid].has_exited = true;
  begin(tid, why, sample);
  return end(static_cast<std::int32_t>(*next), sample.time, false);
}

void Waits::begin(std::int32_t tid, OffCpu why, const perf_format::SampleRecord& sample) {
  if (tid <= 0) return;  // a CPU's own idle thread
  Thread& thread = threads_[tid];
  unended_ += std::exchange(thread.is_out, false);
  if (thread.has_exited) {
    kept_bytes_ -= thread.record.capacity();
    threads_.erase(tid);
    return;
  }
  const Bytes bytes = sample.record.bytes;
  const std::size_t before = thread.record.capacity();
  if (kept_bytes_ - before + bytes.size() > kMostBytes || threads_.size() > kMostThreads) {
    ++without_room_;
    return;
  }
  thread.record.assign(bytes.begin(), bytes.end());
  kept_bytes_ += thread.record.capacity() - before;
  thread.offset = sample.record.offset;
  thread.event = events_.index_of(*sample.event);
  thread.begin = sample.time;
  thread.why = why;
  thread.is_out = true;
}

/// Returns the thread whose wait ended. With `may_repeat`, another source may have told of the end.
const Waits::Thread* Waits::end(std::int32_t tid, std::uint64_t time, bool may_repeat) {
  if (tid <= 0) return nullptr;
  const auto [at, is_new] = threads_.try_emplace(tid);
  Thread& thread = at.value();
  const bool is_young = std::exchange(thread.is_young, false);
  if (!std::exchange(thread.is_out, false)) {
    unbegun_ += !is_young && (!may_repeat || is_new);
    return nullptr;
  }
  thread.end = std::max(time, thread.begin);
  ++ended_;
  return &thread;
}

void Waits::follow(const evname::Record::Task& task, bool is_exit) {
  // perf made the records without a time, of threads that were there before.
  const bool is_new = !is_exit && task.time > 0 && threads_.size() < kMostThreads;
  if (is_new) threads_.try_emplace(task.tid);
  const auto at = threads_.find(task.tid);
  if (at == threads_.end() || !(is_new || is_exit)) return;
  Thread& thread = at.value();
  unended_ += thread.is_out;
  kept_bytes_ -= thread.record.capacity();
  thread = {};
  thread.is_young = !is_exit;
  thread.has_exited = is_exit && !has_tracepoint_;  // whose samples say that themselves
}

const Waits::Thread* Waits::add(const perf_format::Record& record, Bytes trailer,
                                const perf_format::Event* event) {
  using Typed = evname::Record;
  if (record.type == perf_format::kRecordExit || record.type == perf_format::kRecordFork) {
    const auto task = perf_format::read_as<Typed::Task>(record, order_);
    if (task && !pids_differ_) follow(*task, record.type == perf_format::kRecordExit);
    return nullptr;
  }
  const bool is_switch =
      record.type == perf_format::kRecordSwitch || record.type == perf_format::kRecordSwitchCpuWide;
  if (!is_switch || !event || pids_differ_) return nullptr;
  const auto content = perf_format::read_as<Typed::Switch>(record, order_);
  Typed whose;
  perf_format::read_identity(trailer, *event, order_, whose);
  if (!content || !whose.tid || !whose.time) return nullptr;
  last_ = std::max(last_, *whose.time);
  if (!content->is_out) return end(*whose.tid, *whose.time, has_tracepoint_);
  const auto at = threads_.find(*whose.tid);
  if (at != threads_.end() && at->second.is_out && at->second.why == OffCpu::unknown)
    at.value().why = content->is_preempted ? OffCpu::runnable : OffCpu::blocked;
  return nullptr;
}

void Waits::lose(const perf_format::Loss& loss) {
  if (loss.lost == 0 || loss.by == perf_format::Loss::By::event) return;
  lost_ += loss.lost;
  for (auto at = threads_.begin(); at != threads_.end(); ++at) {
    Thread& thread = at.value();
    thread.is_young |= thread.is_out;
    dropped_ += std::exchange(thread.is_out, false);
  }
}

const Waits::Thread* Waits::next_open() {
  if (!open_) {
    open_.emplace();
    for (const auto& [tid, thread] : threads_)
      if (thread.is_out && !thread.has_exited && thread.begin < last_) open_->push_back(tid);
    std::ranges::sort(*open_, std::greater<>(), [this](std::int32_t tid) {
      return std::pair(threads_.find(tid)->second.begin, tid);
    });
    open_count_ = open_->size();
  }
  if (open_->empty()) return nullptr;
  Thread& thread = threads_.find(open_->back()).value();
  open_->pop_back();
  thread.end = std::max(last_, thread.begin);
  return &thread;
}

std::vector<std::string> Waits::notes(std::uint64_t lost) const {
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) notes.push_back(counted(count, one, many));
  };
  note(unbegun_, "wait is left out: the recording lacks its beginning",
       "waits are left out: the recording lacks their beginning");
  note(unended_, "wait is left out: the recording lacks its end",
       "waits are left out: the recording lacks their end");
  if (unended_ > ended_) notes.back() += "; record -a or --switch-events has all of them";
  note(dropped_, "wait is left out: samples were lost meanwhile",
       "waits are left out: samples were lost meanwhile");
  if (lost > lost_)
    note(lost - lost_, "sample was lost, nobody knows when: a wait around it is too long",
         "samples were lost, nobody knows when: waits around them are too long");
  note(without_room_, "wait is left out: too many threads wait",
       "waits are left out: too many threads wait");
  note(open_count_, "wait had not ended: it counts until the last sample",
       "waits had not ended: they count until the last sample");
  return notes;
}

}  // namespace evname::session
