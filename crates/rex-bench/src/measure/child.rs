//! What a child process used: its CPU and bytes are read when it has ended and before it is forgotten.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::Usage;

/// How often the resident memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A child that has ended.
#[derive(Debug)]
pub struct Ended {
    /// What it used.
    pub usage: Usage,
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed on standard output.
    pub output: String,
}

/// Runs a command to its end, its output caught in a file so that it never waits for a reader.
///
/// # Errors
/// What starting or waiting gives, and what `/proc` gives where it does not tell what a process used.
pub fn run(command: &mut Command) -> io::Result<Ended> {
    let mut output = tempfile::tempfile()?;
    let begin = Instant::now();
    let mut child = command
        .stdin(std::process::Stdio::null())
        .stdout(output.try_clone()?)
        .spawn()?;
    let id = child.id();
    let mut usage = Usage::default();
    while !has_ended(id)? {
        usage.peak_bytes = usage
            .peak_bytes
            .max(number_after(id, "status", "VmHWM:").unwrap_or(0) * 1024);
        thread::sleep(LOOK_EVERY);
    }
    usage.wall_seconds = begin.elapsed().as_secs_f64();
    usage.cpu_seconds = cpu_seconds(id)?;
    usage.written_bytes = number_after(id, "io", "wchar:")?;
    let status = child.wait()?;
    Ok(Ended {
        usage,
        status,
        output: read(&mut output)?,
    })
}

fn read(output: &mut File) -> io::Result<String> {
    let mut text = String::new();
    output.rewind()?;
    output.read_to_string(&mut text)?;
    Ok(text)
}

/// Whether the child has ended; it stays known until it is waited for.
fn has_ended(id: u32) -> io::Result<bool> {
    let pid = i32::try_from(id)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or(io::ErrorKind::InvalidInput)?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(pid), options)?.is_some())
}

fn proc_file(id: u32, file: &str) -> io::Result<String> {
    fs::read_to_string(format!("/proc/{id}/{file}"))
}

/// The first number behind a label.
fn number_after(id: u32, file: &str, label: &str) -> io::Result<u64> {
    let text = proc_file(id, file)?;
    let line = text.lines().find_map(|line| line.strip_prefix(label));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// User and system time of all threads and of children that it waited for: in nanoseconds where one thread did the work, else in ticks.
fn cpu_seconds(id: u32) -> io::Result<f64> {
    let stat = proc_file(id, "stat")?;
    let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = behind_name
        .split_whitespace()
        .skip(11)
        .take(4)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    let seconds = ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
    let first_thread = proc_file(id, "schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let exact = first_thread.map(|nanoseconds| nanoseconds as f64 / 1e9);
    Ok(exact
        .filter(|exact| (exact - seconds).abs() < 0.03)
        .unwrap_or(seconds))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::run;

    #[test]
    fn a_child_is_seen_with_what_it_printed_and_wrote() {
        let ended = run(Command::new("sh").args(["-c", "echo seen"])).expect("a shell runs");
        assert!(ended.status.success());
        assert_eq!(ended.output, "seen\n");
        assert!(ended.usage.written_bytes >= 5, "{:?}", ended.usage);
    }
}
