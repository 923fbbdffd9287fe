//! The last record of a numbered log has no number.

use crate::agents::codex::log::Tail;
use crate::agents::codex::meta::HistoryMode;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.last_ordinal",
        severity: Severity::Error,
        summary: "the last record of a numbered log has no number",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

A client of before numbered logs went on with this session and wrote records without numbers. The newer one
refuses to write behind them: `final paginated rollout record … is missing an ordinal`.

## How it is recognised

`history_mode` is `paginated`, and the last line that parses as a record has no `ordinal`.

## What still works

The older client still resumes it, and the conversation is whole.

## What to do

Number the lines from 0 on, in their order.

## Reports

openai/codex issues #45150.
";

fn run(session: &Session) -> Verdict {
    let Some(rollout) = session.rollout() else {
        return Verdict::Pass;
    };
    let is_numbered = rollout
        .meta()
        .is_some_and(|meta| meta.history_mode == HistoryMode::Paginated);
    let (Tail::Unnumbered(offset_bytes), true) = (rollout.tail, is_numbered) else {
        return Verdict::Pass;
    };
    let path = rollout.path.display().to_string();
    Verdict::Found(
        Evidence::new(format!("the last record of {path} has no number"))
            .at(&rollout.path, offset_bytes, "the last record")
            .remedy(Remedy::command(
                "number the records anew, keeping the old file",
                ["python3", "-c", NUMBER, &path],
                true,
            )),
    )
}

/// Numbers the records of a log from 0 on and leaves the old file beside it.
const NUMBER: &str = "import json,os,sys\np=sys.argv[1]\nn=0\nout=[]\nfor l in open(p,'rb').read().split(b'\\n'):\n try: o=json.loads(l)\n except ValueError: continue\n o['ordinal']=n; n+=1\n out.append(json.dumps(o,separators=(',',':')).encode())\nos.rename(p,p+'.before')\nopen(p,'wb').write(b'\\n'.join(out)+b'\\n')";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::meta::Head;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "no number at the end",
                    |session| sample::log(session, |log| log.tail = Tail::Unnumbered(900)),
                    Answer::Found,
                ),
                (
                    "a log that is not numbered",
                    |session| {
                        sample::log(session, |log| {
                            log.tail = Tail::Unnumbered(900);
                            let Head::Meta(meta) = &mut log.head else { return };
                            meta.history_mode = HistoryMode::Legacy;
                        });
                    },
                    Answer::Pass,
                ),
                (
                    "no first record",
                    |session| {
                        sample::log(session, |log| {
                            log.tail = Tail::Unnumbered(900);
                            log.head = Head::Empty;
                        });
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
