#pragma once
// Reads the contents of records: samples, with the threads, mappings and cgroups that other records
// change.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/read_file.hpp"
#include "evname/pass.hpp"
#include "perf_format/record.hpp"
#include "perf_format/sample_record.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/session/processes.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::session {

/// Joins callchains that come in two parts: with --call-graph fp,defer the kernel takes the part of
/// user space only when the thread returns there, and writes it as a separate record. Source:
/// PERF_RECORD_CALLCHAIN_DEFERRED of include/uapi/linux/perf_event.h.
///
/// Collects the second parts before the first sample is handed out, so that no sample has to wait:
/// a thread may sleep until the end of the recording.
class DeferredChains {
 public:
  /// Walks the recording, if its events ask for such callchains.
  void collect(const stream::File& file, perf_format::Damage damage,
               perf_format::Warnings& warnings);

  /// Puts the second part of the sample's callchain in the place of its cookie. The callchain is
  /// then valid until the next call. If there is no second part, the cookie alone is dropped.
  void complete(std::endian order, perf_format::SampleRecord& sample);
  /// Returns the MMAP and MMAP2 records of the process between the last completed sample and its
  /// second part, valid until the next call. The addresses of the second part refer to the maps
  /// after these records; a sampled exec has all of its maps there.
  std::span<const perf_format::Record> maps_between(std::endian order);

  /// Number of callchains whose second part is not in the recording.
  std::uint64_t missing() const { return missing_; }

 private:
  struct Part {
    std::uint64_t cookie = 0;
    std::uint64_t time = 0;               ///< ns; UINT64_MAX: none
    const std::uint8_t* chain = nullptr;  ///< its length, then as many words; if it is copied,
                                          ///< its place in copies_
    std::int32_t tid = -1;
    bool is_copied = false;
  };
  /// An MMAP or MMAP2 record without its trailer.
  struct Map {
    std::uint64_t time = 0;               ///< ns
    std::uint64_t offset = 0;             ///< in the stream
    const std::uint8_t* bytes = nullptr;  ///< as Part::chain
    std::uint32_t size = 0;
    std::int32_t pid = -1;
    bool is_copied = false;
  };
  /// The times of a sample and of its second part.
  struct Between {
    std::int32_t pid = -1;
    std::uint64_t after = 0, until = 0;  ///< equal: there is no second part
  };
  class Collector;

  const Part* find(std::uint64_t cookie, const perf_format::SampleRecord& sample) const;

  std::vector<Part> parts_;  ///< by tid, cookie and time
  std::vector<Map> maps_;    ///< by pid and time
  Between between_;
  std::vector<perf_format::Record> found_maps_;  ///< that maps_between() returned last
  std::optional<MappedFile> copies_;             ///< of those that were compressed
  std::vector<std::uint8_t> whole_;              ///< the callchain that was completed last
  std::uint64_t missing_ = 0;
};

/// Splits samples that carry counter values (PERF_SAMPLE_READ, the `:S` modifier): each value is a
/// sample of its event, with the increase since its last value as period. Policy:
/// deliver_sample_value and deliver_sample_group of tools/perf/util/session.c; inherited counters
/// have a value for each thread (perf_sample_id__get_period_storage).
class GroupValues {
 public:
  /// Begins with the values of a sample. Values without an id have the sample's.
  void begin(const perf_format::SampleRecord& sample, std::endian order);

  /// Returns true if no value is left.
  bool empty() const { return left_ == 0; }

  /// Finds the next value that differs from the previous value of its id. Returns false if there is
  /// none.
  bool next(std::uint64_t& id, std::uint64_t& period);

 private:
  struct Key {
    std::uint64_t id;
    std::int32_t tid;  ///< -1: the counter is not inherited
    bool operator==(const Key&) const = default;
    auto key() const { return std::tuple(id, tid); }
  };

  HashMap<Key, std::uint64_t> last_;
  Cursor in_{{}, std::endian::native};
  std::uint64_t format_ = 0;
  std::uint64_t left_ = 0;   ///< number of values to come
  std::uint64_t value_ = 0;  ///< of an event without a group
  Key own_ = {};             ///< of the sample
};

/// Reads the contents of records one after the other, from any source. A derived class puts a
/// record and its event in sample_.record and event_, and asks for read_record().
class RecordContents {
 public:
  /// `events` and `features` outlive the object. `before_mapping`: see AddressMaps.
  RecordContents(const perf_format::Events& events, std::endian order,
                 const perf_format::Features& features, bool follows_maps,
                 const RecordedOn& recorded_on, std::function<void()> before_mapping = {})
      : events_(events),
        order_(order),
        follows_maps_(follows_maps),
        maps_(features.build_ids, std::move(before_mapping), recorded_on),
        lost_(events) {
    sample_maps_ = &maps_.of(-1);
  }
  RecordContents(const RecordContents&) = delete;
  RecordContents& operator=(const RecordContents&) = delete;

