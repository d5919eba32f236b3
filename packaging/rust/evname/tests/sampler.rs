//! Live samples: page faults, one sample each.

use evname::{
    CallChains, ErrorKind, Machine, ReadOptions, SampleScope, SampledEvents, SampledFunction, Sampler,
    SamplerOptions, Samples, SymbolOptions, Symbols, Target,
};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const PAGE: usize = 4096;

/// Large enough to be mapped anew each time: an allocator may hand out again, with their pages, the
/// smaller areas that another test gave back.
const MAPPED: usize = 64 << 20;

/// Writes to pages that are new: a few at least, if the kernel maps large pages.
fn touch() -> usize {
    let mut pages = vec![0u8; MAPPED];
    for at in (0..MAPPED / 16).step_by(PAGE) {
        unsafe { std::ptr::write_volatile(&mut pages[at], 1) }
    }
    pages.len()
}

/// Repeats `once` until it returns true, as the kernel may throttle samples.
fn comes_true(mut once: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while !once() {
        if Instant::now() > end {
            return false;
        }
    }
    true
}

fn faults() -> SampledEvents<'static> {
    SampledEvents { events: "page-faults:u", period: 1, fields: "addr", ..Default::default() }
}

/// `None` if this machine permits no samples.
fn open(events: &[SampledEvents], target: Target, options: SamplerOptions) -> Option<Sampler> {
    let machine = Machine::live().unwrap();
    match Sampler::open(&machine, events, &target, options) {
        Err(error) if error.kind == ErrorKind::Io => {
            eprintln!("skipped: {error}");
            None
        }
        opened => Some(opened.unwrap()),
    }
}

#[test]
fn samples_come_while_the_program_runs() {
    let mut sampler = match open(&[faults()], Target::ThisThread, SamplerOptions::default()) {
        Some(sampler) => sampler,
        None => return,
    };
    let mut samples = sampler.samples().unwrap();
    let symbols = Symbols::new(&SymbolOptions::default()).unwrap();
    sampler.enable().unwrap();
    for _ in 0..2 {
        let (mut count, mut last) = (0, 0);
        assert!(comes_true(|| {
            touch();
            assert!(sampler.wait(Duration::ZERO).unwrap());
            while let Some(sample) = samples.next() {
                let sample = sample.unwrap();
                assert_eq!(sample.pid(), Some(std::process::id() as i32));
                assert!(sample.time().unwrap() >= last);
                last = sample.time().unwrap();
                assert!(sample.addr().is_some());
                assert!(!samples.stack(&symbols).unwrap().is_empty());
                count += 1;
            }
            count > 0
        }));
    }
    sampler.disable().unwrap();
    assert_eq!(sampler.recording().unwrap().events()[0].name, "page-faults");
    assert_eq!(sampler.losses().unwrap().damaged, 0);
    drop(sampler);
    samples.next(); // they keep it open
}

#[test]
fn kept_samples_are_a_recording() {
    let options = SamplerOptions { keep: 1 << 20, ..Default::default() };
    let clock = SampledEvents {
        events: "task-clock:u",
        period: 100_000,
        chains: CallChains::FramePointers,
        ..Default::default()
    };
    let ids = [std::process::id() as i32];
    let mut sampler = match open(&[faults(), clock], Target::Processes(&ids), options) {
        Some(sampler) => sampler,
        None => return,
    };
    sampler.enable().unwrap();
    let mut samples = sampler.samples().unwrap();
    let (mut count, mut with_callers) = (0, 0);
    assert!(comes_true(|| {
        touch();
        for sample in &mut samples {
            let sample = sample.unwrap();
            assert_eq!(sample.addr().is_some(), sample.event() == 0);
            count += 1;
            with_callers += usize::from(!sample.callchain().is_empty());
        }
        with_callers > 0 && with_callers < count
    }));
    sampler.disable().unwrap();
    let taken = sampler.take_recording().unwrap();
    assert_eq!(taken.samples(ReadOptions::default()).unwrap().count(), count);
}

