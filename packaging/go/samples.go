package evname

/*
#include <evname/evname.h>
*/
import "C"

import "runtime"

// ReadOptions are options for reading samples.
type ReadOptions struct {
	FileOrder bool // in the order of the file, not of time
	Salvage   bool // after damage, continue at the next place that looks like records
}

// Fields is a set of fields that a sample has.
type Fields uint64

const (
	// recordings.h: constants
	FieldPID                Fields = C.EVNAME_SAMPLE_PID
	FieldTID                Fields = C.EVNAME_SAMPLE_TID
	FieldCPU                Fields = C.EVNAME_SAMPLE_CPU
	FieldTime               Fields = C.EVNAME_SAMPLE_TIME
	FieldTransaction        Fields = C.EVNAME_SAMPLE_TRANSACTION
	FieldID                 Fields = C.EVNAME_SAMPLE_ID
	FieldAddr               Fields = C.EVNAME_SAMPLE_ADDR
	FieldDataSrc            Fields = C.EVNAME_SAMPLE_DATA_SRC
	FieldWeight             Fields = C.EVNAME_SAMPLE_WEIGHT
	FieldInsLat             Fields = C.EVNAME_SAMPLE_INS_LAT
	FieldRetireLat          Fields = C.EVNAME_SAMPLE_RETIRE_LAT
	FieldCgroup             Fields = C.EVNAME_SAMPLE_CGROUP
	FieldIP                 Fields = C.EVNAME_SAMPLE_IP
	FieldPhysAddr           Fields = C.EVNAME_SAMPLE_PHYS_ADDR
	FieldDataPageSize       Fields = C.EVNAME_SAMPLE_DATA_PAGE_SIZE
	FieldCodePageSize       Fields = C.EVNAME_SAMPLE_CODE_PAGE_SIZE
	FieldCallchain          Fields = C.EVNAME_SAMPLE_CALLCHAIN
	FieldBranches           Fields = C.EVNAME_SAMPLE_BRANCHES
	FieldBranchCounters     Fields = C.EVNAME_SAMPLE_BRANCH_COUNTERS
	FieldUserRegisters      Fields = C.EVNAME_SAMPLE_USER_REGISTERS
	FieldInterruptRegisters Fields = C.EVNAME_SAMPLE_INTERRUPT_REGISTERS
	// recordings.h: end
)

// Sample is a sample. Members whose bit is not in Fields are zero; FieldTID is the bit of PID, TID and Comm.
type Sample struct {
	Event      int // index in Recording.Events
	Fields     Fields
	Comm       string // name of the thread at that time, ":TID" if unknown
	CgroupPath string // empty if unknown
	Raw        []byte // raw data, such as the fields of a tracepoint

	// recordings.h: members
	Misc               uint32   // mode of the CPU, as PERF_RECORD_MISC_* bits of the record header
	Period             uint64   // how many of the events it stands for; the event's if the sample has none
	PID                int      // process
	TID                int      // thread
	CPU                uint32   // CPU
	Time               uint64   // time by the recording's clock, in ns
	Transaction        uint64   // flags of a transaction's abort, as PERF_TXN_* bits
	ID                 uint64   // the kernel's id of the event
	Addr               uint64   // address that the event is about
	DataSrc            uint64   // where data came from, as union perf_mem_data_src
	Weight             uint64   // cost: mostly a latency in cycles
	InsLat             uint32   // latency of the instruction, in cycles
	RetireLat          uint32   // cycles until it retired
	Cgroup             uint64   // id of the cgroup
	IP                 uint64   // address of the instruction
	PhysAddr           uint64   // physical address
	DataPageSize       uint64   // page size of the data, in bytes
	CodePageSize       uint64   // page size of the code, in bytes
	Callchain          []uint64 // return addresses, leaf first, with perf's context markers (from UINT64_MAX - 4094 on)
	Branches           []uint64 // from, to and flags of each branch, newest first
	BranchCounters     []uint64 // counts of the group's events in each branch, by the PMU's caps branch_counter_*
	UserRegisters      []uint64 // registers of user space, lowest bit of the event's mask first
	InterruptRegisters []uint64 // registers at the interrupt, lowest bit of the event's mask first
	// recordings.h: end
}

// Tally has the numbers that a pass has counted so far.
type Tally struct {
	Samples    uint64 // samples read
	UnknownIDs uint64 // samples of no event of the file: skipped
	Malformed  uint64 // samples shorter than their event requires: skipped
	Lost       uint64 // samples that the recorder reported as lost
}

// Samples is a pass over the samples of a recording.
type Samples struct {
	handle *C.evname_samples
	next   *C.evname_sample
	record *C.evname_record   // of NextRecord
	texts  map[*C.char]string // of threads and cgroups
	err    error
}

