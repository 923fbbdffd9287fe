//! The generated pages, and that ids, files and pages are the same thing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use rex_doctor::agents::{self, RETIRED};
use rex_doctor::check::About;
use rex_doctor::diagnosis::Diagnosis;
use rex_doctor::exit_status::ExitStatus;
use rex_doctor::report::candidates::Candidates;
use rex_doctor::report::check::Report;
use rex_doctor::report::checks::Checks;
use rex_doctor::report::explain::{self, Explanation, HEADINGS};
use rex_doctor::report::sessions::Sessions;
use schemars::schema_for;
use testkit::page::{assert_page, is_updating, repository};

use crate::fixture::files;

const WITNESSES: [&str; 6] = ["home", "store", "log", "mismatch", "client", "argument"];

fn abouts() -> Vec<About> {
    agents::ALL.iter().flat_map(|agent| (agent.checks)()).collect()
}

#[test]
fn an_id_is_the_path_of_its_file() {
    let mut seen = BTreeSet::new();
    for about in abouts() {
        let (_, path) = about.source.split_once("src/agents/").unwrap();
        let id = path.strip_suffix(".rs").unwrap().replace('/', ".");
        assert_eq!(id, about.id, "{}", about.source);
        let words: Vec<&str> = about.id.split('.').collect();
        assert!(words.len() == 3 && WITNESSES.contains(&words[1]), "{}", about.id);
        assert!(seen.insert(about.id), "{} is listed twice", about.id);
        assert!(
            !RETIRED.contains(&about.id),
            "{} is retired and may not come back",
            about.id
        );
        assert!(
            !about.summary.ends_with('.'),
            "{}: the summary ends with a period",
            about.id
        );
    }
}

#[test]
fn every_check_file_is_listed() {
    let listed: BTreeSet<&str> = abouts().iter().map(|about| about.id).collect();
    let folder = repository().join("crates/rex-doctor/src/agents");
    for file in files(&folder) {
        let path = file.strip_prefix(&folder).unwrap().with_extension("");
        let words: Vec<&str> = path.iter().map(|word| word.to_str().unwrap()).collect();
        let holds_check = fs::read_to_string(&file).unwrap().contains("const CHECK:");
        if let [_, witness, _] = words[..]
            && WITNESSES.contains(&witness)
            && holds_check
        {
            assert!(
                listed.contains(words.join(".").as_str()),
                "{} is in no list of checks",
                file.display()
            );
        } else {
            assert!(!holds_check, "{} is no place for a check", file.display());
        }
    }
}

#[test]
fn every_check_has_its_page() {
    let mut index =
        String::from("# What the doctor finds\n\n| id | severity | fault |\n| --- | --- | --- |\n");
    let mut pages = BTreeSet::from(["README.md".to_owned()]);
    for about in abouts() {
        let headings: Vec<&str> = about
            .page
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert_eq!(headings, HEADINGS, "{}", about.id);
        let name = format!("{}.md", about.id);
        assert_page(&format!("docs/checks/{name}"), &explain::page(&about));
        writeln!(
            index,
            "| [{}]({name}) | {} | {} |",
            about.id,
            about.severity.word(),
            about.summary
        )
        .unwrap();
        pages.insert(name);
    }
    assert_page("docs/checks/README.md", &index);
    for file in files(&repository().join("docs/checks")) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if !pages.contains(name) && is_updating() {
            fs::remove_file(&file).unwrap();
        } else {
            assert!(
                pages.contains(name),
                "{name} is the page of no check; UPDATE_DOCS=1 removes it"
            );
        }
    }
}

#[test]
fn the_schemas_are_those_of_the_types() {
    let schemas = [
        ("session", schema_for!(Diagnosis)),
        ("candidates", schema_for!(Candidates)),
        ("check", schema_for!(Report)),
        ("sessions", schema_for!(Sessions)),
        ("checks", schema_for!(Checks)),
        ("explain", schema_for!(Explanation)),
    ];
    for (name, schema) in schemas {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        assert_page(&format!("docs/json/rex-doctor.{name}.json"), &text);
    }
}

#[test]
fn the_command_line_has_its_page() {
    let mut command = rex_doctor::cli::command().term_width(100);
    command.build();
    let mut page = String::from("# rex-doctor\n\n");
    let mut shown = vec![&mut command];
    let mut texts = vec![];
    while let Some(command) = shown.pop() {
        texts.push(format!(
            "```text\n{}```\n",
            trimmed(&command.render_long_help().to_string())
        ));
        let below: Vec<_> = command
            .get_subcommands_mut()
            .filter(|below| is_shown(below))
            .collect();
        shown.extend(below.into_iter().rev());
    }
    page += &texts.join("\n");
    page += "\n## Exit status\n\nWhere several apply, the one farther down is given.\n\n| status | means |\n| --- | --- |\n";
    for status in ExitStatus::ALL {
        writeln!(page, "| {} | {} |", status.code(), status.meaning()).unwrap();
    }
    assert_page("docs/cli/rex-doctor.md", &page);
}

fn is_shown(command: &clap::Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn trimmed(text: &str) -> String {
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}
