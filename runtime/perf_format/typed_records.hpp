#pragma once
// Reads the contents of records other than samples.

#include <bit>
#include <optional>

#include "base/bytes.hpp"
#include "evname/records.hpp"
#include "perf_format/record.hpp"
#include "perf_format/recorded_events.hpp"

namespace evname::perf_format {

/// Returns true for an MMAP2 record whose name is in the place of protection and flags, as kernels
/// of RHEL 7.0 write it: they have MMAP2 from before Linux 3.16, which added both. Kernels write a
/// protection of at most 7 (PROT_*), which is no letter of a path.
bool is_early_mmap2(const Record& record);

/// Returns the content of a record of the type that T is for; nullopt if the record is too short.
/// Names are read up to their NUL, so that `record` may have the trailer of sample_id_all after
/// one. T is one of the structures in evname::Record.
template <class T>
std::optional<T> read_as(const Record& record, std::endian order);

/// Returns the content of any record but a sample. `record` has no trailer.
evname::Record::Content content_of(const Record& record, std::endian order);

/// Sets the identity, except for the event, by the trailer of sample_id_all of this event's
/// records.
void read_identity(Bytes trailer, const Event& event, std::endian order, evname::Record& out);

}  // namespace evname::perf_format
