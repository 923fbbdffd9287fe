//! Time and use of the machine, passed in: the library itself never looks.

use jiff::Timestamp;

use crate::receipt::Receipt;

/// Tells the time and what this process has used so far.
pub trait Clock {
    /// The time of the wall clock; names backups and measures seconds.
    fn now(&self) -> Timestamp;
    /// What this process has used since it started; members are `None` where the system does not tell.
    fn usage(&self) -> Usage;
}

/// What a process has used since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Seconds of CPU, user and system, of all threads.
    pub cpu_seconds: Option<f64>,
    /// Bytes passed to `write` and its kin; what a memory map wrote is not in it.
    pub bytes_written: Option<u64>,
    /// The most memory that was resident at one time.
    pub peak_memory_bytes: Option<u64>,
}

/// The machine's own clock and counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn usage(&self) -> Usage {
        let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Usage {
            cpu_seconds: Some(cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9),
            bytes_written: number_after("/proc/self/io", "wchar:"),
            peak_memory_bytes: number_after("/proc/self/status", "VmHWM:").map(|kib| kib * 1024),
        }
    }
}

/// The first number behind a label in one of Linux's accounting files; `None` on other systems.
fn number_after(file: &str, label: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What one piece of work has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Seconds of the wall clock.
    pub seconds: f64,
    /// Seconds of CPU; `None` where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Bytes written; `None` where the system does not tell.
    pub bytes_written: Option<u64>,
}

/// Measures a piece of work from its start.
pub(crate) struct Meter<'a> {
    clock: &'a dyn Clock,
    pub(crate) started: Timestamp,
    before: Usage,
}

impl<'a> Meter<'a> {
    pub(crate) fn start(clock: &'a dyn Clock) -> Self {
        Self {
            clock,
            started: clock.now(),
            before: clock.usage(),
        }
    }

    pub(crate) fn spent(&self) -> Spent {
        let now = self.clock.usage();
        Spent {
            seconds: self.clock.now().duration_since(self.started).as_secs_f64(),
            cpu_seconds: now
                .cpu_seconds
                .zip(self.before.cpu_seconds)
                .map(|(now, before)| now - before),
            bytes_written: now
                .bytes_written
                .zip(self.before.bytes_written)
                .map(|(now, before)| now - before),
        }
    }

    /// Writes the cost into a receipt, with what was spent before this meter started.
    pub(crate) fn fill(&self, receipt: &mut Receipt, earlier: &Spent) {
        let spent = self.spent();
        receipt.seconds = rounded(spent.seconds + earlier.seconds);
        receipt.cpu_seconds = spent
            .cpu_seconds
            .map(|seconds| rounded(seconds + earlier.cpu_seconds.unwrap_or_default()));
        receipt.bytes_written = spent
            .bytes_written
            .map(|bytes| bytes + earlier.bytes_written.unwrap_or_default());
        receipt.peak_memory_bytes = self.clock.usage().peak_memory_bytes;
    }
}

/// To the microsecond: more digits would be noise.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
