#pragma once
// Opens an event for the first time, and gives up features that the kernel or the CPU refuses.

#include "sampling/open_recording.hpp"
#include "sampling/sampling_attr.hpp"

namespace evname::sampling {

/// Opens the event at a place and returns its file, or -1 and errno.
int open_at(const counting::AttrBytes& attr, const Place& at, int leader);

/// Finds the attr of an event that this machine accepts. Adds a note to the recording for each
/// feature given up.
class FirstOpening {
 public:
  /// All outlive the object. `own` are the options of the event, to which `role` refers.
  FirstOpening(const Machine& machine, const RecordOptions& options, const EventRole& role,
               EventOptions& own, OpenRecording& recording)
      : machine_(machine), options_(options), role_(role), own_(own), out_(recording) {}

  /// Opens the event at a place and returns its file, or -1 and errno. Changes the attr and the
  /// encoding to what the machine accepts.
  int open(OpenEvent& event, const Place& at, int leader);
  /// Replaces cycles by a clock. Returns false if the event is another one.
  bool use_clock(OpenEvent& event);

 private:
  int give_up_extras(OpenEvent& event, const Place& at, int leader);
  int lower_frequency(OpenEvent& event, const Place& at, int leader);
  bool give_up_precision(OpenEvent& event);
  bool restrict_to_user_space(OpenEvent& event);

  const Machine& machine_;
  const RecordOptions& options_;
  const EventRole& role_;
  EventOptions& own_;
  OpenRecording& out_;
};

}  // namespace evname::sampling
