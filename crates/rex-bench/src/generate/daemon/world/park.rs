//! Runs that wait: parked on handles, or on a closed provider pool.

use super::World;
use crate::generate::daemon::bot::{Delivery, Doing, Plan};
use crate::generate::daemon::items::{list, quoted};

/// Texts that look like handles and are none at 90, or no longer the same at 91; each a JSON string.
const NO_HANDLES: [&str; 9] = [
    r#""turn:/7""#,
    r#""Bob/7""#,
    r#""TURN:Bob/7""#,
    r#""turn:Bob/007""#,
    r#""turn:Bob/+7""#,
    r#""turn:Bob/9223372036854775808""#,
    r#""turn:Bob\u002f7""#,
    r#""turn:turn:x/3""#,
    "17",
];

impl World<'_, '_> {
    /// Whether the bot's run is the one that parks for good.
    pub(super) fn parks_for_good(&self, at: usize) -> bool {
        self.mix.parks.last_run == Some(self.bot(at).runs_ended)
    }

    /// The run parks on handles or on a closed pool.
    pub(super) fn park(&mut self, at: usize) -> rusqlite::Result<()> {
        let is_paced = self.mix.parks.last_run.is_none() && self.dice.chance(250);
        let Some(number) = self.bot(at).run.as_ref().map(|run| run.sent.number) else {
            return Ok(());
        };
        if is_paced {
            self.set_doing(at, Doing::Paced, "paced");
            return self.event(
                at,
                number,
                "turn_paced",
                r#"{"reason":"pool_closed","until_ms":0}"#.to_owned(),
            );
        }
        let count = self
            .dice
            .range(i64::from(self.mix.noise == 0), self.mix.parks.handles);
        let handles: Vec<String> = (0..count).map(|_| self.handle()).collect();
        let deadline_ms = self.time(at) + 600_000;
        let is_any = self.dice.chance(300);
        let members = format!(
            r#""call_id":"call_{number}_w","handles":{},"deadline_ms":{deadline_ms},"any":{is_any}"#,
            list(&handles)
        );
        self.event(at, number, "turn_waiting", format!("{{{members}}}"))?;
        let pending = self.pending();
        let waiting = if self.dice.chance(self.mix.noise / 4) {
            "{not json".to_owned()
        } else {
            format!("{{{members},\"pending\":{pending}}}")
        };
        self.set_doing(at, Doing::Waiting(waiting), "waiting");
        Ok(())
    }

    fn set_doing(&mut self, at: usize, doing: Doing, status: &'static str) {
        let bot = self.bot_mut(at);
        bot.status = status;
        if let Some(run) = bot.run.as_mut() {
            run.doing = doing;
        }
    }

    /// One handle as a JSON string.
    fn handle(&mut self) -> String {
        if self.dice.chance(self.mix.noise) {
            return (*self.dice.pick(&NO_HANDLES)).to_owned();
        }
        if self.dice.chance(200) {
            return format!("\"proc:{}\"", self.dice.range(1, 90));
        }
        let of = self.dice.below(self.bots.len() as u64) as usize;
        let name = self.bots.get(of).map_or("Bob", |bot| bot.name.as_str());
        let text = format!("turn:{name}/{}", self.last_number - self.last_number.min(90) / 2);
        quoted(&text)
    }

    /// The calls that wait with it: at times another `wait`, at times a call whose arguments must stay as they are.
    fn pending(&mut self) -> String {
        let handle = self.handle();
        match self.dice.below(5) {
            0 => format!(r#"[{{"call_id":"w2","name":"wait","arguments":{{"handles":[{handle}]}}}}]"#),
            1 => {
                let arguments = quoted(&format!(r#"{{ "handles" : [{handle}] , "any":true}}"#));
                format!(r#"[{{"call_id":"w3","name":"wait","arguments":{arguments}}}]"#)
            }
            2 => format!(r#"[{{"call_id":"s1","name":"shell","arguments":{{"handles":[{handle}]}}}}]"#),
            _ => "[]".to_owned(),
        }
    }

    /// What it waited for has come.
    pub(super) fn resume(&mut self, at: usize) -> rusqlite::Result<()> {
        if self.parks_for_good(at) {
            self.idle_ticks += 1;
            let is_stuck = self.idle_ticks > 2 * self.mix.bots;
            return if is_stuck {
                self.send(at, Delivery::Queue, Plan::Serve)
            } else {
                Ok(())
            };
        }
        let paced_ms = self.dice.range(1, 5000);
        let bot = self.bot_mut(at);
        bot.status = "running";
        let Some(run) = bot.run.as_mut() else {
            return Ok(());
        };
        if run.doing == Doing::Paced {
            run.spent.paced_ms += paced_ms;
            run.spent.retries += 1;
        }
        run.doing = Doing::Running;
        let number = run.sent.number;
        self.event(at, number, "turn_resumed", "{}".to_owned())
    }
}
