//! The client's own error texts, exactly, by generation.

use super::super::graph::Generation;

/// The first line of a stack trace of 2.0: where in its engine an error was not caught.
pub(in super::super) const CRASHED: &str = "node:fs:<text>";

/// What 2.1.332 prints before anything else where a settings file does not load.
pub(in super::super) const BAD_SETTINGS: &str = "These settings did not load, so nothing in them is in effect, including \
     hooks, permission rules and sandbox settings, though environment variables they already set can stay:";

/// What no reader of the disk can know: the id that the client makes up.
pub(in super::super) const ANY_UUID: &str = "<uuid>";

pub(in super::super) fn not_found(session: &str) -> String {
    format!("No conversation found with session ID: {session}")
}

pub(in super::super) fn failed(words: &str) -> String {
    format!("Failed to resume session: {words}")
}

pub(in super::super) fn neither_id_nor_title(argument: &str, generation: Generation) -> String {
    if generation == Generation::Old {
        return "Error: --resume requires a valid session ID when used with --print".to_owned();
    }
    let mut text =
        "Error: --resume requires a valid session ID or session title when used with --print. Usage: claude \
                    -p --resume <session-id|title>"
            .to_owned();
    if !argument.is_empty() {
        text += ". Provided value \"";
        text += argument;
        text += "\" is not a UUID and does not match any session title.";
    }
    text
}

pub(in super::super) fn title_twice(title: &str, count: usize) -> String {
    format!(
        "Error: --resume \"{title}\" matches {count} sessions. Pass one of these session IDs to disambiguate:"
    )
}

pub(in super::super) fn held(session: &str, kind: &str, generation: Generation) -> String {
    match generation {
        Generation::Old | Generation::Middle => format!(
            "Error: Session {session} is currently running as a background agent ({kind}). Use `claude agents` to find \
             and attach to it, or add --fork-session to branch off a copy."
        ),
        Generation::New | Generation::Sdk => "Error: That session is running in the background. Run `claude agents` to \
             find it and open it, or stop it there first to resume it here. Add --fork-session to branch off a copy \
             instead."
            .to_owned(),
    }
}

pub(in super::super) fn state_file_torn(path: &str, complaint: &str, generation: Generation) -> String {
    match generation {
        Generation::New | Generation::Sdk => {
            format!("Claude configuration file at {path} is corrupted: JSON Parse error: {complaint}")
        }
        Generation::Middle => format!("Configuration error in {path}: JSON Parse error: {complaint}"),
        // It tries to show a dialog, and there is no terminal.
        Generation::Old => "Error: Raw mode is not supported on the current process.stdin, which Ink uses as input stream by \
                            default."
            .to_owned(),
    }
}

pub(in super::super) fn disk_full(config: &str) -> String {
    format!(
        "Error: Claude Code could not save all of this session's transcript under {config} because the disk is full \
         (ENOSPC). If you resume this session, part of the conversation may be missing. Free up space on that disk \
         before the next run."
    )
}

/// What the client says first where an older state file lies beside the present one.
pub(in super::super) fn two_state_files(used: &str, other: &str) -> String {
    format!(
        "Two Claude Code config files exist: this run uses {used}, not {other}. The file with the higher count here is \
         usually yours, and this prints nothing else from them: grep -c -E '\"(hasCompletedOnboarding|mcpServers)\"' \
         \"{used}\" \"{other}\". To end this: if several hosts share this home, first get every host to version \
         2.1.332 or later, since an older one can write a moved .config.json back. Then stop your Claude processes on \
         every host, move aside the one you do not want, and start none until no host lists it."
    )
}
