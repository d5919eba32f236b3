// Sample prints the functions of this program where the CPU misses its caches, or spends its time if there is no core PMU:
// sample [EVENT].
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"

	"github.com/evname/evname/packaging/go"
)

// chase follows a chain through memory, the next place being far away.
//
//go:noinline
func chase(next []int, steps int) (at int) {
	for ; steps > 0; steps-- {
		at = next[at]
	}
	return at
}

// must ends the program if there is an error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func open(machine *evname.Machine, event string) (*evname.Sampler, error) {
	events := []evname.SampledEvents{{Events: event, Frequency: 2000}}
	return evname.NewSampler(machine, events, evname.Target{}, evname.SamplerOptions{})
}

func main() {
	log.SetFlags(0)
	runtime.LockOSThread() // the sampler is of this thread
	machine := must(evname.Live())
	event := "cache-misses:u"
	if len(os.Args) > 1 {
		event = os.Args[1]
	}
	sampler, err := open(machine, event)
	if err != nil && len(os.Args) == 1 {
		sampler, err = open(machine, "cpu-clock:u")
	}
	scope := must(evname.NewSampleScope(must(sampler, err), must(evname.NewSymbols(evname.SymbolOptions{NoLines: true}))))

	next := make([]int, 1<<23)
	for at := range next {
		next[at] = (at*1_664_525 + 1_013_904_223) % len(next)
	}
	must(0, scope.Start())
	end := chase(next, len(next)/8)
	must(0, scope.Stop())

	fmt.Printf("%s ends at place %d\n", must(sampler.Recording()).Events()[0].Name, end)
	for _, one := range scope.Functions(0) {
		fmt.Printf("%8d  %s (%s)\n", one.Samples, one.Function, one.DSO)
	}
}
