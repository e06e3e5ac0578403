//! The tree of right programs.

use super::{CHAPTER, tree};

#[test]
fn the_chapters_programs() {
    let expected = [
        "(dim D 8)",
        "(dim C 4)",
        "(fn scale_rows [x: <[n D]> w: <[n]>] -> <[n D]> (|> n (map (=> [i] (* (index x i) (index w i))))))",
        "(fn per_row [x: <[n D]> w: <[D C]>] -> <[n C]> (|> x (map (=> [row] (call softmax (@ row w) over=C)) over=n)))",
        "(fn gram [x: <[n D]>] -> <[n n]> (|> x (map (=> [a] (|> x (map (=> [b] (call sum (* a b))) over=n))) over=n)))",
        "(fn table [] -> <[3 D] f32> (|> 3 (map (=> [i] (|> D (map (=> [j] (to j <f32>))))))))",
        "(fn positive [x: <[n D]>] -> <[]> (|> x (map (=> [row] (call sum row)) over=n) (filter (=> [t] (> t 0.0))) sum))",
    ];
    assert_eq!(tree(CHAPTER), expected.join("\n"));
}
