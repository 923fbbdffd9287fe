use std::fs;
use std::path::{Path, PathBuf};

const LINES_MAX: usize = 400;
const VAGUE: [&str; 5] = ["mod", "util", "utils", "helpers", "common"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Every source file of every member, with its text.
fn all_sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    sources(&root().join("crates"), &mut found);
    found.sort();
    assert!(found.len() > 10, "the walk found only {} files", found.len());
    found
        .into_iter()
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// Whether a file is a module of tests, which its parent compiles for tests only.
fn is_tests(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "tests")
}

/// A file's lines before its tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn report(faults: &[String], cure: &str) {
    assert!(faults.is_empty(), "{cure}:\n{}", faults.join("\n"));
}

#[test]
fn files_stay_under_the_line_limit() {
    let faults: Vec<String> = all_sources()
        .iter()
        .filter(|(path, _)| path.components().any(|part| part.as_os_str() == "src") && !is_tests(path))
        .map(|(path, text)| (path, code(text).lines().count()))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(path, lines)| format!("{lines} {}", path.display()))
        .collect();
    report(&faults, "split these files by what they do");
}

#[test]
fn no_module_has_a_vague_name() {
    let faults: Vec<String> = all_sources()
        .iter()
        .filter(|(path, _)| {
            path.file_stem()
                .is_some_and(|stem| VAGUE.iter().any(|vague| stem == *vague))
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    report(&faults, "name these files after what they hold");
}

#[test]
fn every_source_file_is_declared_by_its_parent() {
    let faults: Vec<String> = all_sources()
        .iter()
        .filter(|(path, _)| path.components().any(|part| part.as_os_str() == "src"))
        .filter(|(path, _)| !is_declared(path))
        .map(|(path, _)| path.display().to_string())
        .collect();
    report(&faults, "nothing compiles these files; declare or delete them");
}

fn is_declared(path: &Path) -> bool {
    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
    let folder = path.parent().unwrap();
    if ["lib", "main", "build"].contains(&stem.as_str()) {
        return true;
    }
    let parents = [
        folder.join("lib.rs"),
        folder.join("main.rs"),
        folder.with_extension("rs"),
    ];
    parents
        .iter()
        .filter_map(|parent| fs::read_to_string(parent).ok())
        .any(|text| {
            text.lines()
                .any(|line| line.trim().ends_with(&format!("mod {stem};")))
        })
}

#[test]
fn no_test_is_idle() {
    let mut faults = Vec::new();
    for (path, text) in all_sources() {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let bare = line.starts_with("matches!(") && line.ends_with(");");
            let vague = line.starts_with("assert!(")
                && (line.ends_with(".is_ok());") || line.ends_with(".is_err());"));
            if bare || vague {
                faults.push(format!("{}:{} {line}", path.display(), index + 1));
            }
        }
    }
    report(&faults, "assert the value or the error itself");
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let table = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let table = table.split("\n[").next().unwrap();
    for block in table
        .split("\n\n")
        .map(str::trim)
        .filter(|block| !block.is_empty())
    {
        let is_ours = block.lines().all(|line| line.contains("path = "));
        for group in block
            .split_inclusive('\n')
            .collect::<Vec<_>>()
            .split(|line| line.starts_with('#'))
        {
            let names = group.iter().filter(|line| line.contains('=')).count();
            assert!(
                names <= 5,
                "give each of these a reason of its own:\n{}",
                group.concat()
            );
        }
        assert!(
            is_ours || block.starts_with('#'),
            "no reason stands above:\n{block}"
        );
    }
}

#[test]
fn no_work_is_left_as_a_note_in_the_code() {
    let marks = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["unimpl", "emented!"].concat(),
        ["to", "do!("].concat(),
    ];
    let mut faults = Vec::new();
    for (path, text) in all_sources() {
        for (index, line) in text.lines().enumerate() {
            if marks.iter().any(|mark| line.contains(mark.as_str())) {
                faults.push(format!("{}:{} {}", path.display(), index + 1, line.trim()));
            }
        }
    }
    report(&faults, "finish these or file them elsewhere");
}