  bool is_sample() const { return is_sample_; }
  /// The record, without the trailer of sample_id_all if it is not a sample. It and all views below
  /// are valid until the next call of next().
  const perf_format::Record& record() const { return sample_.record; }
  /// The fields that sample_id_all added to the current record, if it is not a sample.
  Bytes trailer() const { return trailer_; }
  /// The event that the current record was recorded for, if it is not a sample; nullptr: unknown.
  const perf_format::Event* event_of_other() const { return event_; }
  /// Returns the current name of a thread, valid as long as the cursor.
  std::string_view comm_of(std::int32_t pid, std::int32_t tid) { return threads_.comm(pid, tid); }
  /// Returns true for the first sample of a record with several counter values, and for all others.
  bool is_first_of_record() const { return is_first_; }
  /// The loss that a record other than a sample reports.
  const perf_format::Loss& loss() const { return loss_; }
  /// The number of samples that records have reported as lost so far.
  std::uint64_t lost() const { return lost_.all(); }

  /// The number of pieces of a trace that records have reported as truncated.
  std::uint64_t truncated() const { return gaps_[0]; }

  /// The sample at hand.
  const perf_format::SampleRecord& sample() const { return sample_; }
  /// The name of its thread, which lasts as long as the cursor.
  std::string_view comm() const { return comm_; }
  /// The name of its process, which lasts as long as the cursor; empty if no record has it.
  std::string_view process_comm() const { return threads_.process_comm(sample_.pid); }
  /// The mappings of its process. There are none unless CursorOptions::maps is set.
  const ProcessMaps& maps() const { return *sample_maps_; }
  /// The path of its cgroup, which lasts as long as the cursor; empty if no record has it.
  std::string_view cgroup_path() const { return cgroup_path_; }

 protected:
  /// A kind of problem: its number of occurrences, and the end of a sentence about one and about
  /// many.
  struct Problem {
    std::uint64_t count = 0;
    const char *one, *many;
  };

  /// Reads a sample. Returns false if it can't be read, or has no counter value to hand out. With
  /// `threads_only` only pid and tid of samples without variable parts are read; the rest is left
  /// to the caller.
  bool read_sample(bool threads_only);
  /// Finds the thread, the mappings and the cgroup of the sample at hand, and completes its
  /// callchain. Of a pass over waits, the caller asks for it.
  void settle();
  /// Moves to the next counter value of the sample at hand. Returns false if there is none.
  bool next_value();
  /// Reads another record. Returns false for perf's own records, which it ignores.
  bool read_other();
  void count_too_long();
  /// Counts the flags of an AUX record.
  void count_gaps();
  /// Returns the numbers so far; with `complete` also the warnings, which end with a sentence on
  /// each problem and each of `more`.
  SampleTally tally_of(bool complete, const std::vector<Problem>& more) const;

  /// Returns the process of a thread; -1 if no record has it.
  std::int32_t pid_of(std::int32_t tid) const { return threads_.pid_of(tid); }

  const perf_format::Events& events_;
  const std::endian order_;
  perf_format::SampleRecord sample_;
  const perf_format::Event* event_ = nullptr;  ///< of the record at hand
  bool is_sample_ = false;
  bool is_first_ = false;  ///< sample of its record
  bool settles_ = true;    ///< read_sample() settles each sample
  GroupValues values_;
  DeferredChains deferred_;
  perf_format::RecordCounts counts_;
  perf_format::Warnings warnings_;

 private:
  bool follow(const perf_format::Record& record);
  /// Finds the mappings of the sample's process.
  void follow_process(const perf_format::Event& event);

  const bool follows_maps_;
  Bytes trailer_;
  perf_format::Loss loss_;
  std::string_view comm_, cgroup_path_;
  const ProcessMaps* sample_maps_ = nullptr;
  std::int32_t maps_pid_ = -1;  ///< the process of the maps
  bool is_ahead_ = false;       ///< they belong to a later time
  Threads threads_;
  AddressMaps maps_;
  Cgroups cgroups_;

  std::uint64_t samples_ = 0;
  std::uint64_t early_maps_ = 0;  ///< see is_early_mmap2()
  perf_format::LostSamples lost_;
  static constexpr std::size_t kGaps = 4;
  std::array<std::uint64_t, kGaps> gaps_{};  ///< AUX records by kind of problem
  Problem unknown_ids_{0, "sample has an id that no event of the file has",
                       "samples have an id that no event of the file has"};
  Problem malformed_{0, "sample is shorter than its event says",
                     "samples are shorter than their event says"};
  Problem malformed_others_{0, "record of another type is too short",
                            "records of other types are too short"};
  Problem unknown_values_{0, "counter value has an id that no event of the file has",
                          "counter values have an id that no event of the file has"};
  Problem unknown_records_{0, "record is of an unknown type", "records are of unknown types"};
  Problem too_long_{0, "record is longer than what is in it, which may hide others",
                    "records are longer than what is in them, which may hide others"};
  Problem long_names_{0, "record has a name that is longer than any of Linux, and is cut",
                      "records have names that are longer than any of Linux, and are cut"};
};

}  // namespace evname::session
