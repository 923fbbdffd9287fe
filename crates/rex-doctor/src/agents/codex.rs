//! Codex.

use super::{Agent, Ask, Quadrants, Question};
use crate::check::About;
use crate::diagnosis::{
    Client, Diagnosis, Home, Log, LogState, SESSION_SCHEMA, Store, StoreState, Survey, VersionFrom,
};
use crate::forecast::Forecast;
use crate::place::Place;

/// What this folder offers to the frame.
pub const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    surfaces: &["exec", "exec_last", "app_server", "tui"],
    quadrants: Quadrants {
        has_present: "",
        has_missing: "",
        none_present: "",
        none_missing: "",
    },
    checks,
    survey,
    diagnose,
};

fn checks() -> Vec<About> {
    vec![]
}

fn home() -> Home {
    Home {
        path: String::new(),
        from: "default".to_owned(),
        others: vec![],
    }
}

fn client() -> Client {
    Client {
        version: String::new(),
        from: VersionFrom::Known,
    }
}

fn survey(_place: &Place, _ask: &Ask) -> Survey {
    Survey {
        agent: AGENT.name,
        home: home(),
        exists: false,
        client: client(),
        findings: vec![],
        sessions: vec![],
        complete: true,
    }
}

fn diagnose(_place: &Place, question: &Question) -> Diagnosis {
    Diagnosis {
        schema: SESSION_SCHEMA,
        agent: AGENT.name,
        argument: question.argument.clone(),
        session: None,
        client: client(),
        home: home(),
        store: Store {
            state: StoreState::Unknown,
            path: None,
            detail: None,
        },
        log: Log {
            state: LogState::Unknown,
            path: None,
            bytes: None,
            messages: None,
        },
        forecasts: question
            .surfaces
            .iter()
            .map(|surface| Forecast::unknown(surface))
            .collect(),
        findings: vec![],
        verdict: String::new(),
        candidates: vec![],
    }
    .concluded()
}
