//! What the suites hold of every code and every rule: drawings that were read, programs, near misses.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use strand_session::{Code, Set};

/// Codes that no program gives yet.
const NOT_YET: [Code; 3] = [Code::E2404, Code::E3102, Code::H2402];

fn collect(folder: &Path, found: &mut Set<String>) {
    for entry in fs::read_dir(folder).expect("the suites can be read") {
        let path = entry.expect("the suites can be read").path();
        if path.is_dir() {
            collect(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a suite is text");
        for fence in text.split("```diagnostics\n").skip(1) {
            let drawn = fence.split("```").next().unwrap_or("");
            for line in drawn.lines() {
                if let Some((code, _)) = line.split_once("  ") {
                    found.insert(code.to_owned());
                }
            }
        }
    }
}

#[test]
fn every_code_is_drawn_in_a_suite() {
    let mut drawn = Set::new();
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/suite");
    collect(&suites, &mut drawn);
    let missing: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !code.as_str().starts_with('R') && !NOT_YET.contains(code))
        .map(|code| code.as_str())
        .filter(|code| !drawn.contains(*code))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// How often each code is asked for by a program of the suites and pages, one a program.
fn asked_for(folder: &Path, counts: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(folder).expect("the suites can be read") {
        let path = entry.expect("the suites can be read").path();
        if path.is_dir() {
            asked_for(&path, counts);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a suite is text");
        let fences = text.split("\n```strand").skip(1);
        for fence in fences.filter(|fence| !fence.starts_with(" fixed")) {
            let mut codes = Set::new();
            for line in fence.split("\n```").next().unwrap_or("").lines() {
                let words = line.strip_prefix(' ').unwrap_or_default().split(' ');
                codes.extend(
                    words
                        .filter_map(|word| word.strip_prefix("error="))
                        .map(str::to_owned),
                );
                let comment = line.rsplit_once("# ").map_or("", |(_, comment)| comment);
                for part in comment.split("; ") {
                    let part = part.strip_prefix("next ").unwrap_or(part);
                    let kinds = ["error: ", "warning: ", "hint: ", "run error: "];
                    let found = kinds.iter().find_map(|kind| part.strip_prefix(kind));
                    codes.extend(
                        found
                            .and_then(|rest| rest.split(' ').next())
                            .map(str::to_owned),
                    );
                }
            }
            for code in codes {
                *counts.entry(code).or_default() += 1;
            }
        }
    }
}

/// Codes that no program gives by itself: a run is stopped from outside.
const FROM_OUTSIDE: [Code; 2] = [Code::R05, Code::R06];

#[test]
fn every_code_has_three_programs_that_give_it_and_a_near_miss() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut counts = BTreeMap::new();
    asked_for(&root.join("../../tests/suite"), &mut counts);
    asked_for(&root.join("pages"), &mut counts);
    let near = root.join("../../tests/suite/codes/near-misses");
    let mut headed = String::new();
    for entry in fs::read_dir(near).expect("the suites can be read") {
        let path = entry.expect("the suites can be read").path();
        headed.push_str(&fs::read_to_string(path).expect("a suite is text"));
    }
    let given = Code::ALL.iter().filter(|code| !NOT_YET.contains(code));
    let mut missing = Vec::new();
    for code in given.filter(|code| !FROM_OUTSIDE.contains(code)) {
        let count = counts.get(code.as_str()).copied().unwrap_or(0);
        if count < 3 {
            missing.push(format!("{code} is asked for by {count} programs"));
        }
        let section = headed.split(&format!("\n## {code}\n")).nth(1).unwrap_or("");
        let section = section.split("\n## ").next().unwrap_or("");
        if !section.contains("```strand\n") {
            missing.push(format!("{code} has no near miss"));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// The rules of the language's decisions that `tests/suite/decisions` holds cases of.
#[test]
fn every_rule_has_its_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/suite/decisions");
    let table = fs::read_to_string(folder.join("coverage.md")).expect("the table is text");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    let mut wanted = 1..57;
    let mut wrong = Vec::new();
    for row in rows.skip(1).filter(|row| !row.starts_with('-')) {
        let mut cells = row.split('|').map(str::trim);
        let rule: u32 = cells
            .next()
            .and_then(|cell| cell.parse().ok())
            .expect("a rule's number");
        if wanted.next() != Some(rule) {
            wrong.push(format!("rule {rule} isn't the next"));
        }
        let (_, files) = (cells.next(), cells.next().unwrap_or(""));
        for file in files.split(' ').filter(|file| !file.is_empty()) {
            let path = folder.join(file);
            let text = fs::read_to_string(&path).unwrap_or_default();
            let is_own = !file.contains('/') && file != "reserved.md";
            let headed = text.matches(&format!("\n## Rule {rule}: ")).count();
            if text.is_empty() || (is_own && headed < 2) {
                wrong.push(format!("{file} has no cases of rule {rule}"));
            }
        }
        if files.is_empty() {
            wrong.push(format!("rule {rule} has no file"));
        }
    }
    assert_eq!((wrong, wanted.next()), (Vec::<String>::new(), None));
}
