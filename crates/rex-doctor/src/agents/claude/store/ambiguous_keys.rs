//! Two or more other keys hold the log, so the client takes none.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.ambiguous_keys",
        severity: Severity::Error,
        summary: "several other keys hold a log of that id, and none is the folder's own",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client looks through all keys only for a log that exists once. Here it exists more than once, none of
them under the folder's own key, and the client says that nothing was found.

## How it is recognised

The lookup ends without a log, the own key has none, and two or more other keys have one that the client
would take.

## What still works

Giving the path of one of them.

## What to do

Give the path of the newest log, or move all but one away.

## Reports

None; seen on 2.1.332.
";

fn run(session: &Session) -> Verdict {
    let own = session.computed.as_ref();
    let logs: Vec<_> = session
        .copies
        .iter()
        .filter(|copy| copy.is_file() && !copy.key_is_link && Some(&copy.path) != own)
        .collect();
    if session.resumes() || !session.rules.scans || logs.len() < 2 {
        return Verdict::Pass;
    }
    let mut evidence = Evidence::new(format!(
        "{} keys hold a log of that id, so the client takes none",
        logs.len()
    ));
    for copy in &logs {
        evidence = evidence.file(&copy.path, "a log of that id");
    }
    let newest = logs
        .iter()
        .max_by_key(|copy| copy.stat.as_ref().read().map(|stat| stat.modified));
    if let Some(copy) = newest {
        let path = copy.path.display().to_string();
        evidence = evidence.remedy(Remedy::command(
            "give the path of the newest one",
            ["claude", "--resume", &path],
            true,
        ));
    }
    Verdict::Found(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::store::Copy;
    use std::path::Path;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy().without_log();
                    session.copies = ["-a", "-b"]
                        .map(|key| Copy::file(&Path::new("/c/projects").join(key).join("x.jsonl")))
                        .to_vec();
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
