//! --last does not come back to this session.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.last_starts_new",
        severity: Severity::Info,
        summary: "--last does not come back to this session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

`codex exec resume --last` takes the newest session of this folder, of the default provider, that is not
archived. Where another one is newer it silently goes on with that; where none is left it silently starts a
new one, with exit status 0.

## How it is recognised

The listing that `--last` makes comes upon another session, or upon none.

## What still works

Resuming by id, as far as nothing else is found.

## What to do

Resume by the id.

## Reports

openai/codex issues #17302.
";

fn run(session: &Session) -> Verdict {
    let id = session
        .thread()
        .filter(|_| session.log.as_ref().is_some_and(|log| !log.is_nowhere()));
    let (Some(id), true) = (id, session.is_last_known) else {
        return Verdict::Pass;
    };
    let what = match &session.last {
        Some(listed) if listed.id == id => return Verdict::Pass,
        Some(listed) => format!("--last goes on with {}, not with {id}", listed.id),
        None => format!(
            "--last finds no session in {} and starts a new one",
            session.cwd.display()
        ),
    };
    Verdict::Found(Evidence::new(what).remedy(remedy::by_id(id, "resume by the id", true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::shelf::Listed;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "another session",
                    |session| {
                        session.is_last_known = true;
                        session.last = Some(Listed {
                            id: "x".to_owned(),
                            path: "/x".into(),
                            is_by_file: false,
                        });
                    },
                    Answer::Found,
                ),
                ("none", |session| session.is_last_known = true, Answer::Found),
                (
                    "no log",
                    |session| {
                        session.is_last_known = true;
                        session.log = None;
                    },
                    Answer::Pass,
                ),
                (
                    "this session",
                    |session| {
                        session.is_last_known = true;
                        session.last = Some(Listed {
                            id: sample::ID.to_owned(),
                            path: "/x".into(),
                            is_by_file: false,
                        });
                    },
                    Answer::Pass,
                ),
            ],
        );
    }
}
