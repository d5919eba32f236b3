// Package evname turns PMU event names into raw codes and raw codes into names, and reads the samples of perf.data
// with the names of their events. It links with libevname, which pkg-config finds.
//
//	machine, err := evname.Named("skylakex")
//	encodings, err := machine.Resolve("mem_load_retired.l3_miss")
//	fmt.Printf("%#x\n", encodings[0].Words[0]) // 0x20d1
//	name, err := machine.Name(evname.Code{0x20d1}, "")
//
//	recording, err := evname.Open("perf.data")
//	samples, err := recording.Samples(evname.ReadOptions{})
//	defer samples.Close()
//	for samples.Next() {
//		sample := samples.Sample()
//		fmt.Println(sample.Comm, recording.Events()[sample.Event].Name)
//	}
//	err = samples.Err()
//
// samples.Stack(symbols) has the functions of the sample.
//
// samples.NextRecord and samples.Record have the other records, too: threads, mappings, losses.
//
// Since Go 1.23, "for sample, err := range samples.All()" does the same.
//
// Failures are of type *Error, which has the offset of the fault. Machines and recordings may be shared by goroutines,
// a pass over samples belongs to one at a time. Close frees at once what the garbage collector frees some time.
package evname
