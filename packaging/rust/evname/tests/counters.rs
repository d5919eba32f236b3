//! Live counts, beside what the kernel counts of a thread itself.

use evname::{CounterOptions, Counters, ErrorKind, Grouping, Machine, Target};

const PAGES: usize = 256;

/// `None` if this machine permits no counting.
fn open(events: &str, options: CounterOptions) -> Option<Counters> {
    match Counters::open(&Machine::live().unwrap(), events, &Target::ThisThread, options) {
        Err(error) if error.kind == ErrorKind::Io => {
            eprintln!("skipped: {error}");
            None
        }
        opened => Some(opened.unwrap()),
    }
}

/// Minor and major faults of this thread: proc_pid_stat(5), fields 10 and 12.
fn faults_of_thread() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[7].parse::<u64>().unwrap() + fields[9].parse::<u64>().unwrap()
}

/// Writes to pages of memory that is mapped anew, as it is large.
fn touch() {
    let mut bytes = vec![0u8; 64 << 20];
    for page in 0..PAGES {
        unsafe { std::ptr::write_volatile(&mut bytes[page * (64 << 20) / PAGES], 1) }
    }
}

#[test]
fn counts_are_those_of_the_kernel() {
    let counters = match open("page-faults:u,task-clock:u", CounterOptions::default()) {
        Some(counters) => counters,
        None => return,
    };
    let names: Vec<_> =
        counters.events().iter().map(|event| (event.name.as_str(), event.pmu.as_str())).collect();
    assert_eq!(names, [("page-faults", "software"), ("task-clock", "software")]);
    assert!(counters.events()[0].problem.is_none() && counters.user_readable() == 0);
    touch(); // not enabled yet
    let before = faults_of_thread();
    counters.enable().unwrap();
    touch();
    counters.disable().unwrap();
    let most = faults_of_thread() - before;
    touch();
    let counts = counters.read().unwrap();
    assert!(counts[0].value > 0 && counts[0].value <= most, "{counts:?} {most}");
    assert_eq!(counts[0].scaled, Some(counts[0].value as f64));
    // task-clock counts the ns that it was enabled
    assert!(counts[1].value > 0 && counts[1].running == counts[1].enabled, "{counts:?}");
    assert!(counts[1].value.abs_diff(counts[1].enabled) < counts[1].enabled / 2, "{counts:?}");
    assert_eq!(counters.read().unwrap(), counts);
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| counters.read().unwrap()).join().unwrap());
    assert_eq!(elsewhere, counts);
}

#[test]
fn threads_that_come_later_are_counted_if_they_are_asked_for() {
    for inherit in [false, true] {
        let counters = match open("page-faults:u", CounterOptions { inherit, ..Default::default() }) {
            Some(counters) => counters,
            None => return,
        };
        counters.enable().unwrap();
        let here = counters.read().unwrap()[0].value;
        std::thread::spawn(|| (0..8).for_each(|_| touch())).join().unwrap();
        let more = counters.read().unwrap()[0].value - here;
        assert_eq!(more > 100, inherit, "{more}");
    }
}

#[test]
fn what_can_not_be() {
    let machine = Machine::live().unwrap();
    let refused = |events: &str, target: &Target<'_>, options| {
        Counters::open(&machine, events, target, options).unwrap_err()
    };
    let error = refused("page-faults,no_such_event", &Target::ThisThread, Default::default());
    assert_eq!((error.kind, error.offset), (ErrorKind::NotFound, Some(12)));
    let error = refused("page-faults:u", &Target::Threads(&[]), Default::default());
    assert_eq!(error.kind, ErrorKind::InvalidArgument);
    let error = refused("page-\0faults", &Target::ThisThread, Default::default());
    assert_eq!((error.kind, error.offset), (ErrorKind::InvalidArgument, Some(5)));
    let options = CounterOptions { groups: Grouping::Single, partial: true, ..Default::default() };
    if let Some(counters) = open("page-faults:u,cycles:u", options) {
        let values = counters.read().unwrap();
        let cycles = &counters.events()[1];
        assert_eq!((cycles.name.as_str(), values.len()), ("cycles", 2));
        assert!(cycles.problem.is_none() || values[1].scaled.is_none(), "{cycles:?} {values:?}");
    }
}

#[test]
fn the_example_counts() {
    if open("page-faults:u", CounterOptions::default()).is_none() {
        return;
    }
    let example = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/count");
    let done = std::process::Command::new(&example).arg("page-faults:u,task-clock:u").output().unwrap();
    let printed = String::from_utf8(done.stdout).unwrap();
    let lines: Vec<_> = printed.lines().map(|line| line.split_once(": ").unwrap()).collect();
    assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), ["page-faults", "task-clock"]);
    assert!(lines.iter().all(|line| line.1.parse::<u64>().unwrap() > 0), "{printed}");
    let done = std::process::Command::new(&example).arg("no_such_event").output().unwrap();
    assert!(!done.status.success() && String::from_utf8(done.stderr).unwrap().contains("no_such_event"));
}
