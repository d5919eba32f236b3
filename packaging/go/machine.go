package evname

/*
#include <evname/evname.h>
#include <stdlib.h>
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Code is config and config1 to config4 of perf_event_attr.
type Code [5]uint64

// Machine is a CPU, its event tables and its PMUs.
type Machine struct {
	handle *C.evname_machine
	owner  *Recording // that it belongs to, or nil
}

// Encoding is one way to open an event: the members of perf_event_attr that it sets.
type Encoding struct {
	PMU       string // "cpu", "uncore_imc_0"; "hardware", "software", … for generic types
	Type      uint32
	HasType   bool // false: only the live machine knows the type
	Words     Code
	Period    uint64 // sample period that the event's table suggests; 0: none
	PreciseIP uint32 // 0 to 3
	Leader    int    // index, among the encodings of one text, of its group's leader; its own if it leads

	// These are set by modifiers.
	// attr_bits.def: members
	ExcludeUser, ExcludeKernel, ExcludeHV, ExcludeHost, ExcludeGuest, ExcludeIdle, Pinned, Exclusive bool
	// attr_bits.def: end
}

// Names are all names of a code.
type Names struct {
	Names      []string // best first; none if no name has this code
	Qualifiers string   // to be added to the names: "cmask=0x1"; empty if exact
	PMU        string
	Terms      string // the code as terms, always exact: "event=0xd1,umask=0x20"
	Exact      bool   // the names have exactly this code
}

// CPU is the CPU of a machine. Model is empty if no table fits, and Note a sentence if it is a fallback.
type CPU struct{ Arch, CPUID, Model, Note string }

// Live returns the machine that this program runs on.
func Live() (*Machine, error) { return openMachine(nil) }

// Named returns a machine named by a CPUID string, a model ("skylakex") or a short name ("skx").
func Named(cpu string) (*Machine, error) {
	text, err := cText(cpu)
	if err != nil {
		return nil, err
	}
	defer free(text)
	return openMachine(text)
}

func openMachine(cpu *C.char) (*Machine, error) {
	var handle *C.evname_machine
	var failure C.evname_error
	if err := check(C.evname_machine_open(cpu, nil, &handle, &failure), &failure); err != nil {
		return nil, err
	}
	machine := &Machine{handle: handle}
	runtime.SetFinalizer(machine, (*Machine).Close)
	return machine, nil
}

// Close frees a machine; one of a recording is freed with it.
func (m *Machine) Close() {
	defer runtime.KeepAlive(m)
	if m.owner == nil {
		C.evname_machine_free(m.handle)
		m.handle = nil
	}
	runtime.SetFinalizer(m, nil)
}

func (m *Machine) closed() bool {
	return m.handle == nil || m.owner != nil && m.owner.handle == nil
}

// Resolve turns events in the syntax of `perf -e` into one encoding per event and PMU.
func (m *Machine) Resolve(events string) ([]Encoding, error) {
	if m.closed() {
		return nil, ErrClosed
	}
	defer runtime.KeepAlive(m)
	text, err := cText(events)
	if err != nil {
		return nil, err
	}
	defer free(text)
	attrs := make([]C.evname_attr, 8)
	for {
		var count C.size_t
		var failure C.evname_error
		status := C.evname_resolve(m.handle, text, &attrs[0], C.size_t(len(attrs)), &count, &failure)
		if err := check(status, &failure); err != nil {
			return nil, err
		}
		if int(count) <= len(attrs) {
			encodings := make([]Encoding, count)
			for i := range encodings {
				encodings[i] = encodingOf(&attrs[i])
			}
			return encodings, nil
		}
		attrs = make([]C.evname_attr, count)
	}
}

func encodingOf(attr *C.evname_attr) Encoding {
	has := func(flag C.uint32_t) bool { return attr.flags&flag != 0 }
	return Encoding{
		PMU:       C.GoString(attr.pmu),
		Type:      uint32(attr.code._type),
		HasType:   attr.code.has_type != 0,
		Words:     wordsOf(&attr.code),
		Period:    uint64(attr.period),
		PreciseIP: uint32(attr.precise_ip),
		Leader:    int(attr.leader),
		// attr_bits.def: values
		ExcludeUser:   has(C.EVNAME_ATTR_EXCLUDE_USER),
		ExcludeKernel: has(C.EVNAME_ATTR_EXCLUDE_KERNEL),
		ExcludeHV:     has(C.EVNAME_ATTR_EXCLUDE_HV),
		ExcludeHost:   has(C.EVNAME_ATTR_EXCLUDE_HOST),
		ExcludeGuest:  has(C.EVNAME_ATTR_EXCLUDE_GUEST),
		ExcludeIdle:   has(C.EVNAME_ATTR_EXCLUDE_IDLE),
		Pinned:        has(C.EVNAME_ATTR_PINNED),
		Exclusive:     has(C.EVNAME_ATTR_EXCLUSIVE),
		// attr_bits.def: end
	}
}

func wordsOf(code *C.evname_code) Code {
	var words Code
	for i := range words {
		words[i] = uint64(code.config[i])
	}
	return words
}

// Name returns the best name of a code, with its qualifiers; of the first core PMU if pmu is empty.
func (m *Machine) Name(code Code, pmu string) (string, error) {
	if m.closed() {
		return "", ErrClosed
	}
	defer runtime.KeepAlive(m)
	on, words, err := codeOn(code, pmu)
	if err != nil {
		return "", err
	}
	defer free(on)
	size := C.evname_name_of(m.handle, on, &words, nil, 0) + 1
	buffer := (*C.char)(C.malloc(size))
	defer free(buffer)
	C.evname_name_of(m.handle, on, &words, buffer, size)
	return C.GoString(buffer), nil
}

// codeOn returns a code and its PMU for C; nil stands for the first core PMU.
func codeOn(code Code, pmu string) (on *C.char, words C.evname_code, err error) {
	for i, word := range code {
		words.config[i] = C.uint64_t(word)
	}
	if pmu != "" {
		on, err = cText(pmu)
	}
	return
}

// Names returns all names of a code, as Name does the best.
func (m *Machine) Names(code Code, pmu string) (Names, error) {
	if m.closed() {
		return Names{}, ErrClosed
	}
	defer runtime.KeepAlive(m)
	on, words, err := codeOn(code, pmu)
	if err != nil {
		return Names{}, err
	}
	defer free(on)
	for size := C.size_t(512); ; {
		buffer := (*C.char)(C.malloc(size))
		var found C.evname_names
		var failure C.evname_error
		var needed C.size_t
		status := C.evname_names_of(m.handle, on, &words, &found, buffer, size, &needed, &failure)
		names := Names{}
		if err = check(status, &failure); err == nil && needed <= size {
			names = namesIn(&found)
		}
		free(buffer)
		if err != nil || needed <= size {
			return names, err
		}
		size = needed
	}
}

func namesIn(found *C.evname_names) Names {
	names := Names{
		Qualifiers: C.GoString(found.qualifiers),
		PMU:        C.GoString(found.pmu),
		Terms:      C.GoString(found.terms),
		Exact:      found.exact != 0,
	}
	at := unsafe.Pointer(found.names)
	for i := C.size_t(0); i < found.count; i++ {
		name := C.GoString((*C.char)(at))
		names.Names = append(names.Names, name)
		at = unsafe.Add(at, len(name)+1)
	}
	return names
}

// CPU returns the CPU of a machine.
func (m *Machine) CPU() CPU {
	if m.closed() {
		return CPU{}
	}
	defer runtime.KeepAlive(m)
	var cpu C.evname_cpu
	C.evname_machine_cpu(m.handle, &cpu)
	return CPU{C.GoString(cpu.arch), C.GoString(cpu.cpuid), C.GoString(cpu.model), C.GoString(cpu.note)}
}
