package evname

/*
#cgo pkg-config: evname
#include <evname/evname.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"unsafe"
)

// The kinds of failures, for errors.Is.
var (
	ErrInvalidArgument = errors.New("invalid argument") // the text or value can't be used as it is
	ErrNotFound        = errors.New("not found")        // no such event, CPU, model, PMU or file
	ErrOutOfRange      = errors.New("out of range")     // a number does not fit its destination
	ErrCorrupt         = errors.New("corrupt")          // bytes of a file contradict its format
	ErrIO              = errors.New("I/O error")        // the operating system reported an error
	ErrUnsupported     = errors.New("unsupported")      // well formed, but this build can't do it
	ErrNoMemory        = errors.New("no memory")
	ErrInternal        = errors.New("internal error") // a bug in the library
	ErrClosed          = errors.New("closed")         // Close was called before
)

// NoOffset is the Offset of an Error without a single place.
const NoOffset = -1

// Error is a failure, described for people. errors.Is compares its kind.
type Error struct {
	Kind    error  // one of the Err… above
	Message string // what went wrong, one sentence
	Where   string // file, file:line or file@offset; may be empty
	Hint    string // what to try next; may be empty
	Offset  int64  // of the fault in the text or file, in bytes; NoOffset if none
}

func (e *Error) Error() string {
	text := e.Message
	if e.Where != "" {
		text = e.Where + ": " + text
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

func kindOf(status C.int) error {
	switch status {
	case C.EVNAME_INVALID_ARGUMENT:
		return ErrInvalidArgument
	case C.EVNAME_NOT_FOUND:
		return ErrNotFound
	case C.EVNAME_OUT_OF_RANGE:
		return ErrOutOfRange
	case C.EVNAME_CORRUPT:
		return ErrCorrupt
	case C.EVNAME_IO:
		return ErrIO
	case C.EVNAME_UNSUPPORTED:
		return ErrUnsupported
	case C.EVNAME_NO_MEMORY:
		return ErrNoMemory
	}
	return ErrInternal
}

// check makes an error of the status that a function returned and the failure that it wrote.
func check(status C.int, failure *C.evname_error) error {
	if status == C.EVNAME_OK {
		return nil
	}
	offset := int64(NoOffset)
	if uint64(failure.offset) != ^uint64(0) {
		offset = int64(failure.offset)
	}
	return &Error{
		Kind:    kindOf(status),
		Message: C.GoString(&failure.message[0]),
		Where:   C.GoString(&failure.where[0]),
		Hint:    C.GoString(&failure.hint[0]),
		Offset:  offset,
	}
}

func ofStatus(status C.int) error {
	return &Error{Kind: kindOf(status), Message: C.GoString(C.evname_status_text(status)), Offset: NoOffset}
}

// cText copies text for the library. The caller frees it.
func cText(text string) (*C.char, error) {
	for i := 0; i < len(text); i++ {
		if text[i] == 0 {
			return nil, &Error{Kind: ErrInvalidArgument, Message: "the text has a NUL in it", Offset: int64(i)}
		}
	}
	return C.CString(text), nil
}

func free(text *C.char) { C.free(unsafe.Pointer(text)) }

// texts reads a list of texts up to the empty one.
func texts(get func(C.size_t) *C.char) []string {
	var found []string
	for i := C.size_t(0); ; i++ {
		text := C.GoString(get(i))
		if text == "" {
			return found
		}
		found = append(found, text)
	}
}

// Version returns the version of the library that runs.
func Version() string { return C.GoString(C.evname_version()) }
