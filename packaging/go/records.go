package evname

/*
#include <evname/evname.h>
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// RecordFields is a set of fields that a record has.
type RecordFields uint64

const (
	// record_fields.def: constants
	RecordTime        RecordFields = 1 << C.EVNAME_RECORD_BIT_TIME
	RecordID          RecordFields = 1 << C.EVNAME_RECORD_BIT_ID
	RecordPID         RecordFields = 1 << C.EVNAME_RECORD_BIT_PID
	RecordTID         RecordFields = 1 << C.EVNAME_RECORD_BIT_TID
	RecordCPU         RecordFields = 1 << C.EVNAME_RECORD_BIT_CPU
	RecordOwnCPU      RecordFields = 1 << C.EVNAME_RECORD_BIT_OWN_CPU
	RecordOwnPID      RecordFields = 1 << C.EVNAME_RECORD_BIT_OWN_PID
	RecordOwnTID      RecordFields = 1 << C.EVNAME_RECORD_BIT_OWN_TID
	RecordOtherPID    RecordFields = 1 << C.EVNAME_RECORD_BIT_OTHER_PID
	RecordOtherTID    RecordFields = 1 << C.EVNAME_RECORD_BIT_OTHER_TID
	RecordOwnTime     RecordFields = 1 << C.EVNAME_RECORD_BIT_OWN_TIME
	RecordOwnID       RecordFields = 1 << C.EVNAME_RECORD_BIT_OWN_ID
	RecordStreamID    RecordFields = 1 << C.EVNAME_RECORD_BIT_STREAM_ID
	RecordAddress     RecordFields = 1 << C.EVNAME_RECORD_BIT_ADDRESS
	RecordSize        RecordFields = 1 << C.EVNAME_RECORD_BIT_SIZE
	RecordOffset      RecordFields = 1 << C.EVNAME_RECORD_BIT_OFFSET
	RecordInode       RecordFields = 1 << C.EVNAME_RECORD_BIT_INODE
	RecordGeneration  RecordFields = 1 << C.EVNAME_RECORD_BIT_GENERATION
	RecordDeviceMajor RecordFields = 1 << C.EVNAME_RECORD_BIT_DEVICE_MAJOR
	RecordDeviceMinor RecordFields = 1 << C.EVNAME_RECORD_BIT_DEVICE_MINOR
	RecordProtection  RecordFields = 1 << C.EVNAME_RECORD_BIT_PROTECTION
	RecordKind        RecordFields = 1 << C.EVNAME_RECORD_BIT_KIND
	RecordFlags       RecordFields = 1 << C.EVNAME_RECORD_BIT_FLAGS
	RecordLost        RecordFields = 1 << C.EVNAME_RECORD_BIT_LOST
	RecordTag         RecordFields = 1 << C.EVNAME_RECORD_BIT_TAG
	RecordHwID        RecordFields = 1 << C.EVNAME_RECORD_BIT_HW_ID
	RecordCookie      RecordFields = 1 << C.EVNAME_RECORD_BIT_COOKIE
	RecordReference   RecordFields = 1 << C.EVNAME_RECORD_BIT_REFERENCE
	RecordIndex       RecordFields = 1 << C.EVNAME_RECORD_BIT_INDEX
	RecordCode        RecordFields = 1 << C.EVNAME_RECORD_BIT_CODE
	RecordIsData      RecordFields = 1 << C.EVNAME_RECORD_BIT_IS_DATA
	RecordIsExec      RecordFields = 1 << C.EVNAME_RECORD_BIT_IS_EXEC
	RecordIsOut       RecordFields = 1 << C.EVNAME_RECORD_BIT_IS_OUT
	RecordIsPreempted RecordFields = 1 << C.EVNAME_RECORD_BIT_IS_PREEMPTED
	RecordIsGone      RecordFields = 1 << C.EVNAME_RECORD_BIT_IS_GONE
	RecordByBpf       RecordFields = 1 << C.EVNAME_RECORD_BIT_BY_BPF
	RecordName        RecordFields = 1 << C.EVNAME_RECORD_BIT_NAME
	RecordBuildID     RecordFields = 1 << C.EVNAME_RECORD_BIT_BUILD_ID
	RecordOldBytes    RecordFields = 1 << C.EVNAME_RECORD_BIT_OLD_BYTES
	RecordNewBytes    RecordFields = 1 << C.EVNAME_RECORD_BIT_NEW_BYTES
	RecordBytes       RecordFields = 1 << C.EVNAME_RECORD_BIT_BYTES
	RecordWords       RecordFields = 1 << C.EVNAME_RECORD_BIT_WORDS
	// record_fields.def: end
)

// Record is a record of any type. Members whose bit is not in Fields are zero. Time, ID, PID, TID and CPU are where and
// when the kernel wrote it; OwnPID and the others are what it is about.
type Record struct {
	Type   uint32 // PERF_RECORD_*: 9 is a sample
	Misc   uint32 // PERF_RECORD_MISC_*
	Fields RecordFields
	Event  int     // index in Recording.Events; -1: unknown
	Place  uint64  // offset in the file or in unpacked records
	Sample *Sample // nil: it is another record

	// record_fields.def: members
	Time        uint64   // time by the recording's clock, in ns
	ID          uint64   // the kernel's id of the event
	PID         int      // process that it was written in
	TID         int      // thread that it was written in
	CPU         uint32   // CPU that it was written on
	OwnCPU      int      // AUXTRACE, AUXTRACE_ERROR: the traced CPU; -1: none
	OwnPID      int      // process that it is about
	OwnTID      int      // thread that it is about
	OtherPID    int      // FORK, EXIT: the parent; SWITCH_CPU_WIDE: the one before or next
	OtherTID    int      // the same of the thread
	OwnTime     uint64   // FORK, EXIT, THROTTLE, AUXTRACE_ERROR: time in ns; 0: unknown
	OwnID       uint64   // LOST, THROTTLE: id of the event; CGROUP, BPF_EVENT: of the cgroup or program
	StreamID    uint64   // THROTTLE: of the counter
	Address     uint64   // address of the mapping, the function, the code or the instruction
	Size        uint64   // bytes of the mapping, the function, or the data of a trace
	Offset      uint64   // in the file of the mapping, or in the trace
	Inode       uint64   // MMAP2 without a build id: inode of the file
	Generation  uint64   // MMAP2 without a build id: generation of the inode
	DeviceMajor uint32   // MMAP2 without a build id: device of the file
	DeviceMinor uint32   // the same
	Protection  uint32   // MMAP, MMAP2: PROT_* of mmap()
	Kind        uint32   // KSYMBOL, BPF_EVENT, AUXTRACE_INFO, AUXTRACE_ERROR: their kind
	Flags       uint64   // MMAP2: MAP_* of mmap(); AUX, KSYMBOL, BPF_EVENT: as recorded
	Lost        uint64   // LOST, LOST_SAMPLES: number of records or samples
	Tag         uint64   // BPF_EVENT: tag of the program
	HwID        uint64   // AUX_OUTPUT_HW_ID: the hardware's number of the event
	Cookie      uint64   // CALLCHAIN_DEFERRED: the word that the sample has for it
	Reference   uint64   // AUXTRACE: the same for pieces that were written at once
	Index       uint32   // AUXTRACE: index of the buffer
	Code        uint32   // AUXTRACE_ERROR: code of the decoder
	IsData      bool     // MMAP, MMAP2: mapped without PROT_EXEC
	IsExec      bool     // COMM: named by exec(); FORK: an exec() follows
	IsOut       bool     // SWITCH: the thread stopped running
	IsPreempted bool     // SWITCH: it could have gone on
	IsGone      bool     // KSYMBOL: the function was removed
	ByBpf       bool     // LOST_SAMPLES: a BPF program left them out on purpose
	Name        string   // name of the file, thread, function or cgroup; message
	BuildID     []byte   // MMAP2, BUILD_ID: of the file
	OldBytes    []byte   // TEXT_POKE: the code before
	NewBytes    []byte   // TEXT_POKE: the code after
	Bytes       []byte   // AUXTRACE: the data; of other types, all that follows the header
	Words       []uint64 // NAMESPACES: device and inode of each; READ: values; AUXTRACE_INFO, CALLCHAIN_DEFERRED: words
	// record_fields.def: end
}

// TypeName returns the type as perf names it: "MMAP2"; "UNKNOWN" for others.
func (r *Record) TypeName() string { return C.GoString(C.evname_record_name(C.uint32_t(r.Type))) }

// NextRecord goes to the next record, whether it is a sample or not; Next skips those that are not. Records come in the
// same order as samples, but records without a time come as they are read. It returns as Next.
func (s *Samples) NextRecord() bool {
	if s.handle == nil || s.err != nil {
		return false
	}
	defer runtime.KeepAlive(s)
	*s.next, s.record = C.evname_sample{}, &C.evname_record{}
	return s.moved(C.evname_records_next(s.handle, s.record))
}

// Record returns the record that NextRecord went to.
func (s *Samples) Record() (to Record) {
	defer runtime.KeepAlive(s) // what from points to lasts as long
	from := s.record
	if from == nil {
		return
	}
	to.Type = uint32(from._type)
	to.Misc = uint32(from.misc)
	to.Fields = RecordFields(from.fields)
	to.Event = int(int64(from.event))
	to.Place = uint64(from.place)
	if from.sample != nil {
		sample := s.copyOf(from.sample)
		to.Sample = &sample
	}
	// record_fields.def: copies
	to.Time = uint64(from.time)
	to.ID = uint64(from.id)
	to.PID = int(from.pid)
	to.TID = int(from.tid)
	to.CPU = uint32(from.cpu)
	to.OwnCPU = int(from.own_cpu)
	to.OwnPID = int(from.own_pid)
	to.OwnTID = int(from.own_tid)
	to.OtherPID = int(from.other_pid)
	to.OtherTID = int(from.other_tid)
	to.OwnTime = uint64(from.own_time)
	to.OwnID = uint64(from.own_id)
	to.StreamID = uint64(from.stream_id)
	to.Address = uint64(from.address)
	to.Size = uint64(from.size)
	to.Offset = uint64(from.offset)
	to.Inode = uint64(from.inode)
	to.Generation = uint64(from.generation)
	to.DeviceMajor = uint32(from.device_major)
	to.DeviceMinor = uint32(from.device_minor)
	to.Protection = uint32(from.protection)
	to.Kind = uint32(from.kind)
	to.Flags = uint64(from.flags)
	to.Lost = uint64(from.lost)
	to.Tag = uint64(from.tag)
	to.HwID = uint64(from.hw_id)
	to.Cookie = uint64(from.cookie)
	to.Reference = uint64(from.reference)
	to.Index = uint32(from.index)
	to.Code = uint32(from.code)
	to.IsData = from.is_data != 0
	to.IsExec = from.is_exec != 0
	to.IsOut = from.is_out != 0
	to.IsPreempted = from.is_preempted != 0
	to.IsGone = from.is_gone != 0
	to.ByBpf = from.by_bpf != 0
	to.Name = C.GoStringN(from.name, C.int(from.name_size))
	to.BuildID = bytesAt(from.build_id, from.build_id_size)
	to.OldBytes = bytesAt(from.old_bytes, from.old_bytes_size)
	to.NewBytes = bytesAt(from.new_bytes, from.new_bytes_size)
	to.Bytes = bytesAt(from.bytes, from.bytes_size)
	to.Words = numbers(from.words, from.words_count)
	// record_fields.def: end
	return
}

// bytesAt copies bytes of the library.
func bytesAt(from *C.uint8_t, count C.size_t) []byte {
	if count == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(from)), int(count))...)
}
