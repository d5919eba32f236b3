package evname

/*
#include <evname/evname.h>
#include <stdlib.h>
*/
import "C"

import (
	"os"
	"runtime"
	"unsafe"
)

// Recording is a recording of perf: a file, a directory, a pipe's output, or "-" for standard input.
type Recording struct {
	handle *C.evname_recording
	events []RecordedEvent
}

// NamedBy is the source of a recorded event's name.
type NamedBy uint32

const (
	NamedByRecording NamedBy = C.EVNAME_NAMED_BY_RECORDING // the name that the user or perf gave it
	NamedByKernel    NamedBy = C.EVNAME_NAMED_BY_KERNEL    // a generic event as perf spells it
	NamedByTables    NamedBy = C.EVNAME_NAMED_BY_TABLES    // the machine's tables have that very code
	NamedByCode      NamedBy = C.EVNAME_NAMED_BY_CODE      // nowhere: the code is spelled out
)

// RecordedEvent is an event of a recording.
type RecordedEvent struct {
	Name         string // symbolic, without modifiers; "cpu_core/cycles/" if another PMU has the name
	RecordedName string // as perf prints it, with modifiers: "r11:u"
	Modifiers    string // "u", "ppp"
	PMU          string // "cpu", "hardware", …; "type N" if unnamed
	Type         uint32
	Words        Code
	Exact        bool // the name has exactly this code
	NamedBy      NamedBy
	IDs          []uint64 // the kernel's

	UserRegisterMask      uint64 // a bit for each of Sample.UserRegisters
	InterruptRegisterMask uint64 // a bit for each of Sample.InterruptRegisters
}

// Open opens a recording. It fails only if nothing at all can be read. The file must not be truncated while it is open.
func Open(path string) (*Recording, error) {
	text, err := cText(path)
	if err != nil {
		return nil, err
	}
	defer free(text)
	recording := &Recording{}
	var failure C.evname_error
	return recording.opened(check(C.evname_recording_open(text, &recording.handle, &failure), &failure))
}

// OpenBytes opens a recording whose bytes are in memory, which are copied. Name is its path in messages.
func OpenBytes(data []byte, name string) (*Recording, error) {
	text, err := cText(name)
	if err != nil {
		return nil, err
	}
	defer free(text)
	recording := &Recording{}
	var failure C.evname_error
	var first unsafe.Pointer
	if len(data) > 0 {
		first = unsafe.Pointer(&data[0])
	}
	return recording.opened(check(C.evname_recording_open_bytes(first, C.size_t(len(data)), text, 0, &recording.handle, &failure), &failure))
}

// OpenFile opens a recording that is an open file, or what a pipe yields. The file stays the caller's, who may close it.
func OpenFile(file *os.File) (*Recording, error) {
	text, err := cText(file.Name())
	if err != nil {
		return nil, err
	}
	defer free(text)
	defer runtime.KeepAlive(file)
	recording := &Recording{}
	var failure C.evname_error
	return recording.opened(check(C.evname_recording_open_descriptor(C.int(file.Fd()), text, 0, &recording.handle, &failure), &failure))
}

// opened completes a recording whose handle has been made, unless that failed.
func (recording *Recording) opened(err error) (*Recording, error) {
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(recording, (*Recording).Close)
	defer runtime.KeepAlive(recording)
	var event C.evname_recorded_event
	for i := C.size_t(0); C.evname_recorded_event_at(recording.handle, i, &event) == C.EVNAME_OK; i++ {
		recording.events = append(recording.events, recordedEvent(&event))
	}
	return recording, nil
}

func recordedEvent(event *C.evname_recorded_event) RecordedEvent {
	return RecordedEvent{
		Name:         C.GoString(event.name),
		RecordedName: C.GoString(event.recorded_name),
		Modifiers:    C.GoString(event.modifiers),
		PMU:          C.GoString(event.pmu),
		Type:         uint32(event.code._type),
		Words:        wordsOf(&event.code),
		Exact:        event.exact != 0,
		NamedBy:      NamedBy(event.named_by),
		IDs:          numbers(event.ids, event.ids_count),

		UserRegisterMask:      uint64(event.user_register_mask),
		InterruptRegisterMask: uint64(event.interrupt_register_mask),
	}
}

// numbers copies an array of the library.
func numbers(from *C.uint64_t, count C.size_t) []uint64 {
	if count == 0 {
		return nil
	}
	return append([]uint64(nil), unsafe.Slice((*uint64)(unsafe.Pointer(from)), int(count))...)
}

// Close closes a recording. Passes over its samples go on.
func (r *Recording) Close() {
	defer runtime.KeepAlive(r)
	C.evname_recording_free(r.handle)
	r.handle = nil
	runtime.SetFinalizer(r, nil)
}

// Events returns the events of a recording.
func (r *Recording) Events() []RecordedEvent { return r.events }

// Machine returns the machine that the recording was made on, for as long as the recording is open.
func (r *Recording) Machine() *Machine {
	if r.handle == nil {
		return &Machine{owner: r}
	}
	defer runtime.KeepAlive(r)
	return &Machine{handle: (*C.evname_machine)(C.evname_recording_machine(r.handle)), owner: r}
}

// Warnings returns descriptions of the faults of the file.
func (r *Recording) Warnings() []string {
	if r.handle == nil {
		return nil
	}
	defer runtime.KeepAlive(r)
	return texts(func(i C.size_t) *C.char { return C.evname_recording_warning(r.handle, i) })
}
