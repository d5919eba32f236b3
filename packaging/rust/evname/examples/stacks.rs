//! The stack of each sample as a line "event;comm;caller;…;function": input for flame graph tools after
//! `sort | uniq -c`. A function without a name is written as the file and the place in it.
//! Usage: stacks perf.data [KALLSYMS]

use evname::{ReadOptions, Recording, SymbolOptions, Symbols};
use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let recording = Recording::open(arguments.next().ok_or("usage: stacks perf.data [KALLSYMS]")?)?;
    let kallsyms = arguments.next().map(Into::into);
    let symbols = Symbols::new(&SymbolOptions { kallsyms, no_lines: true, ..Default::default() })?;
    let mut samples = recording.samples(ReadOptions::default())?;
    let mut out = std::io::stdout().lock();
    while let Some(sample) = samples.next() {
        let sample = sample?;
        write!(out, "{};{}", recording.events()[sample.event()].name, sample.comm())?;
        for frame in samples.stack(&symbols)?.into_iter().rev() {
            write!(out, ";{}", frame.label)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
