//! State databases of two generations share the home.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.two_generations",
        severity: Severity::Warning,
        summary: "state databases of two generations share the home",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The number in the name of the state database is a generation of its schema. A client that opens a newer
generation has deleted the files of older ones, with what only they knew.

## How it is recognised

Beside `state_5.sqlite` lies `state.sqlite` or `state_<n>.sqlite` of another number.

## What still works

Logs are not touched; rows are made again from them.

## What to do

Use one release per home.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    if session.stores.generations.is_empty() {
        return Verdict::Pass;
    }
    let evidence = Evidence::new(format!(
        "{} lies beside databases of other generations",
        session.home.state_db().display()
    ));
    let evidence = session
        .stores
        .generations
        .iter()
        .fold(evidence, |evidence, path| {
            evidence.file(path, "another generation")
        });
    Verdict::Found(evidence.remedy(Remedy::advice("use one release of the client per home")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "an older one",
                    |session| session.stores.generations = vec!["/h/.codex/state_4.sqlite".into()],
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
