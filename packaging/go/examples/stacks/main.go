// Stacks prints the stack of each sample as a line "event;comm;caller;…;function": input for flame graph tools after
// `sort | uniq -c`. A function without a name is written as the file and the place in it.
// Usage: stacks perf.data [KALLSYMS]
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"

	"github.com/evname/evname/packaging/go"
)

func printStacks(path string, options evname.SymbolOptions) error {
	recording, err := evname.Open(path)
	if err != nil {
		return err
	}
	symbols, err := evname.NewSymbols(options)
	if err != nil {
		return err
	}
	samples, err := recording.Samples(evname.ReadOptions{})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for samples.Next() {
		sample := samples.Sample()
		frames, err := samples.Stack(symbols)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s;%s", recording.Events()[sample.Event].Name, sample.Comm)
		for i := len(frames) - 1; i >= 0; i-- {
			fmt.Fprint(out, ";", frames[i].Label)
		}
		fmt.Fprintln(out)
	}
	return samples.Err()
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		log.Fatal("usage: stacks perf.data [KALLSYMS]")
	}
	options := evname.SymbolOptions{NoLines: true}
	if len(os.Args) > 2 {
		options.Kallsyms = os.Args[2]
	}
	if err := printStacks(os.Args[1], options); err != nil {
		log.Fatal(err)
	}
}
