//! Every message is one line of at most 80 characters, and none is cut, whatever the names are.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use strand_check::check;

/// Names as programs have them, longer than the suites' single letters.
const NAMES: &[&str] = &[
    "hidden_units",
    "batch_sizes",
    "attention_in",
    "residual_out",
    "timesteps_n",
    "channels_out",
    "embeddings_d",
    "gradient_sum",
    "vocabularies",
    "projected_qk",
    "key_positions",
    "learning_rate",
    "momentum_avg",
    "variance_est",
    "prediction_y",
    "normalized_x",
];

/// Shapes of three long axes where programs clash.
const WIDE: &[&str] = &[
    "fn f(X: A, w: B) = X + w\n",
    "fn f(X: A) -> B = X\n",
    "fn f(X: A) = softmax(X)\n",
    "fn f(X: A) = X |> map(row => row)\n",
    "fn f(X: A) = sum(X, over=features)\n",
    "fn f(X: A) = X[0, 0, 0, 0]\n",
    "fn g(X: B) = sum(X)\nfn f(X: A, w: C) = g(w)\n",
    "fn f(X: A, c: bool):\n    y = X\n    if c:\n        y = X[0]\n    return y\n",
    "fn f(X: A, c: bool) -> A:\n    if c:\n        return X\n",
    "fn f(X: A):\n    for row in X:\n        print(row)\n",
    "fn f(X: A) = X to C\n",
    "fn f(X: A) = X as C\n",
    "fn f(X: A) = [X, 1.0]\n",
    "fn f(X: A) = item(X)\n",
    "fn f(X: A, w: B) = X @ w\n",
    "fn f(X: A, i: C) = X[i]\n",
    "fn f(X: A, i: C bool) = X[i]\n",
    "fn f(X: A) = batch_sizes |> filter(i => X[i] > 0.0)\n",
    "fn f(X: A, c: bool) = X if c else X[0]\n",
    "fn f(X: A):\n    if X > 0.0:\n        print(1)\n",
    "fn f(X: A, y: C) -> C:\n    y[0] = X\n    return y\n",
    "fn f(X: A) = X |> zip(X) |> map((a, b) => a)\n",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of suites") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The programs of a suite or page.
fn programs(markdown: &str) -> Vec<String> {
    let blocks = markdown.split("```strand").skip(1);
    let program = |block: &str| {
        let body = block.split_once('\n')?.1;
        Some(body.split("```").next()?.to_owned())
    };
    blocks.filter_map(program).collect()
}

/// A program with long names in place of its single letters.
fn renamed(program: &str) -> String {
    let mut names: HashMap<char, String> = HashMap::new();
    let mut out = String::new();
    for line in program.lines() {
        let code: Vec<char> = line.split('#').next().unwrap_or("").chars().collect();
        let is_word = |at: Option<usize>| {
            let letter = at.and_then(|at| code.get(at));
            letter.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '"'))
        };
        for (at, letter) in code.iter().enumerate() {
            let alone = !is_word(at.checked_sub(1)) && !is_word(Some(at + 1));
            if !letter.is_ascii_alphabetic() || !alone {
                out.push(*letter);
                continue;
            }
            let next = NAMES.get(names.len()).copied().unwrap_or("the_last");
            let name = names.entry(*letter).or_insert_with(|| next.to_owned());
            out.push_str(name);
        }
        out.push('\n');
    }
    out
}

fn cut(program: &str) -> Vec<String> {
    let found = check(program).diagnostics;
    let is_cut = |message: &str| {
        message.chars().count() > 80 || message.contains('\n') || message.ends_with("...")
    };
    let messages = found.into_iter().map(|found| (found.code, found.message));
    messages
        .filter(|(_, message)| is_cut(message))
        .map(|(code, message)| format!("{code} {message}\n{program}"))
        .collect()
}

#[test]
fn no_message_of_a_suite_is_cut() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(&root.join("../../tests/suite"), &mut paths);
    files(&root.join("../strand_session/pages"), &mut paths);
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in paths {
        let text = fs::read_to_string(path).expect("a suite");
        for program in programs(&text) {
            count += 1;
            wrong.extend(cut(&program));
            wrong.extend(cut(&renamed(&program)));
        }
    }
    assert!(count > 500, "only {count} programs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_message_about_long_shapes_is_cut() {
    for program in WIDE {
        let program = program
            .replace('X', "hidden_units")
            .replace('A', "[batch_sizes timesteps_n channels_out]")
            .replace('B', "[channels_out batch_sizes timesteps_n]")
            .replace('C', "[timesteps_n channels_out]");
        let wrong = cut(&program);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(check(&program).has_errors(), "{program}");
    }
}

#[test]
fn the_functions_that_take_a_type_are_those_of_the_table() {
    assert_eq!(strand_syntax::SHAPE_FIRST, strand_ops::TYPE_FIRST);
    for op in strand_ops::OPS {
        let makes = matches!(
            op.class,
            strand_ops::Class::Construct
                | strand_ops::Class::Draw
                | strand_ops::Class::Effect(strand_ops::Effect::Load)
        );
        assert_eq!(
            makes,
            strand_ops::TYPE_FIRST.contains(&op.name),
            "{}",
            op.name
        );
    }
}
