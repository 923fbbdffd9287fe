//! Makes storage fail on purpose: one script decides over SQLite's own operations, which pass through the VFS
//! `fault`, and over those that a test's own file layer reports with [`step`].
//!
//! A script rules the thread that runs [`Script::rule`]; other threads see the real storage.

mod disk;
mod vfs;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

pub use disk::{Disk, Lost};
pub use vfs::install;

/// What the script does to the operations it counts.
pub enum Fault {
    /// Nothing: only count.
    None,
    /// The operation of that number fails, a write after its first half; the next ones work again.
    Once(u64),
    /// That operation and all after it fail, as on a disk that is gone.
    From(u64),
    /// The process ends at that operation, a write after its first half.
    Kill(u64),
    /// Writes that make a file longer fail once files have grown by so many bytes, as on a full disk.
    FullAfter(u64),
    /// The power is cut before that operation: what the disk then holds goes into [`Disk::cut`]'s folder, and every
    /// operation from there on fails.
    PowerCut(u64),
    /// Before each operation whose number divides by the first member the function runs.
    Interrupt(u64, Box<dyn FnMut(u64)>),
}

/// What happens to one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is carried out.
    Pass,
    /// It fails; a write has written its first half.
    Fail,
    /// It fails because the disk is full.
    Full,
}

/// Kinds of operations that can fail. Reading is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A file is opened or created.
    Open,
    /// A file is written, and becomes so many bytes longer.
    Write(u64),
    /// A file's length is set.
    Truncate,
    /// A file's content is made durable.
    Sync,
    /// The names of a folder are made durable.
    SyncFolder,
    /// A file is removed.
    Delete,
    /// A file gets another or a second name.
    Rename,
    /// A file gets another mode or owner.
    Owner,
}

/// Decides over the operations of one thread, one after the other.
pub struct Script {
    fault: RefCell<Fault>,
    count: RefCell<u64>,
    grown_bytes: RefCell<u64>,
    disk: Option<RefCell<Disk>>,
}

thread_local! {
    static RULING: RefCell<Option<Rc<Script>>> = const { RefCell::new(None) };
}

impl Script {
    /// A script with one fault.
    pub fn new(fault: Fault) -> Rc<Self> {
        Rc::new(Self {
            fault: RefCell::new(fault),
            count: RefCell::default(),
            grown_bytes: RefCell::default(),
            disk: None,
        })
    }

    /// A script with one fault, that also keeps in mind what the disk has been made to hold.
    pub fn with_disk(fault: Fault, disk: Disk) -> Rc<Self> {
        let (count, grown_bytes) = (RefCell::default(), RefCell::default());
        Rc::new(Self {
            fault: RefCell::new(fault),
            count,
            grown_bytes,
            disk: Some(RefCell::new(disk)),
        })
    }

    /// Runs something under the script, on this thread.
    pub fn rule<T>(self: &Rc<Self>, run: impl FnOnce() -> T) -> T {
        RULING.set(Some(Rc::clone(self)));
        let done = run();
        RULING.set(None);
        done
    }

    /// How many operations there have been.
    pub fn count(&self) -> u64 {
        *self.count.borrow()
    }

    /// By how many bytes files have grown; what was removed again is not subtracted.
    pub fn grown_bytes(&self) -> u64 {
        *self.grown_bytes.borrow()
    }

    /// What the disk has been made to hold.
    pub fn disk(&self) -> Option<&RefCell<Disk>> {
        self.disk.as_ref()
    }

    fn judge(&self, operation: Operation) -> Verdict {
        let number = {
            let mut count = self.count.borrow_mut();
            *count += 1;
            *count
        };
        let bytes = if let Operation::Write(bytes) = operation {
            bytes
        } else {
            0
        };
        *self.grown_bytes.borrow_mut() += bytes;
        match &mut *self.fault.borrow_mut() {
            Fault::Once(at) if number == *at => Verdict::Fail,
            Fault::From(at) | Fault::Kill(at) if number >= *at => Verdict::Fail,
            Fault::PowerCut(at) if number >= *at => {
                if number == *at
                    && let Some(disk) = &self.disk
                {
                    disk.borrow_mut().cut();
                }
                Verdict::Fail
            }
            Fault::FullAfter(limit) if bytes > 0 && self.grown_bytes() > *limit => Verdict::Full,
            Fault::Interrupt(every, interrupt) => {
                if number.is_multiple_of(*every) {
                    interrupt(number);
                }
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn kills(&self) -> bool {
        matches!(&*self.fault.borrow(), Fault::Kill(at) if *at <= self.count())
    }
}

/// Whether a script rules this thread. Then nothing need really be synced: no power is cut in earnest.
pub fn is_ruled() -> bool {
    RULING.with_borrow(Option::is_some)
}

/// Asks the script of this thread about an operation; passes where none rules. To be called before the operation.
pub fn step(operation: Operation) -> Verdict {
    match ruling() {
        Some(script) => script.judge(operation),
        None => Verdict::Pass,
    }
}

/// Ends the process if the script says so; to be called where the operation has failed half done.
pub fn die_if_killed() {
    if ruling().is_some_and(|script| script.kills()) {
        std::process::abort();
    }
}

/// Tells the script's disk that an operation was carried out on a file or folder.
pub fn done(operation: Operation, path: &Path) {
    if let Some(disk) = ruling().as_ref().and_then(|script| script.disk.as_ref()) {
        disk.borrow_mut().done(operation, path);
    }
}

fn ruling() -> Option<Rc<Script>> {
    RULING.with_borrow(Option::clone)
}
