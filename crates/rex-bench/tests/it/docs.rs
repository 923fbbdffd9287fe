//! The pages that are generated from the code: command line and exit statuses.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use rex_bench::cli::Cli;
use rex_bench::exit_code;
use testkit::page::assert_page;

#[test]
fn the_command_line_is_documented() {
    let mut page = String::from("# rex-bench\n\nGenerated from the program's own help.\n");
    let mut command = Cli::command();
    command.build();
    section(&mut page, "", &command);
    assert_page("docs/cli/rex-bench.md", &page);
}

/// The help of a command and of everything below it.
fn section(page: &mut String, name: &str, command: &clap::Command) {
    let help = command.clone().term_width(100).render_long_help().to_string();
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    if !name.is_empty() {
        write!(page, "\n## {name}\n").expect("a string takes it");
    }
    write!(page, "\n```text\n{}\n```\n", help.join("\n")).expect("a string takes it");
    let shown = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set() && below.get_name() != "help");
    for below in shown {
        section(page, format!("{name} {}", below.get_name()).trim(), below);
    }
}

#[test]
fn the_exit_statuses_are_documented() {
    let mut page =
        String::from("# Exit statuses of rex-bench\n\n| status | name | meaning |\n| ---: | --- | --- |\n");
    for (status, name, meaning) in exit_code::ALL {
        writeln!(page, "| {status} | {name} | {meaning} |").unwrap();
    }
    assert_page("docs/exit-codes/rex-bench.md", &page);
}
