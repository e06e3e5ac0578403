//! The nearest name, and look-alike letters.

/// The known name that differs least from `name`, where it differs by a slip: a letter more, less,
/// another or two swapped, in a short name, a little more in a long one.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let letters: Vec<char> = name.chars().collect();
    let allowed = match letters.len() {
        0 | 1 => return known_by_case(name, known),
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        if candidate.len() > name.len() + 3 * 4 || candidate == name {
            continue;
        }
        let distance = if candidate.eq_ignore_ascii_case(name) {
            0
        } else {
            distance(&letters, &candidate.chars().collect::<Vec<_>>())
        };
        let longest = letters.len().max(candidate.chars().count());
        if distance > allowed || distance >= longest.saturating_sub(1).max(1) {
            continue;
        }
        if best.is_none_or(|(least, held)| (distance, candidate) < (least, held)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn known_by_case<'n>(name: &str, mut known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    known.find(|candidate| *candidate != name && candidate.eq_ignore_ascii_case(name))
}

/// The least number of letters to insert, delete, replace or swap with a neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// A name that only looks like a known one.
pub(crate) struct LookAlike {
    /// The known name.
    pub(crate) name: String,
    /// Which letter is of which script.
    pub(crate) sentence: String,
}

/// The known name that `name` looks like, where letters of another script are in it.
pub(crate) fn look_alike(name: &str, known: impl Fn(&str) -> bool) -> Option<LookAlike> {
    if name.is_ascii() {
        // The other way round: Latin letters in a name that was declared in another script.
        let twin: String = name.chars().map(|c| cyrillic(c).unwrap_or(c)).collect();
        return pair(name, twin, &known);
    }
    let twin: String = name.chars().map(|c| latin(c).unwrap_or(c)).collect();
    pair(name, twin, &known)
}

fn pair(name: &str, twin: String, known: &impl Fn(&str) -> bool) -> Option<LookAlike> {
    if twin == name || !known(&twin) {
        return None;
    }
    let (wrong, right) = name.chars().zip(twin.chars()).find(|(a, b)| a != b)?;
    let sentence = format!(
        "The letter `{wrong}` is {} U+{:04X}; `{right}` in `{twin}` is {} U+{:04X}.",
        script(wrong),
        wrong as u32,
        script(right),
        right as u32,
    );
    Some(LookAlike {
        name: twin,
        sentence,
    })
}

fn script(letter: char) -> &'static str {
    match letter as u32 {
        0..=0x24F => "Latin",
        0x370..=0x3FF => "Greek",
        0x400..=0x52F => "Cyrillic",
        _ => "another letter,",
    }
}

const CYRILLIC: &[(char, char)] = &[
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ѕ', 's'),
    ('һ', 'h'),
    ('ԁ', 'd'),
    ('ԛ', 'q'),
    ('ԝ', 'w'),
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('У', 'Y'),
];
const GREEK: &[(char, char)] = &[
    ('ο', 'o'),
    ('ν', 'v'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
];

fn latin(letter: char) -> Option<char> {
    let mut pairs = CYRILLIC.iter().chain(GREEK);
    pairs.find(|(other, _)| *other == letter).map(|(_, l)| *l)
}

fn cyrillic(letter: char) -> Option<char> {
    CYRILLIC
        .iter()
        .find(|(_, l)| *l == letter)
        .map(|(other, _)| *other)
}

/// A piece of the text as an operand of anything: in parentheses unless it is a name, a number, a
/// call or in brackets already.
pub(crate) fn grouped(text: &str) -> String {
    let mut depth = 0i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '"' => return format!("({text})"),
            _ if depth > 0 => {}
            ' ' | '\n' | '+' | '*' | '/' | '%' | '@' | '<' | '>' | '=' | '!' | '|' => {
                return format!("({text})");
            }
            '-' if at == 0 => return format!("({text})"),
            // The sign of an exponent belongs to its number.
            '-' if !text[..at].ends_with(['e', 'E']) => return format!("({text})"),
            _ => {}
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let known = ["scale", "softmax", "sum", "n", "D"];
        let near = |name| nearest(name, known.into_iter());
        assert_eq!(near("scael"), Some("scale"));
        assert_eq!(near("softmx"), Some("softmax"));
        assert_eq!(near("Sum"), Some("sum"));
        assert_eq!(near("N"), Some("n"));
        assert_eq!(near("m"), None);
        assert_eq!(near("rows"), None);
    }

    #[test]
    fn only_what_needs_parentheses_gets_them() {
        for text in ["x", "x[i, 1..3]", "f(a + b)", "(a + b)", "1e-3", "m.w"] {
            assert_eq!(grouped(text), text);
        }
        for text in ["a + b", "-x", "x to f32", "x |> f", "a-b"] {
            assert_eq!(grouped(text), format!("({text})"));
        }
    }

    #[test]
    fn look_alike_letters_are_named_both_ways() {
        let twin = look_alike("х", |known| known == "x").unwrap();
        assert_eq!(twin.name, "x");
        assert!(twin.sentence.contains("Cyrillic U+0445") && twin.sentence.contains("Latin"));
        assert!(look_alike("y", |known| known == "у").is_some());
        assert!(look_alike("x", |known| known == "x").is_none());
    }
}
