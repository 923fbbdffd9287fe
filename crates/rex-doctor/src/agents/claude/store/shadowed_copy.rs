//! The copy that the client loads is shorter than another.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.shadowed_copy",
        severity: Severity::Error,
        summary: "a nearer copy of the log holds less than one farther away",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client takes the first log of that id in the order of its lookup, even if it is shorter or older. It
goes on without a word, and the turns of the longer copy are not in it.

## How it is recognised

Another log of the same id, in this or another config directory, proves more messages than the one that is
loaded.

## What still works

Giving the path of the longer copy.

## What to do

Give the path of the longer copy, or put it in the place of the shorter one.

## Reports

None; seen on 2.1.332, 2.1.197 and 2.0.14.
";

fn run(session: &Session) -> Verdict {
    let (Some((_, found)), Some(view)) = (&session.found, session.view()) else {
        return Verdict::Pass;
    };
    let Some((path, count)) = session.other_counts.iter().max_by_key(|(_, count)| *count) else {
        return Verdict::Pass;
    };
    let text = path.display().to_string();
    Verdict::Found(
        Evidence::new(format!(
            "the log that is loaded proves {} messages, another copy {count}",
            view.counts.recorded
        ))
        .file(found, "the copy that the client loads")
        .file(path, "the copy with more")
        .remedy(Remedy::command(
            "give the path of the copy with more",
            ["claude", "--resume", &text],
            true,
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy();
                    session.other_counts = vec![("/c/projects/-b/x.jsonl".into(), 9)];
                    session
                },
                true,
                "the fault",
            ),
            (Session::healthy(), false, "a healthy session"),
            (
                Session::healthy().with_unreadable_log(),
                false,
                "a log that cannot be read",
            ),
        ] {
            assert_eq!(matches!(run(&session), Verdict::Found(_)), is_found, "{what}");
        }
    }
}
