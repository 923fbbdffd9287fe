//! Generation 12: the built-in gateway, tokens that are stored, and the end of two kinds of gateway.

use rex_store::review::SDKS;
use rusqlite::Connection;

use super::definition::{self, Check};
use super::{Doing as _, Guarded, Seen, Tally, exists, outcome, step, triggers};
use crate::step::{Outcome, Refusal, StepError, Work};

const ID: &str = "review.gateways";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (11, 12),
        "the built-in gateway is added, gateways of two kinds are retired, and tokens may be stored",
        apply,
    ),
    is_needed: |seen| {
        if !seen.shape.has_table("agent_gateway") || !seen.shape.has_table("gateway_route") {
            return Ok(true);
        }
        Ok(!exists(
            seen.connection,
            ID,
            "SELECT 1 FROM agent_gateway WHERE id = 'rex-builtin'",
        )? || exists(seen.connection, ID, RETIRED)?
            || !KINDS.holds(seen.connection)?
            || !AUTHS.holds(seen.connection)?)
    },
};

/// Gateways of the kinds that no build speaks any more.
pub(super) const RETIRED: &str = "SELECT id FROM agent_gateway WHERE kind IN ('envoy', 'custom')";

pub(super) const KINDS: Check = Check {
    table: "agent_gateway",
    column: "kind",
    marks: &["kind", "'original'"],
    allowed: &["original", "builtin", "litellm"],
    refused: &["envoy", "custom"],
    probe: "INSERT INTO agent_gateway(id, name, kind, created_at) VALUES ('probe', '', ?1, '')",
};

pub(super) const AUTHS: Check = Check {
    table: "gateway_route",
    column: "auth",
    marks: &["auth", "'inherit'"],
    allowed: &["inherit", "none", "environment", "stored"],
    refused: &[],
    probe: "INSERT INTO gateway_route(gateway_id, sdk, base_url, auth, credential_env)
        VALUES ('probe', 'codex', 'http://probe', ?1, iif(?1 = 'environment', 'PROBE', NULL))",
};

/// A kind that is on neither list would stand outside the new rule.
pub(super) fn refuse(seen: &Seen<'_>) -> Result<Vec<Refusal>, StepError> {
    if !seen.shape.has_table("agent_gateway") {
        return Ok(Vec::new());
    }
    let odd = Tally::of(
        seen.connection,
        ID,
        "SELECT id || ' (' || kind || ')' FROM agent_gateway
            WHERE kind NOT IN ('original', 'builtin', 'litellm', 'envoy', 'custom') ORDER BY rowid",
    )?;
    if odd.count == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![Refusal {
        cause: format!(
            "{} gateways are of an unknown kind: {}",
            odd.count,
            odd.first.join(", ")
        ),
        hint: "set their kind to litellm, or delete them with the application that wrote them".to_owned(),
    }])
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let connection = work.connection;
    if !KINDS.holds(connection)? {
        definition::replace(connection, ID, &KINDS)?;
    }
    if !AUTHS.holds(connection)? {
        definition::replace(connection, ID, &AUTHS)?;
    }
    triggers::asleep(connection, ID, || {
        let retired = retire(connection)?;
        add_builtin(work)?;
        Ok(retired)
    })
}

fn retire(connection: &Connection) -> Result<Outcome, StepError> {
    let doing = "retire gateways";
    let of = |table: &str, name: &str| {
        let sql = format!("SELECT {name} FROM {table} WHERE gateway_id IN ({RETIRED}) ORDER BY rowid");
        Tally::of(connection, ID, &sql)
    };
    let tallies = vec![
        (
            "retired",
            Tally::of(connection, ID, &format!("{RETIRED} ORDER BY rowid"))?,
        ),
        ("routes_dropped", of("gateway_route", "gateway_id || ' ' || sdk")?),
        (
            "sessions_dropped",
            of("thread_session", "thread_id || ' ' || sdk || ' ' || gateway_id")?,
        ),
    ];
    let names: Vec<String> = connection
        .prepare("SELECT name FROM agent_gateway WHERE kind IN ('envoy', 'custom') ORDER BY rowid")
        .doing(ID, doing)?
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .doing(ID, doing)?;
    if !names.is_empty() {
        remember(connection, names)?;
        // Foreign keys are off: what would cascade is deleted by name.
        connection
            .execute_batch(&format!(
                "DELETE FROM thread_session WHERE gateway_id IN ({RETIRED});
                 DELETE FROM gateway_route WHERE gateway_id IN ({RETIRED});
                 DELETE FROM agent_gateway WHERE kind IN ('envoy', 'custom');"
            ))
            .doing(ID, doing)?;
    }
    Ok(outcome("gateways", tallies))
}

/// Keeps the names for the application to show, each once.
fn remember(connection: &Connection, names: Vec<String>) -> Result<(), StepError> {
    let doing = "remember the retired gateways";
    let known: String = connection
        .query_row(
            "SELECT coalesce((SELECT value FROM setting WHERE key = 'gateway.retired'), '')",
            [],
            |row| row.get(0),
        )
        .doing(ID, doing)?;
    let mut all: Vec<String> = known
        .split('\n')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    connection
        .execute(
            "INSERT INTO setting(key, value) VALUES ('gateway.retired', ?1)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [all.join("\n")],
        )
        .doing(ID, doing)?;
    Ok(())
}

/// The address at which the application's own gateway listens.
const BUILTIN: &str = "http://127.0.0.1:24334";

fn add_builtin(work: &Work<'_>) -> Result<(), StepError> {
    let doing = "add the built-in gateway";
    let connection = work.connection;
    if exists(
        connection,
        ID,
        "SELECT 1 FROM agent_gateway WHERE id = 'rex-builtin'",
    )? {
        return Ok(());
    }
    connection
        .execute(
            "INSERT INTO agent_gateway(id, name, kind, enabled, created_at)
                VALUES ('rex-builtin', 'Built-in', 'builtin', 0, ?1)",
            [format!("{:.3}", work.now)],
        )
        .doing(ID, doing)?;
    for sdk in SDKS {
        let end = if sdk == "claude-agent" { "" } else { "/v1" };
        connection
            .execute(
                "INSERT OR IGNORE INTO gateway_route(gateway_id, sdk, base_url, auth, credential_env)
                    VALUES ('rex-builtin', ?1, ?2, 'environment', 'REX_GATEWAY_KEY')",
                [sdk, &format!("{BUILTIN}{end}")],
            )
            .doing(ID, doing)?;
    }
    Ok(())
}