#[test]
fn a_thread_reads_samples_and_is_not_sampled() {
    let options = SamplerOptions { thread: true, ..Default::default() };
    let mut sampler = match open(&[faults()], Target::ThisThread, options) {
        Some(sampler) => sampler,
        None => return,
    };
    let (sender, receiver) = channel();
    let mut elsewhere = sampler.samples().unwrap();
    let read = move |samples: &mut Samples| {
        for sample in samples {
            sender.send((sample.unwrap().tid(), std::thread::current().id())).unwrap();
        }
    };
    let every = Duration::from_millis(1);
    sampler.start(read, every).unwrap();
    assert_eq!(sampler.start(|_| (), every).unwrap_err().kind, ErrorKind::InvalidArgument);
    sampler.enable().unwrap();
    let mut first = None;
    assert!(comes_true(|| {
        touch();
        first = receiver.try_recv().ok();
        first.is_some()
    }));
    let (of, by) = first.unwrap();
    assert_ne!(by, std::thread::current().id());
    assert!(elsewhere.next().unwrap().is_err());
    assert!(sampler.wait(Duration::ZERO).is_err());
    sampler.disable().unwrap();
    sampler.stop().unwrap();
    assert!(receiver.iter().all(|(other, _)| other == of)); // the reader and its sender are gone
    assert!(sampler.wait(Duration::ZERO).unwrap());
}

#[test]
fn a_panic_of_the_reader_is_that_of_stop() {
    let options = SamplerOptions { thread: true, ..Default::default() };
    let mut sampler = match open(&[faults()], Target::ThisThread, options) {
        Some(sampler) => sampler,
        None => return,
    };
    sampler.start(|_| panic!("enough"), Duration::from_millis(1)).unwrap();
    let stopped = catch_unwind(AssertUnwindSafe(|| sampler.stop()));
    assert_eq!(stopped.unwrap_err().downcast_ref(), Some(&"enough"));
    sampler.start(|_| (), Duration::from_millis(1)).unwrap();
    drop(sampler); // stops it
    let mut without = open(&[faults()], Target::ThisThread, SamplerOptions::default()).unwrap();
    let error = without.start(|_| (), Duration::ZERO).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidArgument);
}

#[test]
fn a_scope_names_the_functions_of_its_blocks() {
    let mut sampler = match open(&[faults()], Target::ThisThread, SamplerOptions::default()) {
        Some(sampler) => sampler,
        None => return,
    };
    let symbols = Symbols::new(&SymbolOptions::default()).unwrap();
    let mut scope = SampleScope::new(&mut sampler, &symbols).unwrap();
    assert!(scope.functions(0).is_empty());
    drop((sampler, symbols)); // it keeps them open
    let total = |functions: &[SampledFunction]| functions.iter().map(|one| one.samples).sum::<u64>();
    let mut before = 0;
    for _ in 0..2 {
        assert!(comes_true(|| {
            let block = scope.start().unwrap();
            touch();
            block.stop().unwrap();
            total(&scope.functions(0)) > before
        }));
        before = total(&scope.functions(0));
    }
    let functions = scope.functions(0);
    assert!(functions[0].dso.starts_with('/') && functions[0].period == functions[0].samples);
    drop(scope.start().unwrap());
    touch();
    assert!(scope.functions(1).is_empty());
}

#[test]
fn what_can_not_be() {
    let machine = Machine::live().unwrap();
    let wrong = SampledEvents { fields: "adr", ..faults() };
    let error =
        Sampler::open(&machine, &[wrong], &Target::ThisThread, SamplerOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::InvalidArgument, "samples have no field 'adr'")
    );
    assert_eq!(error.hint, "did you mean addr?");
}

#[test]
fn the_example_finds_its_own_function() {
    if open(&[faults()], Target::ThisThread, SamplerOptions::default()).is_none() {
        return;
    }
    let example = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/sample");
    let done = std::process::Command::new(example).arg("cpu-clock:u").output().unwrap();
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(printed.contains("sample::chase"), "{printed}");
}
