package evname

/*
#include <evname/evname.h>
#include <stdint.h>
#include <stdlib.h>

int evnameReadSamples(uintptr_t reader);

// A handle of Go is a number, which must not be a pointer in Go.
static inline int evname_go_reader(void* reader) { return evnameReadSamples((uintptr_t)reader); }
static inline int evname_go_start(evname_sampler* sampler, uintptr_t reader, uint32_t milliseconds, evname_error* error) {
	return evname_sampler_start(sampler, evname_go_reader, (void*)reader, milliseconds, error);
}
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"time"
	"unsafe"
)

// CallChains is the way to find the callers of a sample.
type CallChains uint32

const (
	NoChains      CallChains = C.EVNAME_CHAINS_NONE
	FramePointers CallChains = C.EVNAME_CHAINS_FRAME_POINTERS // the kernel follows frame pointers
	StackCopies   CallChains = C.EVNAME_CHAINS_STACK_COPIES   // by unwind tables, from a copy of the stack
	BranchRecords CallChains = C.EVNAME_CHAINS_BRANCH_RECORDS // the CPU's own record of calls (LBR)
)

// SampledEvents are events that are sampled alike.
type SampledEvents struct {
	Events    string     // a list in the syntax of perf -e
	Period    uint64     // a sample for each so many events; 0: by Frequency
	Frequency uint64     // samples a second; 0: as the event suggests, else 4,000
	Fields    string     // names of sample fields beside ip, pid, tid and time: "cpu,addr"
	Chains    CallChains // how callers are found
	StackSize uint32     // bytes of each copy of a stack, a multiple of 8; 0: 8,192
}

// Target is what is sampled or counted: one of the lists or the cgroup, which may have CPUs, too. Without any it is the thread
// that calls NewSampler or NewCounters: take runtime.LockOSThread, or name the process.
type Target struct {
	TIDs    []int32
	PIDs    []int32  // all threads of these processes, as they are then
	CPUs    []uint32 // all that runs on these CPUs
	AllCPUs bool     // all that runs on any CPU
	Cgroup  string   // an absolute path, or one below the mount point of cgroups
}

// SamplerOptions are options of a sampler.
type SamplerOptions struct {
	Inherit      bool   // also the threads and processes that are made later
	DataMappings bool   // follow mappings that are not executable, too
	Thread       bool   // make the thread for Start
	KernelToo    bool   // fail if the kernel may not be sampled, instead of sampling only user space
	BufferPages  uint32 // pages of each buffer, a power of 2; 0: 512 KiB, or what is permitted
	TracePages   uint32 // pages of each area for a trace (arm_spe_0//), a power of 2; 0: 4 MiB for root, else 128 KiB
	Keep         uint64 // bytes of records to keep for TakeRecording
}

// Losses are what a sampler has missed so far.
type Losses struct {
	Lost    uint64 // samples, and pieces of a trace, that found no room in a buffer
	Damaged uint64 // times that the rest of a buffer made no sense and was left out
	NotKept uint64 // records beyond SamplerOptions.Keep
}

// Sampler has open events that are sampled while the program runs.
type Sampler struct {
	handle *C.evname_sampler
	reader cgo.Handle // of a reader, between Start and Stop
}

// reader is a function that the thread of a sampler calls.
type reader struct {
	samples *Samples
	read    func(*Samples)
}

// memory is C's, for what C structs point to.
type memory []unsafe.Pointer

func (m *memory) text(text string) (*C.char, error) {
	copied, err := cText(text)
	if err == nil {
		*m = append(*m, unsafe.Pointer(copied))
	}
	return copied, err
}

func (m *memory) bytes(from unsafe.Pointer, size int) unsafe.Pointer {
	if size == 0 {
		return nil
	}
	copied := C.CBytes(unsafe.Slice((*byte)(from), size))
	*m = append(*m, copied)
	return copied
}

func (m *memory) free() {
	for _, one := range *m {
		C.free(one)
	}
}

func (t *Target) fill(to *C.evname_count_target, kept *memory) error {
	if t.AllCPUs || len(t.CPUs) > 0 {
		to.kind = C.EVNAME_COUNT_CPUS
	}
	if len(t.CPUs) > 0 {
		to.cpus = (*C.uint32_t)(kept.bytes(unsafe.Pointer(&t.CPUs[0]), 4*len(t.CPUs)))
		to.cpus_count = C.size_t(len(t.CPUs))
	}
	ids := t.TIDs
	if len(ids) > 0 {
		to.kind = C.EVNAME_COUNT_THREADS
	} else if ids = t.PIDs; len(ids) > 0 {
		to.kind = C.EVNAME_COUNT_PROCESSES
	}
	if len(ids) > 0 {
		to.ids = (*C.int32_t)(kept.bytes(unsafe.Pointer(&ids[0]), 4*len(ids)))
		to.ids_count = C.size_t(len(ids))
	}
	if t.Cgroup == "" {
		return nil
	}
	to.kind = C.EVNAME_COUNT_CGROUP
	var err error
	to.cgroup, err = kept.text(t.Cgroup)
	return err
}

// NewSampler opens events of this machine. Nothing is sampled until they are enabled.
func NewSampler(machine *Machine, events []SampledEvents, target Target, options SamplerOptions) (*Sampler, error) {
	if machine.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(machine)
	var kept memory
	defer kept.free()
	lists := (*C.evname_sampled_events)(C.calloc(C.size_t(len(events)+1), C.sizeof_evname_sampled_events))
	kept = append(kept, unsafe.Pointer(lists))
	for i, one := range unsafe.Slice(lists, len(events)) {
		var err error
		if one.events, err = kept.text(events[i].Events); err != nil {
			return nil, err
		}
		if one.fields, err = kept.text(events[i].Fields); err != nil {
			return nil, err
		}
		one.period = C.uint64_t(events[i].Period)
		one.frequency = C.uint64_t(events[i].Frequency)
		one.chains = C.uint32_t(events[i].Chains)
		one.stack_size = C.uint32_t(events[i].StackSize)
		unsafe.Slice(lists, len(events))[i] = one
	}
	var where C.evname_count_target
	if err := target.fill(&where, &kept); err != nil {
		return nil, err
	}
	how := C.evname_sampler_options{
		buffer_pages: C.uint32_t(options.BufferPages),
		trace_pages:  C.uint32_t(options.TracePages),
		keep:         C.uint64_t(options.Keep),
	}
	if options.Inherit {
		how.flags |= C.EVNAME_SAMPLER_INHERIT
	}
	if options.DataMappings {
		how.flags |= C.EVNAME_SAMPLER_DATA_MAPPINGS
	}
	if options.Thread {
		how.flags |= C.EVNAME_SAMPLER_THREAD
	}
	if options.KernelToo {
		how.flags |= C.EVNAME_SAMPLER_KERNEL_TOO
	}
	sampler := &Sampler{}
	var failure C.evname_error
	status := C.evname_sampler_open(machine.handle, lists, C.size_t(len(events)), &where, &how, &sampler.handle, &failure)
	if err := check(status, &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(sampler, (*Sampler).Close)
	return sampler, nil
}

// Close stops the thread of a sampler, and closes the sampler once its Samples are closed, too.
func (s *Sampler) Close() {
	defer runtime.KeepAlive(s)
	C.evname_sampler_free(s.handle)
	s.handle = nil
	s.forgetReader()
	runtime.SetFinalizer(s, nil)
}

// Warnings returns sentences on what the kernel refused and what is sampled instead.
func (s *Sampler) Warnings() []string {
	if s.handle == nil {
		return nil
	}
	defer runtime.KeepAlive(s)
	return texts(func(i C.size_t) *C.char { return C.evname_sampler_warning(s.handle, i) })
}

// Enable starts all events.
func (s *Sampler) Enable() error {
	if s.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(s)
	var failure C.evname_error
	return check(C.evname_sampler_enable(s.handle, &failure), &failure)
}

// Disable stops them. The samples up to here can still be read.
func (s *Sampler) Disable() error {
	if s.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(s)
	var failure C.evname_error
	return check(C.evname_sampler_disable(s.handle, &failure), &failure)
}

// Wait waits until a buffer is half full, a sampled thread ends or the time is over. It returns false if no thread is
// left.
func (s *Sampler) Wait(duration time.Duration) (bool, error) {
	if s.handle == nil {
		return false, ErrClosed
	}
	defer runtime.KeepAlive(s)
	var failure C.evname_error
	var alive C.int32_t
	status := C.evname_sampler_wait(s.handle, C.uint32_t(duration.Milliseconds()), &alive, &failure)
	return alive != 0, check(status, &failure)
}

// Start lets the thread of the sampler, which is not sampled itself, call read with the samples every so often and when
// a buffer is half full, until Stop. Samples can't be read elsewhere meanwhile. It needs SamplerOptions.Thread. The
// sampler must be stopped or closed in the end, but not by read.
func (s *Sampler) Start(read func(*Samples), every time.Duration) error {
	samples, err := s.Samples()
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(s)
	given := cgo.NewHandle(&reader{samples, read})
	var failure C.evname_error
	status := C.evname_go_start(s.handle, C.uintptr_t(given), C.uint32_t(every.Milliseconds()), &failure)
	if err := check(status, &failure); err != nil {
		given.Delete()
		samples.Close()
		return err
	}
	s.reader = given
	return nil
}

// Stop waits until the thread has read all samples, and stops it.
func (s *Sampler) Stop() error {
	if s.handle == nil {
		return ErrClosed
	}
	defer runtime.KeepAlive(s)
	var failure C.evname_error
	status := C.evname_sampler_stop(s.handle, &failure)
	if status != C.EVNAME_INVALID_ARGUMENT { // else it is the thread itself that asks
		s.forgetReader()
	}
	return check(status, &failure)
}

func (s *Sampler) forgetReader() {
	if s.reader == 0 {
		return
	}
	s.reader.Value().(*reader).samples.Close()
	s.reader.Delete()
	s.reader = 0
}

//export evnameReadSamples
func evnameReadSamples(context C.uintptr_t) C.int {
	given := cgo.Handle(context).Value().(*reader)
	given.read(given.samples)
	if given.samples.Err() != nil {
		return 1
	}
	return 0
}

// Samples returns the samples. Next returns false after those that are there, and goes on when it is called again.
func (s *Sampler) Samples() (*Samples, error) {
	if s.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(s)
	samples := &Samples{next: &C.evname_sample{}, texts: map[*C.char]string{}}
	var failure C.evname_error
	if err := check(C.evname_sampler_samples(s.handle, &samples.handle, &failure), &failure); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(samples, (*Samples).Close)
	return samples, nil
}

// Recording returns a recording without samples that has the events. One is evname's own: the last, or with a trace
// the one before the events made from the trace.
func (s *Sampler) Recording() (*Recording, error) {
	if s.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(s)
	recording := &Recording{}
	var failure C.evname_error
	err := check(C.evname_sampler_recording(s.handle, &recording.handle, &failure), &failure)
	return recording.opened(err)
}

// TakeRecording returns the samples that were read since the last call as a recording.
func (s *Sampler) TakeRecording() (*Recording, error) {
	if s.handle == nil {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(s)
	recording := &Recording{}
	var failure C.evname_error
	err := check(C.evname_sampler_take_recording(s.handle, &recording.handle, &failure), &failure)
	return recording.opened(err)
}

// Losses returns what has been missed so far.
func (s *Sampler) Losses() (Losses, error) {
	if s.handle == nil {
		return Losses{}, ErrClosed
	}
	defer runtime.KeepAlive(s)
	var losses C.evname_losses
	if status := C.evname_sampler_losses(s.handle, &losses); status != C.EVNAME_OK {
		return Losses{}, ofStatus(status)
	}
	return Losses{uint64(losses.lost), uint64(losses.damaged), uint64(losses.not_kept)}, nil
}
