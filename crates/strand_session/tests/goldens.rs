//! Every code is drawn somewhere in the suites, so that its drawing was read.

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
