//! Everything that both witnesses say about one session, gathered before anything is judged.

use std::path::PathBuf;

use super::conversation::{Count, Tally};
use super::databases::{Holder, Stores};
use super::home::{Elsewhere, Home};
use super::lineage::Lineage;
use super::log::{Files, Rollout};
use super::store::{Row, State};
use super::{names, shelf};
use crate::evidence::{Says, Why};

/// The log that the client opens for the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    /// The path that the client names, packed or not.
    pub(super) path: PathBuf,
    /// What reading it came to.
    pub(super) rollout: Says<Rollout>,
    /// The path with symlinks resolved.
    pub(super) real_path: PathBuf,
    /// The rollouts that its context is read from.
    pub(super) lineage: Lineage,
    /// The messages in them; none where that was not asked.
    pub(super) count: Option<Says<Count>>,
    /// The messages in its own file alone, where it is a fork by reference.
    pub(super) own_count: Option<Count>,
    /// False where mode or owner keep the client from writing it.
    pub(super) is_writable: bool,
    /// False where a folder on the way to it may not be entered.
    pub(super) is_visible: bool,
    /// How long before the question it was changed, in milliseconds.
    pub(super) age_ms: i64,
}

impl Opened {
    /// True where no file lies at the path.
    pub(super) fn is_nowhere(&self) -> bool {
        matches!(
            &self.rollout,
            Says::Absent
                | Says::Unreadable(Why::NotDirectory | Why::IsDirectory | Why::NotRegular(_) | Why::Loop)
        )
    }
}

/// What both witnesses say about one session.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that a rule or a check asks for"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// What the person would hand to the client.
    pub(super) argument: String,
    /// The thread id that the client reads in it, or its words about why it is none.
    pub(super) id: Result<String, String>,
    /// The session that the person means, also where only the doctor can tell.
    pub(super) meant: names::Meant,
    /// The folder the client is started in.
    pub(super) cwd: PathBuf,
    /// The home.
    pub(super) home: Home,
    /// What the stores say.
    pub(super) stores: Stores,
    /// The files of the home.
    pub(super) files: Files,
    /// Where an application around the agent believes the log to be, and whether anything lies there.
    pub(super) host_log: Option<(PathBuf, bool)>,
    /// True where the release that is asked about reads packed logs.
    pub(super) unpacks: bool,
    /// True where that release numbers the records of a log.
    pub(super) numbers_records: bool,
    /// True where that release binds a session to its provider.
    pub(super) keeps_provider: bool,
    /// True where what `--last` comes upon was looked for.
    pub(super) is_last_known: bool,
    /// The sessions whose ids are most like the argument.
    pub(super) nearest: Vec<String>,
    /// False for a client that goes on without the store.
    pub(super) sees_store: bool,
    /// The log that the client opens; none where it finds no path.
    pub(super) log: Option<Opened>,
    /// Other files with the session's id in their name, where no row says which of them counts.
    pub(super) twins: Vec<Opened>,
    /// What `--last` comes upon first.
    pub(super) last: Option<shelf::Listed>,
    /// The session of that, as it is resumed.
    pub(super) taken_up: Option<Box<Session>>,
    /// Who holds the session's writer lock.
    pub(super) writer: Option<Holder>,
    /// What keeps the client from making the writer lock, in its words.
    pub(super) cannot_lock: Option<&'static str>,
    /// What keeps the client from starting in this home, in its words.
    pub(super) cannot_start: Option<&'static str>,
    /// True where the terminal first asks the person to sign in.
    pub(super) asks_to_sign_in: bool,
    /// True where the client is started in the folder of the session's last turn.
    pub(super) is_in_own_folder: bool,
    /// Where another home holds the session, looked for only if this one does not.
    pub(super) elsewhere: Option<Elsewhere>,
    /// A file that holds the session under a name that the client does not see.
    pub(super) stranger: Option<PathBuf>,
    /// Other homes on this disk that hold sessions.
    pub(super) other_homes: Vec<PathBuf>,
    /// What was looked at to find them.
    pub(super) looked_at: Vec<String>,
    /// Side records of the session that are neither row nor log, in words.
    pub(super) traces: Vec<String>,
}

impl Session {
    /// The row of the session, as far as the client sees the store.
    pub(super) fn row(&self) -> Option<&Row> {
        self.state()?.row.as_ref()
    }

    /// The state database, as far as the client sees it.
    pub(super) fn state(&self) -> Option<&State> {
        self.stores.state.read().filter(|_| self.sees_store)
    }

    /// The log's contents, where it was read.
    pub(super) fn rollout(&self) -> Option<&Rollout> {
        match &self.log.as_ref()?.rollout {
            Says::Read(rollout) => Some(rollout),
            Says::Absent | Says::Unreadable(_) => None,
        }
    }

    /// The id of the session that is meant, where it is exactly one.
    pub(super) fn thread(&self) -> Option<&str> {
        self.meant.id()
    }

    /// True where the row names a path at which nothing lies.
    pub(super) fn has_stale_path(&self) -> bool {
        self.row().is_some() && self.log.as_ref().is_none_or(Opened::is_nowhere)
    }

    /// How many messages existed and are not carried although nobody took them back.
    pub(super) fn lost(&self, log: &Opened) -> Option<u64> {
        let Some(Says::Read(count)) = &log.count else {
            return None;
        };
        let reachable = count.reachable.sum() + count.taken_back.sum();
        Some(self.recorded(log)?.sum().saturating_sub(reachable))
    }

    /// Every message that is proven to have existed in the session that `log` was opened for: those that its records
    /// prove, and, where the log is shorter than it once was, those that the projection still shows.
    pub(super) fn recorded(&self, log: &Opened) -> Option<Tally> {
        let Some(Says::Read(count)) = &log.count else {
            return None;
        };
        let Says::Read(rollout) = &log.rollout else {
            return None;
        };
        let was_cut = self.stores.projection.read().filter(|projection| {
            projection
                .cursor
                .is_some_and(|(end_bytes, _)| end_bytes > rollout.bytes)
        });
        let shown = was_cut.map(|projection| Tally {
            prompts: projection.prompts,
            replies: projection.replies,
        });
        // Of a fork by reference only its own turns are projected under its id.
        let own = log.own_count.as_ref().unwrap_or(count).recorded;
        let inherited = count.recorded.minus(own);
        Some(inherited.plus(own.or(shown.unwrap_or_default())))
    }
}
