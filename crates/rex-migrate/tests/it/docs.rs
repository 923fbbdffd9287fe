//! The pages that are generated from the code: command line, exit statuses, JSON.

use std::fmt::Write as _;

use rex_migrate::cli::{self, ExplanationRecord};
use rex_migrate::exit_code;
use rex_migrate::plan::Plan;
use rex_migrate::receipt::Receipt;
use rex_migrate::status::Status;
use rex_migrate::verify::Verification;
use testkit::page::assert_page;

#[test]
fn the_command_line_is_documented() {
    let mut page = String::from("# rex-migrate\n\nGenerated from the program's own help.\n");
    let mut command = cli::command().term_width(100);
    command.build();
    write!(page, "\n```text\n{}```\n", command.render_long_help()).unwrap();
    for subcommand in command
        .get_subcommands_mut()
        .filter(|command| !command.is_hide_set())
    {
        if subcommand.get_name() != "help" {
            let help = subcommand.clone().term_width(100).render_long_help().to_string();
            let help: Vec<_> = help.lines().map(str::trim_end).collect();
            write!(
                page,
                "\n## {}\n\n```text\n{}\n```\n",
                subcommand.get_name(),
                help.join("\n")
            )
            .unwrap();
        }
    }
    assert_page("docs/cli/rex-migrate.md", &page);
}

#[test]
fn the_exit_statuses_are_documented() {
    let mut page =
        String::from("# Exit statuses of rex-migrate\n\n| status | name | meaning |\n| ---: | --- | --- |\n");
    for (status, name, meaning) in exit_code::ALL {
        writeln!(page, "| {status} | {name} | {meaning} |").unwrap();
    }
    assert_page("docs/exit-codes/rex-migrate.md", &page);
}

#[test]
fn the_json_is_documented() {
    let schemas = [
        ("status", schemars::schema_for!(Status)),
        ("plan", schemars::schema_for!(Plan)),
        ("receipt", schemars::schema_for!(Receipt)),
        ("explain", schemars::schema_for!(ExplanationRecord)),
        ("verify", schemars::schema_for!(Verification)),
    ];
    for (name, schema) in schemas {
        let text = serde_json::to_string_pretty(&schema).unwrap();
        assert_page(
            &format!("docs/json/rex-migrate.{name}.schema.json"),
            &format!("{text}\n"),
        );
    }
}
