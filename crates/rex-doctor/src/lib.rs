//! Diagnoses failed resumes of AI agent sessions.
