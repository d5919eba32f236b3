//! Counts events while a function runs. Usage: count [EVENTS].

use evname::{CounterOptions, Counters, Machine, Target};
use std::error::Error;

/// Your function.
#[inline(never)]
fn work() -> Vec<u64> {
    vec![3; 1 << 20]
}

fn main() -> Result<(), Box<dyn Error>> {
    let events = std::env::args().nth(1).unwrap_or_else(|| "instructions:u".into());
    let counters =
        Counters::open(&*Machine::live()?, &events, &Target::ThisThread, CounterOptions::default())?;
    counters.enable()?;
    work();
    counters.disable()?;
    for (event, count) in counters.events().iter().zip(counters.read()?) {
        match count.scaled {
            Some(scaled) => println!("{}: {scaled:.0}", event.name),
            None => println!("{}: not counted", event.name),
        }
    }
    Ok(())
}
