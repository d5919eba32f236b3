// evname.h from Go. Argument: a recording (tests/data/neoverse-n1.data).
package main

/*
#include <evname/evname.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

func resolve(machine *C.evname_machine, text string) (C.evname_attr, error) {
	var attr C.evname_attr
	var count C.size_t
	var failure C.evname_error
	name := C.CString(text)
	defer C.free(unsafe.Pointer(name))
	if C.evname_resolve(machine, name, &attr, 1, &count, &failure) != C.EVNAME_OK {
		return attr, errors.New(C.GoString(&failure.message[0]))
	}
	return attr, nil
}

// How many samples each event has.
func countSamples(path string) map[string]int {
	var recording *C.evname_recording
	var samples *C.evname_samples
	var sample C.evname_sample
	var event C.evname_recorded_event
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	counts := map[string]int{}
	if C.evname_recording_open(name, &recording, nil) != C.EVNAME_OK ||
		C.evname_samples_open(recording, 0, &samples, nil) != C.EVNAME_OK {
		return counts
	}
	for C.evname_samples_next(samples, &sample) == 1 {
		C.evname_recorded_event_at(recording, C.size_t(sample.event), &event)
		counts[C.GoString(event.name)]++
	}
	C.evname_samples_free(samples)
	C.evname_recording_free(recording)
	return counts
}

func check(what string, is any, expected any) {
	if is != expected {
		fmt.Fprintf(os.Stderr, "%s: %v, not %v\n", what, is, expected)
		os.Exit(1)
	}
}

func main() {
	var machine *C.evname_machine
	cpu := C.CString("skylakex")
	defer C.free(unsafe.Pointer(cpu))
	check("machine", int(C.evname_machine_open(cpu, nil, &machine, nil)), int(C.EVNAME_OK))
	// Intel SDM, volume 3: D1H/20H.
	attr, err := resolve(machine, "mem_load_retired.l3_miss")
	check("error", err, nil)
	check("config", uint64(attr.code.config[0]), uint64(0x20d1))
	check("pmu", C.GoString(attr.pmu), "cpu")
	_, err = resolve(machine, "no_such_event")
	check("error", err.Error(), "no event 'no_such_event' on skylakex")
	C.evname_machine_free(machine)
	// tests/data/neoverse-n1.script: lines of r11 and r08.
	counts := countSamples(os.Args[1])
	check("cpu_cycles", counts["cpu_cycles"], 239)
	check("inst_retired", counts["inst_retired"], 119)
}
