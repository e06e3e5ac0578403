//! The one style.

use super::{CHAPTER, tree};
use crate::{format, parse};

#[track_caller]
fn formats(text: &str, expected: &str) {
    let formatted = format(text);
    assert_eq!(formatted, expected);
    assert_eq!(
        format(&formatted),
        formatted,
        "formatting twice changes more"
    );
    assert_eq!(tree(text), tree(&formatted));
}

#[test]
fn the_chapters_programs_are_in_the_style() {
    let per_row = "= x |> map(row => softmax(row @ w, over=C), over=n)";
    let wrapped = "= x\n    |> map(row => softmax(row @ w, over=C), over=n)";
    // All but the one whose line is longer than 88 columns.
    formats(CHAPTER, &CHAPTER.replace(per_row, wrapped));
}

#[test]
fn spaces_stand_around_operators_and_after_commas() {
    formats(
        "y=f( a,b )*-x**-2+m . w [ 0 .. n-1 , ... ]\n",
        "y = f(a, b) * -x ** -2 + m.w[0..n - 1, ...]\n",
    );
    formats(
        "z = x [a .. b by -1, ..,1..]to  f32",
        "z = x[a..b by -1, .., 1..] to f32\n",
    );
    formats(
        "w = n|>map( (a,b)=>a-b )",
        "w = n |> map((a, b) => a - b)\n",
    );
    formats(
        "fn f( x:[n   D]f32,k:int=3,s = 2)->[ (2*n) ]:\n  return  - x",
        "fn f(x: [n D] f32, k: int = 3, s=2) -> [(2 * n)]:\n    return -x\n",
    );
    formats("x+=  1\nnot_=not x", "x += 1\nnot_ = not x\n");
    formats(
        "y = x to i64 Index [ n ]\nextern fn f(x)from \"m\"",
        "y = x to i64 Index[n]\nextern fn f(x) from \"m\"\n",
    );
    formats(
        "y = f\"{ x+1 }\" + \"a  b\"",
        "y = f\"{ x+1 }\" + \"a  b\"\n",
    );
}

#[test]
fn a_minus_behind_a_broken_bracket_is_an_operator() {
    formats(
        "around = roll(columns_of_it, 1, over=Width) + columns_of_it + roll(columns_of_it, -1, over=Width) - alive\n",
        "around = roll(columns_of_it, 1, over=Width) + columns_of_it + roll(\n    columns_of_it, -1, over=Width\n) - alive\n",
    );
}

#[test]
fn blocks_have_four_columns() {
    formats(
        "if a:\n  x = 1\n  if b:\n   y = 2\nelse :\n        z = 3\n",
        "if a:\n    x = 1\n    if b:\n        y = 2\nelse:\n    z = 3\n",
    );
}

#[test]
fn pipes_of_several_stages_have_a_stage_on_each_line() {
    formats("y = x |> f |> g(1)\n", "y = x\n    |> f\n    |> g(1)\n");
    formats("y = x\n  |> f\n", "y = x |> f\n");
    formats("y = 1 + (x |> f |> g)\n", "y = 1 + (x |> f |> g)\n");
    let long = "a_rather_long_name_of_an_input_tensor |> a_rather_long_function_name(with_an_argument, and_another)";
    formats(
        &format!("result = {long}\n"),
        "result = a_rather_long_name_of_an_input_tensor\n    |> a_rather_long_function_name(with_an_argument, and_another)\n",
    );
}

#[test]
fn long_argument_lists_are_wrapped() {
    let name = "a_rather_long_argument_one";
    formats(
        &format!("y = call({name}, {name}, {name})\n"),
        &format!("y = call(\n    {name}, {name}, {name}\n)\n"),
    );
    formats(
        &format!("y = call({name}, {name}, {name}, {name}) + 1\n"),
        &format!("y = call(\n    {name},\n    {name},\n    {name},\n    {name}\n) + 1\n"),
    );
    formats(
        &format!("fn f({name}: [n D], {name}_: [n D] f32) -> [n D] f32 = {name}\n"),
        &format!("fn f(\n    {name}: [n D], {name}_: [n D] f32\n) -> [n D] f32 = {name}\n"),
    );
}

#[test]
fn a_matrix_too_long_for_its_line_has_a_row_on_each() {
    let row = "[0.125, 0.25, 0.375, 0.5, 0.625]";
    formats(
        &format!("weights = [{row}, {row}, {row}] as [K D]"),
        &format!("weights = [\n    {row},\n    {row},\n    {row}\n] as [K D]\n"),
    );
    formats(
        &format!("f([{row}, {row}, {row}], 3)"),
        &format!("f(\n    [\n        {row},\n        {row},\n        {row}\n    ],\n    3\n)\n"),
    );
    formats("eye = [[1, 0],\n       [0, 1]]", "eye = [[1, 0], [0, 1]]\n");
}

#[test]
fn every_comment_is_kept_with_what_it_follows() {
    formats(
        "#a\n\n\n# b\nx = 1 #c\nif x:# d\n        # e\n    y = 2\n    # f\n# g\nz = 3\n   # h",
        "#a\n\n# b\nx = 1  #c\nif x:  # d\n    # e\n    y = 2\n    # f\n# g\nz = 3\n# h\n",
    );
    formats(
        "y = x # head\n   # why\n  |> f # first\n  |> g\n",
        "y = x  # head\n    # why\n    |> f  # first\n    |> g\n",
    );
    formats(
        "y = f(a, # one\n  # two\n  b # three\n  , c) # four\n",
        "y = f(\n    a,  # one\n    # two\n    b,  # three\n    c\n)  # four\n",
    );
    formats("y = a + # plus\n  b\n", "y = a +  # plus\n    b\n");
    formats("y = f( # open\n a)\n", "y = f(\n    # open\n    a\n)\n");
}

#[test]
fn blank_lines_are_kept_once_and_functions_stand_apart() {
    formats(
        "\n\nx = 1\n\n\n\ny = 2\nfn f(x):\n\n    return x\n# about g\nfn g(x):\n    return x\nz = 3\n",
        "x = 1\n\ny = 2\n\nfn f(x):\n    return x\n\n# about g\nfn g(x):\n    return x\n\nz = 3\n",
    );
    formats("fn f(x) = x\nfn g(x) = x\n", "fn f(x) = x\nfn g(x) = x\n");
}

#[test]
fn line_ends_and_marks_become_plain() {
    formats("\u{feff}x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n");
    formats("", "");
}

#[test]
fn a_text_with_errors_stays() {
    for text in ["x  =  (1", "y = a   b", "if x:\n\ty  = 1"] {
        assert!(!parse(text).diagnostics.is_empty());
        assert_eq!(format(text), text);
    }
}
