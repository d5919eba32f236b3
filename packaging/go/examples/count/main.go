// Count counts events while a function runs: count [EVENTS].
package main

import (
	"fmt"
	"log"
	"os"
	"runtime"

	"github.com/evname/evname/packaging/go"
)

// work is your function.
//
//go:noinline
func work() []int {
	numbers := make([]int, 1<<20)
	for i := range numbers {
		numbers[i] = 3
	}
	return numbers
}

// must ends the program if there is an error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	log.SetFlags(0)
	runtime.LockOSThread() // the counters are of this thread
	events := "instructions:u"
	if len(os.Args) > 1 {
		events = os.Args[1]
	}
	counters := must(evname.NewCounters(must(evname.Live()), events, evname.Target{}, evname.CounterOptions{}))
	must(0, counters.Enable())
	work()
	must(0, counters.Disable())
	for i, count := range must(counters.Read()) {
		if count.Running == 0 {
			fmt.Printf("%s: not counted\n", counters.Events()[i].Name)
			continue
		}
		fmt.Printf("%s: %.0f\n", counters.Events()[i].Name, count.Scaled)
	}
}
