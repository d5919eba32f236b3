// Sample prints in which functions of this program an event happens: sample [EVENT]. By default cycles; take cpu-clock if
// the machine has no core PMU.
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"sort"

	"github.com/evname/evname/packaging/go"
)

func work() (sum uint64) {
	for number := uint64(0); number < 1<<27; number++ {
		sum += number * sum
	}
	return sum
}

func main() {
	log.SetFlags(0)
	event := "cycles:u"
	if len(os.Args) > 1 {
		event = os.Args[1]
	}
	runtime.LockOSThread() // the sampler is of this thread
	machine, err := evname.Live()
	if err != nil {
		log.Fatal(err)
	}
	sampler, err := evname.NewSampler(machine, []evname.SampledEvents{{Events: event, Frequency: 2000}}, evname.Target{},
		evname.SamplerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	symbols, err := evname.NewSymbols(evname.SymbolOptions{NoLines: true})
	if err != nil {
		log.Fatal(err)
	}
	samples, err := sampler.Samples()
	if err != nil {
		log.Fatal(err)
	}
	if err := sampler.Enable(); err != nil {
		log.Fatal(err)
	}
	work()
	counts := map[string]int{}
	for samples.Next() {
		frames, err := samples.Stack(symbols)
		if err != nil {
			log.Fatal(err)
		}
		if len(frames) == 0 {
			continue
		}
		name := frames[0].Function
		if name == "" { // as in what "go run" builds, which has no symbols
			name = frames[0].DSO
		}
		counts[name]++
	}
	var functions []string
	for function := range counts {
		functions = append(functions, function)
	}
	sort.Slice(functions, func(a, b int) bool { return counts[functions[a]] > counts[functions[b]] })
	for _, function := range functions {
		fmt.Printf("%6d  %s\n", counts[function], function)
	}
}
