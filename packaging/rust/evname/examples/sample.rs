//! Prints the functions of this program where the CPU misses its caches, or spends its time if there is no core PMU.
//! Usage: sample [EVENT].

use evname::{Machine, SampleScope, SampledEvents, Sampler, SamplerOptions, SymbolOptions, Symbols, Target};
use std::error::Error;

/// Follows a chain through memory, the next place being far away.
#[inline(never)]
fn chase(next: &[usize], steps: usize) -> usize {
    (0..steps).fold(0, |at, _| next[at])
}

fn open(machine: &Machine, events: &str) -> evname::Result<Sampler> {
    let events = [SampledEvents { events, frequency: 2000, ..Default::default() }];
    Sampler::open(machine, &events, &Target::ThisThread, SamplerOptions::default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let machine = Machine::live()?;
    let mut sampler = match std::env::args().nth(1) {
        Some(event) => open(&machine, &event)?,
        None => open(&machine, "cache-misses:u").or_else(|_| open(&machine, "cpu-clock:u"))?,
    };
    let symbols = Symbols::new(&SymbolOptions { no_lines: true, ..Default::default() })?;
    let mut scope = SampleScope::new(&mut sampler, &symbols)?;

    let size: usize = 1 << 23;
    let next: Vec<usize> = (0..size).map(|at| (at * 1_664_525 + 1_013_904_223) % size).collect();
    let block = scope.start()?;
    let end = chase(&next, size / 8);
    block.stop()?;

    println!("{} ends at place {end}", sampler.recording()?.events()[0].name);
    for one in scope.functions(0) {
        println!("{:8}  {} ({})", one.samples, one.function, one.dso);
    }
    Ok(())
}
