//! The id that the first session of a comment takes.

use uuid::Uuid;

/// The agents that the application speaks through.
pub const SDKS: [&str; 4] = ["claude-agent", "codex", "opencode", "deep-agents"];

/// The namespace of first session ids.
pub const FIRST_SESSION_NAMESPACE: Uuid = Uuid::from_u128(0x6f9c_1f5c_3f1e_53b8_9c2a_0a5d_7e4b_1c93);

/// The id of a comment's first session, which follows from the comment's id; all others are drawn at random.
pub fn first_session_id(thread_id: &str) -> Uuid {
    Uuid::new_v5(&FIRST_SESSION_NAMESPACE, thread_id.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::first_session_id;

    #[test]
    fn the_first_session_of_a_comment_has_one_id() {
        for (thread, session) in [
            (
                "3b241101-e2bb-4255-8caf-4136c566a962",
                "6db2e550-5acf-51f7-ad97-8dbd968cff95",
            ),
            ("t-1", "d474ccfe-70d5-5ded-96fd-ecf085d6d64e"),
        ] {
            assert_eq!(first_session_id(thread).to_string(), session);
        }
    }
}
