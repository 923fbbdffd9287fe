//! Generation 11: the gateway through which every agent went before there were gateways.

use rex_store::review::SDKS;

use super::{Doing as _, Guarded, exists, step};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.original_gateway";

pub(super) const STEP: Guarded = Guarded {
    step: step(ID, (10, 11), "the gateway that every store has is added", apply),
    is_needed: |seen| {
        Ok(!seen.shape.has_table("agent_gateway")
            || !exists(
                seen.connection,
                ID,
                "SELECT 1 FROM agent_gateway WHERE id = 'rex-original'",
            )?)
    },
};

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let doing = "add the gateway";
    let now = format!("{:.3}", work.now);
    work.connection
        .execute(
            "INSERT INTO agent_gateway(id, name, kind, created_at) VALUES ('rex-original', 'Original', 'original', ?1)",
            [now],
        )
        .doing(ID, doing)?;
    for sdk in SDKS {
        // A route that outlived its gateway is taken as it is.
        work.connection
            .execute(
                "INSERT OR IGNORE INTO gateway_route(gateway_id, sdk, auth) VALUES ('rex-original', ?1, 'inherit')",
                [sdk],
            )
            .doing(ID, doing)?;
    }
    Ok(Outcome::default())
}
