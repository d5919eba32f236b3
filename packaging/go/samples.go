package evname

/*
#include <evname/evname.h>
*/
import "C"

import "runtime"

// ReadOptions tell how to read samples.
type ReadOptions struct {
	FileOrder bool // in the order of the file, not of time
	Salvage   bool // after damage, continue at the next place that looks like records
}

// Fields are the fields that a sample has.
type Fields uint64

const (
	FieldTID          Fields = C.EVNAME_SAMPLE_TID // PID, TID and Comm
	FieldCPU          Fields = C.EVNAME_SAMPLE_CPU
	FieldTime         Fields = C.EVNAME_SAMPLE_TIME
	FieldIP           Fields = C.EVNAME_SAMPLE_IP
	FieldAddr         Fields = C.EVNAME_SAMPLE_ADDR
	FieldID           Fields = C.EVNAME_SAMPLE_ID
	FieldWeight       Fields = C.EVNAME_SAMPLE_WEIGHT
	FieldDataSrc      Fields = C.EVNAME_SAMPLE_DATA_SRC
	FieldTransaction  Fields = C.EVNAME_SAMPLE_TRANSACTION
	FieldPhysAddr     Fields = C.EVNAME_SAMPLE_PHYS_ADDR
	FieldCgroup       Fields = C.EVNAME_SAMPLE_CGROUP
	FieldDataPageSize Fields = C.EVNAME_SAMPLE_DATA_PAGE_SIZE
	FieldCodePageSize Fields = C.EVNAME_SAMPLE_CODE_PAGE_SIZE
	FieldCallchain    Fields = C.EVNAME_SAMPLE_CALLCHAIN
)

// Sample is a sample. Members whose bit is not in Fields are zero.
type Sample struct {
	Event        int // index in Recording.Events
	Fields       Fields
	Period       uint64 // the event's if the sample has none
	Misc         uint32 // of the record header
	Comm         string // of the thread at that time, ":TID" if unknown
	PID, TID     int
	CPU          uint32
	Time         uint64 // ns of the recording's clock
	IP           uint64 // address of the instruction
	Addr         uint64 // address that the event is about
	ID           uint64 // the kernel's, of the event
	Weight       uint64 // usually a latency in cycles
	DataSrc      uint64 // union perf_mem_data_src
	Transaction  uint64 // PERF_TXN_… bits
	PhysAddr     uint64
	Cgroup       uint64
	DataPageSize uint64   // bytes
	CodePageSize uint64   // bytes
	Callchain    []uint64 // return addresses, leaf first, with perf's context markers
}

// Tally is what a pass found so far.
type Tally struct {
	Samples    uint64
	UnknownIDs uint64 // samples of no event of the file: skipped
	Malformed  uint64 // samples shorter than their event requires: skipped
	Lost       uint64 // samples that the recorder reported as lost
}

// Samples is a pass over the samples of a recording.
type Samples struct {
	handle *C.evname_samples
	next   *C.evname_sample
	comms  map[*C.char]string // the library keeps a name where it is as long as the pass
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
	samples := &Samples{next: &C.evname_sample{}, comms: map[*C.char]string{}}
	var failure C.evname_error
	if err := check(C.evname_samples_open(r.handle, flags, &samples.handle, &failure), &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(samples, (*Samples).Close)
	return samples, nil
}

// Next goes to the next sample. It returns false at the end and on failure, which Err tells.
func (s *Samples) Next() bool {
	if s.handle == nil || s.err != nil {
		return false
	}
	result := C.evname_samples_next(s.handle, s.next)
	if result < 0 {
		s.err = ofStatus(-result)
	}
	return result == 1
}

// Sample returns the sample that Next went to.
func (s *Samples) Sample() Sample {
	from := s.next
	return Sample{
		Event:        int(from.event),
		Fields:       Fields(from.fields),
		Period:       uint64(from.period),
		Misc:         uint32(from.misc),
		Comm:         s.commAt(from.comm),
		PID:          int(from.pid),
		TID:          int(from.tid),
		CPU:          uint32(from.cpu),
		Time:         uint64(from.time),
		IP:           uint64(from.ip),
		Addr:         uint64(from.addr),
		ID:           uint64(from.id),
		Weight:       uint64(from.weight),
		DataSrc:      uint64(from.data_src),
		Transaction:  uint64(from.transaction),
		PhysAddr:     uint64(from.phys_addr),
		Cgroup:       uint64(from.cgroup),
		DataPageSize: uint64(from.data_page_size),
		CodePageSize: uint64(from.code_page_size),
		Callchain:    numbers(from.callchain, from.callchain_count),
	}
}

func (s *Samples) commAt(comm *C.char) string {
	if comm == nil { // before the first Next, or closed
		return ""
	}
	text, known := s.comms[comm]
	if !known {
		text = C.GoString(comm)
		s.comms[comm] = text
	}
	return text
}

// Err returns what ended the pass before its end, or nil.
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

// Warnings tells what is wrong with the records; complete only at the end.
func (s *Samples) Warnings() []string {
	if s.handle == nil {
		return nil
	}
	defer runtime.KeepAlive(s)
	return texts(func(i C.size_t) *C.char { return C.evname_samples_warning(s.handle, i) })
}

// Tally returns what the pass found so far.
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
	C.evname_samples_free(s.handle)
	s.handle = nil
	*s.next = C.evname_sample{}
	runtime.SetFinalizer(s, nil)
}
