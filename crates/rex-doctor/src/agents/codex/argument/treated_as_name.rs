//! The argument is no id, and codex exec silently starts a new session.

use crate::agents::codex::names::How;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.argument.treated_as_name",
        severity: Severity::Error,
        summary: "the argument is no id, and codex exec silently starts a new session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

`codex exec resume` takes anything that is no whole id for a name. Where no session that it lists has that
name, it starts a new one with exit status 0 and says nothing.

## How it is recognised

The argument is not a UUID in any spelling, and no session that a listing shows from here has it as its name
or title.

## What still works

The app server and the terminal refuse it.

## What to do

Give the whole id.

## Reports

openai/codex issues #16066.
";

fn run(session: &Session) -> Verdict {
    let Err(words) = &session.id else {
        return Verdict::Pass;
    };
    if session.meant.how() == Some(How::Name) {
        return Verdict::Pass;
    }
    let evidence = Evidence::new(format!(
        "`{}` is no thread id and the name of no session shown here",
        session.argument
    ))
    .line(words);
    Verdict::Found(match session.thread() {
        Some(id) => evidence.remedy(remedy::by_id(id, "give the whole id", true)),
        None => evidence.remedy(Remedy::advice(
            "give the whole id; `codex resume` without an id lists sessions",
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::names::Meant;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "the beginning of an id",
                    |session| {
                        session.id = Err("x".to_owned());
                        session.meant = Meant::One {
                            id: sample::ID.to_owned(),
                            how: How::Prefix,
                        };
                    },
                    Answer::Found,
                ),
                (
                    "any text",
                    |session| {
                        session.id = Err("x".to_owned());
                        session.meant = Meant::Nothing;
                    },
                    Answer::Found,
                ),
                (
                    "a name",
                    |session| {
                        session.id = Err("x".to_owned());
                        session.meant = Meant::One {
                            id: sample::ID.to_owned(),
                            how: How::Name,
                        };
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
