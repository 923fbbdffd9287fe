//! The settings in `config.toml` that a resume depends on.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// Providers that need no settings.
const BUILT_IN: &[&str] = &["openai", "ollama", "lmstudio", "amazon-bedrock"];

/// The settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::agents::codex) struct Config {
    model_provider: Option<String>,
    providers: Vec<String>,
    /// `sqlite_home`.
    pub(in crate::agents::codex) sqlite_home: Option<PathBuf>,
    /// `profile`, which the client no longer takes.
    pub(in crate::agents::codex) legacy_profile: Option<String>,
}

/// The keys that are read; their types are the client's.
#[derive(Deserialize)]
struct Keys {
    model_provider: Option<String>,
    model_providers: Option<BTreeMap<String, Provider>>,
    sqlite_home: Option<PathBuf>,
    profile: Option<String>,
    #[serde(rename = "model")]
    _model: Option<String>,
}

/// What makes a provider unusable.
#[derive(Deserialize)]
struct Provider {
    #[serde(rename = "wire_api", default, deserialize_with = "wire_api")]
    _wire_api: Option<String>,
}

/// What the client says of the protocol that it no longer speaks.
pub(in crate::agents::codex) const OLD_WIRE_API: &str = "`wire_api = \"chat\"` is no longer supported.";

fn wire_api<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    match String::deserialize(input)? {
        name if name == "chat" => Err(serde::de::Error::custom(OLD_WIRE_API)),
        name => Ok(Some(name)),
    }
}

impl Config {
    /// Reads the text of a `config.toml`.
    ///
    /// # Errors
    /// `line:column: message`, in the words of the library that the client uses too.
    pub(in crate::agents::codex) fn read(text: &str) -> Result<Self, String> {
        let keys: Keys = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            format!("{line}:{column}: {}", error.message())
        })?;
        Ok(Self {
            model_provider: keys.model_provider,
            providers: keys
                .model_providers
                .map(|table| table.into_keys().collect())
                .unwrap_or_default(),
            sqlite_home: keys.sqlite_home.filter(|path| !path.as_os_str().is_empty()),
            legacy_profile: keys.profile,
        })
    }

    /// The provider that a new session gets.
    pub(in crate::agents::codex) fn provider(&self) -> &str {
        self.model_provider.as_deref().unwrap_or("openai")
    }

    /// True where the client knows how to reach that provider.
    pub(in crate::agents::codex) fn knows(&self, provider: &str) -> bool {
        self.providers.iter().any(|known| known == provider) || BUILT_IN.contains(&provider)
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
        let error = Config::read("[model_providers.a]\nwire_api = \"chat\"\n").unwrap_err();
        assert_eq!(error, format!("2:12: {OLD_WIRE_API}"));
    }
}
