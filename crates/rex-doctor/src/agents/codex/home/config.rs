//! The settings in `config.toml` that a resume depends on.

use std::collections::BTreeSet;
use std::path::PathBuf;

use toml::{Table, Value};

/// Providers that need no settings.
const BUILT_IN: &[&str] = &["openai", "ollama", "lmstudio", "amazon-bedrock"];

/// The settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::agents::codex) struct Config {
    model_provider: Option<String>,
    providers: BTreeSet<String>,
    /// `sqlite_home`.
    pub(in crate::agents::codex) sqlite_home: Option<PathBuf>,
    /// `profile`, which the client no longer takes.
    pub(in crate::agents::codex) legacy_profile: Option<String>,
}

impl Config {
    /// Reads the text of a `config.toml`.
    ///
    /// # Errors
    /// `line:column: message`, in the words of the library that the client uses too.
    pub(in crate::agents::codex) fn read(text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            format!("{line}:{column}: {}", error.message())
        })?;
        let word = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        let providers = table.get("model_providers").and_then(Value::as_table);
        Ok(Self {
            model_provider: word("model_provider"),
            providers: providers
                .map(|table| table.keys().cloned().collect())
                .unwrap_or_default(),
            sqlite_home: word("sqlite_home")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            legacy_profile: word("profile"),
        })
    }

    /// The provider that a new session gets.
    pub(in crate::agents::codex) fn provider(&self) -> &str {
        self.model_provider.as_deref().unwrap_or("openai")
    }

    /// True where the client knows how to reach that provider.
    pub(in crate::agents::codex) fn knows(&self, provider: &str) -> bool {
        self.providers.contains(provider) || BUILT_IN.contains(&provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_that_matter_are_read() {
        let text = "model_provider = \"a\"\nsqlite_home = \"/s\"\n[model_providers.a]\nname = \"a\"\n";
        let config = Config::read(text).unwrap();
        assert_eq!(
            (config.provider(), config.sqlite_home.clone()),
            ("a", Some(PathBuf::from("/s")))
        );
        assert_eq!(
            [config.knows("a"), config.knows("openai"), config.knows("b")],
            [true, true, false]
        );
        assert_eq!(Config::read("").unwrap().provider(), "openai");
    }

    #[test]
    fn a_fault_is_told_with_its_place_in_the_clients_words() {
        let error = Config::read("a = 1\n\n[[[ nonsense\n").unwrap_err();
        assert_eq!(
            error,
            "3:3: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`"
        );
    }
}
