//! Prints in which functions of this program an event happens. Usage: sample [EVENT], by default cycles:u; take
//! cpu-clock if the machine has no core PMU.

use evname::{Machine, SampledEvents, Sampler, SamplerOptions, SymbolOptions, Symbols, Target};
use std::collections::BTreeMap;
use std::error::Error;

#[inline(never)]
fn work() -> u64 {
    let mut sum: u64 = 1;
    for number in 0..1 << 24 {
        // SAFETY: it is a variable of this function. The compiler has to do each step.
        sum = unsafe { std::ptr::read_volatile(&sum) }.wrapping_mul(31).wrapping_add(number);
    }
    sum
}

fn main() -> Result<(), Box<dyn Error>> {
    let event = std::env::args().nth(1).unwrap_or_else(|| "cycles:u".to_owned());
    let events = SampledEvents { events: &event, frequency: 2000, ..Default::default() };
    let machine = Machine::live()?;
    let mut sampler = Sampler::open(&machine, &[events], &Target::ThisThread, SamplerOptions::default())?;
    let symbols = Symbols::new(&SymbolOptions { no_lines: true, ..Default::default() })?;
    sampler.enable()?;
    let result = work();
    sampler.disable()?;
    let mut functions = BTreeMap::<String, u64>::new();
    let mut samples = sampler.samples()?;
    while let Some(sample) = samples.next() {
        sample?;
        if let Some(frame) = samples.stack(&symbols)?.into_iter().next() {
            *functions.entry(frame.function).or_default() += 1;
        }
    }
    println!("{event} until {result}");
    for (function, count) in functions {
        println!("{count:6}  {function}");
    }
    Ok(())
}
