//! Characters that look like others.

use strand_source::nfkc;

/// What a character that begins no token was probably meant to be: a token of ASCII.
pub(super) fn look_alike(character: char) -> Option<&'static str> {
    Some(match character {
        '×' | '⋅' | '·' | '∗' | '✕' | '•' => "*",
        '÷' | '∕' | '⁄' => "/",
        '−' | '–' | '—' | '‐' | '‑' | '‒' | '﹣' => "-",
        '≤' | '⩽' => "<=",
        '≥' | '⩾' => ">=",
        '≠' => "!=",
        '≈' | '≡' => "==",
        '→' | '⟶' => "->",
        '⇒' | '⟹' | '↦' => "=>",
        '←' | '≔' => "=",
        '…' => "...",
        '‥' => "..",
        '∧' => "and",
        '∨' => "or",
        '¬' => "not",
        '▷' | '⊳' | '▹' => "|>",
        '、' | '‚' => ",",
        '∶' | '꞉' => ":",
        '⟨' | '【' | '［' => "[",
        '⟩' | '】' | '］' => "]",
        '∞' | '√' => return None,
        _ => return folded(character),
    })
}

/// The ASCII character that compatibility folding gives: fullwidth forms and the like.
fn folded(character: char) -> Option<&'static str> {
    const ASCII: &str = "+-*/%@=<>!&|^~()[]{},:;.#\"'0123456789";
    let folded = nfkc(&character.to_string());
    let mut characters = folded.chars();
    let (only, rest) = (characters.next()?, characters.next());
    if rest.is_some() || only == character {
        return None;
    }
    let at = ASCII.find(only)?;
    ASCII.get(at..at + only.len_utf8())
}

/// Spaces other than the plain one.
pub(super) fn is_odd_space(character: char) -> bool {
    matches!(
        character,
        '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{b}'
    )
}

/// Characters that aren't seen.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Line ends other than `\n`: a bare carriage return and Unicode's separators.
pub(super) fn is_odd_line_end(character: char) -> bool {
    matches!(character, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Quotation marks of running text.
pub(super) fn is_curly_quote(character: char) -> bool {
    matches!(character, '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '＂')
}

/// How a character is named in a message: itself where it can be seen, else its number.
pub(super) fn spelled(character: char) -> String {
    if character.is_control()
        || is_odd_space(character)
        || is_invisible(character)
        || is_odd_line_end(character)
    {
        format!("U+{:04X}", character as u32)
    } else {
        format!("`{character}`")
    }
}