// Samples begins a pass over all samples, in constant memory. The recording may be closed before it ends. One that
// comes through a pipe can be read only once.
func (r *Recording) Samples(options ReadOptions) (*Samples, error) {
	if r.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(r)
	var flags C.uint32_t
	if options.FileOrder {
		flags |= C.EVNAME_SAMPLES_FILE_ORDER
	}
	if options.Salvage {
		flags |= C.EVNAME_SAMPLES_SALVAGE
	}
	samples := &Samples{next: &C.evname_sample{}, texts: map[*C.char]string{}}
	var failure C.evname_error
	if err := check(C.evname_samples_open(r.handle, flags, &samples.handle, &failure), &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(samples, (*Samples).Close)
	return samples, nil
}

// Next goes to the next sample. It returns false at the end and on failure, which Err returns.
func (s *Samples) Next() bool {
	if s.handle == nil || s.err != nil {
		return false
	}
	defer runtime.KeepAlive(s)
	s.record = nil // what it points to goes
	return s.moved(C.evname_samples_next(s.handle, s.next))
}

// moved takes the result of a function that goes to the next one.
func (s *Samples) moved(result C.int) bool {
	if result < 0 {
		s.err = ofStatus(-result)
	}
	return result == 1
}

// Sample returns the sample that Next went to.
func (s *Samples) Sample() Sample {
	defer runtime.KeepAlive(s) // what next points to lasts as long
	return s.copyOf(s.next)
}

func (s *Samples) copyOf(from *C.evname_sample) (to Sample) {
	to.Event = int(from.event)
	to.Fields = Fields(from.fields)
	to.Comm = s.textAt(from.comm)
	to.CgroupPath = s.textAt(from.cgroup_path)
	if from.raw_size > 0 {
		to.Raw = C.GoBytes(from.raw, C.int(from.raw_size))
	}
	// recordings.h: copies
	to.Misc = uint32(from.misc)
	to.Period = uint64(from.period)
	to.PID = int(from.pid)
	to.TID = int(from.tid)
	to.CPU = uint32(from.cpu)
	to.Time = uint64(from.time)
	to.Transaction = uint64(from.transaction)
	to.ID = uint64(from.id)
	to.Addr = uint64(from.addr)
	to.DataSrc = uint64(from.data_src)
	to.Weight = uint64(from.weight)
	to.InsLat = uint32(from.ins_lat)
	to.RetireLat = uint32(from.retire_lat)
	to.Cgroup = uint64(from.cgroup)
	to.IP = uint64(from.ip)
	to.PhysAddr = uint64(from.phys_addr)
	to.DataPageSize = uint64(from.data_page_size)
	to.CodePageSize = uint64(from.code_page_size)
	to.Callchain = numbers(from.callchain, from.callchain_count)
	to.Branches = numbers(from.branches, from.branches_count)
	to.BranchCounters = numbers(from.branch_counters, from.branch_counters_count)
	to.UserRegisters = numbers(from.user_registers, from.user_registers_count)
	to.InterruptRegisters = numbers(from.interrupt_registers, from.interrupt_registers_count)
	// recordings.h: end
	return to
}

// textAt copies a text once. The library keeps each where it is as long as the pass.
func (s *Samples) textAt(place *C.char) string {
	if place == nil { // before the first Next, or closed
		return ""
	}
	text, known := s.texts[place]
	if !known {
		text = C.GoString(place)
		s.texts[place] = text
	}
	return text
}

// Err returns the failure that ended the pass, or nil.
func (s *Samples) Err() error { return s.err }

// All returns the samples that are left as an iter.Seq2, for "range" since Go 1.23. A failure comes last, with an
// empty sample.
func (s *Samples) All() func(yield func(Sample, error) bool) {
	return func(yield func(Sample, error) bool) {
		for s.Next() {
			if !yield(s.Sample(), nil) {
				return
			}
		}
		if s.err != nil {
			yield(Sample{}, s.err)
		}
	}
}

// Warnings returns descriptions of the faults of the records. All are there only at the end of the pass.
func (s *Samples) Warnings() []string {
	if s.handle == nil {
		return nil
	}
	defer runtime.KeepAlive(s)
	return texts(func(i C.size_t) *C.char { return C.evname_samples_warning(s.handle, i) })
}

// Tally returns the numbers that the pass has counted so far.
func (s *Samples) Tally() (Tally, error) {
	if s.handle == nil {
		return Tally{}, ErrClosed
	}
	defer runtime.KeepAlive(s)
	var tally C.evname_tally
	if status := C.evname_samples_tally(s.handle, &tally); status != C.EVNAME_OK {
		return Tally{}, ofStatus(status)
	}
	return Tally{uint64(tally.samples), uint64(tally.unknown_ids), uint64(tally.malformed), uint64(tally.lost)}, nil
}

// Close ends a pass.
func (s *Samples) Close() {
	defer runtime.KeepAlive(s)
	C.evname_samples_free(s.handle)
	s.handle = nil
	*s.next, s.record = C.evname_sample{}, nil
	runtime.SetFinalizer(s, nil)
}
