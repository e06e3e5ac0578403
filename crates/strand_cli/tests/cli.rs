//! The program as a user runs it: formats, exit statuses, calls with files.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

const SCALE: &str = "dim D = 2\n\
    fn scale(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])\n\
    scale([[1.0, 2.0], [3.0, 4.0]], [10.0, 100.0])\n";

/// Runs the program with a text as its standard input.
fn strand(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_strand"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that ends before it has read everything closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn json_of(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A file of this test run.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// A version 1 `.npy` file of little-endian 4-byte floats.
fn npy(shape: &str, values: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    let padded = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn check_gives_chains_and_inlays_in_the_json_form() {
    let output = strand(&["check", "--json", "-"], SCALE);
    assert_eq!(status(&output), 0);
    let report = json_of(&output);
    assert_eq!(report["diagnostics"], json!([]));
    let function = &report["functions"][0];
    assert_eq!(function["name"], "scale");
    assert_eq!(function["signature"], "fn scale(x: [n D], w: [n]) -> [n D]");
    let chain = &function["chains"][0];
    assert_eq!(chain["stages"], json!([{ "name": "map", "type": "[n D]" }]));
    assert_eq!(chain["lowering"], "plain");
    let span = json!({ "start": { "line": 2, "column": 39 }, "end": { "line": 2, "column": 65 } });
    assert_eq!(chain["span"], span);
    let inlay = json!({
        "position": { "line": 2, "column": 65 }, "text": "[n D]", "change": "", "lowering": "plain"
    });
    assert!(
        report["inlays"].as_array().unwrap().contains(&inlay),
        "{}",
        report["inlays"]
    );
}

#[test]
fn columns_count_code_points() {
    let output = strand(&["check", "--json", "-"], "x = \"😀é\" + y\n");
    let report = json_of(&output);
    assert_eq!(status(&output), 1);
    let diagnostic = &report["diagnostics"][0];
    assert_eq!(
        (&diagnostic["code"], &diagnostic["severity"]),
        (&json!("E0301"), &json!("error"))
    );
    assert_eq!(
        diagnostic["span"]["start"],
        json!({ "line": 1, "column": 12 })
    );
}

#[test]
fn run_gives_values_as_nested_lists() {
    let output = strand(&["run", "--json", "-"], SCALE);
    assert_eq!(status(&output), 0);
    let report = json_of(&output);
    let value = &report["values"][0];
    assert_eq!(value["line"], 3);
    assert_eq!(value["data"], json!([[10.0, 20.0], [300.0, 400.0]]));
    assert_eq!(
        (&value["shape"], &value["dtype"]),
        (&json!([2, 2]), &json!("f32"))
    );
    assert_eq!(
        (&value["axes"], &value["error"]),
        (&json!([null, "D"]), &Json::Null)
    );
    assert!(!report["trace"].as_array().unwrap().is_empty());
}

#[test]
fn what_json_has_no_number_for_is_a_text() {
    let program = "x = [0.0, -1.0, 1.0]\nx / 0.0\nzeros([0 + 0, 2])\n";
    let output = strand(&["run", "--json", "-"], "x = [0.0, -1.0, 1.0]\nx / 0.0\n");
    assert_eq!(
        json_of(&output)["values"][0]["data"],
        json!(["NaN", "-Infinity", "Infinity"])
    );
    // A size of 0 is refused by its constant, with the report still whole.
    let refused = strand(&["run", "--json", "-"], program);
    assert_eq!(status(&refused), 1);
    assert_eq!(json_of(&refused)["values"], json!([]));
}

#[test]
fn values_before_an_error_while_running_are_kept() {
    let program = "fn pick(x: [n], k: int) -> [] = x[k]\n1.5 + 1.0\npick([1.0, 2.0], 7)\n";
    let output = strand(&["run", "--json", "-"], program);
    assert_eq!(status(&output), 3);
    let report = json_of(&output);
    assert_eq!(report["values"][0]["data"], json!(2.5));
    assert_eq!(report["error"]["code"], "R03");
    assert_eq!(report["error"]["span"]["start"]["line"], 1);
}

#[test]
fn a_function_is_called_with_files_and_numbers() {
    let program = "fn scaled(x: [n m], by: float = 2.0) -> [m n] = (x * by) to [m n]\n";
    let source = file("scaled.strand", program.as_bytes());
    let x = file("x.npy", &npy("(1, 3)", &[1.0, 2.0, 3.0]));
    let run = |more: &[&str]| {
        let arguments = [
            &[
                "run",
                source.to_str().unwrap(),
                "--call",
                "scaled",
                "--json",
            ],
            more,
        ]
        .concat();
        strand(&arguments, "")
    };
    let argument = format!("x={}", x.display());
    let output = run(&["--arg", &argument, "--arg", "by=0.5"]);
    assert_eq!(
        status(&output),
        0,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        json_of(&output)["values"][0]["data"],
        json!([[0.5], [1.0], [1.5]])
    );
    let with_default = run(&["--arg", &argument]);
    assert_eq!(
        json_of(&with_default)["values"][0]["data"],
        json!([[2.0], [4.0], [6.0]])
    );
    for wrong in [
        vec![],
        vec!["--arg", "x=none.npy"],
        vec!["--arg", &argument, "--arg", "z=1"],
    ] {
        let output = run(&wrong);
        assert_eq!(status(&output), 2);
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_said_in_one_line() {
    let latin = file("latin.strand", b"x = \"\xe9\"\n");
    for path in ["no/such/file.strand", latin.to_str().unwrap()] {
        let output = strand(&["check", path], "");
        assert_eq!(status(&output), 2);
        assert_eq!(
            String::from_utf8_lossy(&output.stderr)
                .trim_end()
                .lines()
                .count(),
            1
        );
    }
}

#[test]
fn fmt_changes_a_file_once() {
    let path = file("spaces.strand", b"x=1+2\n");
    let path = path.to_str().unwrap();
    assert_eq!(status(&strand(&["fmt", "--check", path], "")), 1);
    assert_eq!(status(&strand(&["fmt", path], "")), 0);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "x = 1 + 2\n");
    assert_eq!(status(&strand(&["fmt", "--check", path], "")), 0);
}

#[test]
fn fences_of_a_document_are_checked_with_its_own_lines() {
    let text = "# A book\n\n```strand\nx = 1\nx + y\n```\n\n```strand error=E0301\nz\n```\n";
    let path = file("book.md", text.as_bytes());
    let output = strand(&["check", path.to_str().unwrap()], "");
    assert_eq!(status(&output), 1);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("book.md:5: E0301"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn torch_and_explain_print_text() {
    let output = strand(&["torch", "-"], SCALE);
    assert!(String::from_utf8_lossy(&output.stdout).contains("return x * w[:, None]"));
    let wrong = strand(&["torch", "-"], "x = y\n");
    assert_eq!(status(&wrong), 1);
    // What is printed may go to a file of Python's.
    assert_eq!(wrong.stdout, b"");
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert!(
        said.contains("E0301") && said.ends_with("1 error\n"),
        "{said}"
    );
    let page = strand(&["explain", "e0503"], "");
    assert!(String::from_utf8_lossy(&page.stdout).starts_with("# E0503"));
    assert_eq!(status(&strand(&["explain", "E9999"], "")), 2);
}
