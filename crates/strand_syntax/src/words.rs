//! The words that an editor highlights and the names that types are made of.

/// The words of the language, for highlighting and completion.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Never names.
    pub keywords: &'static [&'static str],
    /// Words only where the grammar asks for them.
    pub contextual: &'static [&'static str],
    /// Element types.
    pub dtypes: &'static [&'static str],
    /// What refines a dtype by its values.
    pub domains: &'static [&'static str],
    /// Types of host values.
    pub host_types: &'static [&'static str],
}

const WORDS: Words = Words {
    keywords: &[
        "dim", "fn", "return", "for", "while", "break", "continue", "pass", "in", "if", "elif",
        "else", "and", "or", "not", "to", "as", "assert", "true", "false", "newaxis",
    ],
    contextual: &[
        "import", "python", "extern", "export", "workers", "model", "dataset", "split", "sink",
        "with", "train", "eval", "mut", "from", "over", "by", "pad",
    ],
    dtypes: DTYPES,
    domains: DOMAINS,
    host_types: &["int", "float", "bool", "str", "py"],
};

pub(crate) const DTYPES: &[&str] = &[
    "bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
];
pub(crate) const DOMAINS: &[&str] = &["Index", "Prob", "Positive", "NonNegative", "Finite"];

/// Functions whose first argument is a type, so that `[` opens a shape there.
pub const SHAPE_FIRST: &[&str] = &[
    "zeros", "ones", "full", "normal", "uniform", "randint", "load",
];

/// The words of the language.
pub fn words() -> Words {
    WORDS
}

/// What Strand calls a dtype that PyTorch, NumPy or Python calls otherwise: `float32` is `f32`.
pub fn dtype_alias(name: &str) -> Option<&'static str> {
    Some(match name {
        "float32" | "float" | "single" | "Float" => "f32",
        "float64" | "float_" | "double" | "Double" => "f64",
        "float16" | "half" => "f16",
        "bfloat16" => "bf16",
        "int64" | "long" | "int" | "Long" | "intp" => "i64",
        "int32" => "i32",
        "int16" | "short" => "i16",
        "int8" => "i8",
        "uint8" | "byte" => "u8",
        "boolean" | "bool_" | "Bool" => "bool",
        _ => return None,
    })
}

/// The same of a name in a module: `torch.int` has 32 bits and `numpy.float` 64.
pub fn module_dtype(module: &str, name: &str) -> Option<&'static str> {
    match (module, name) {
        ("torch", "int") => Some("i32"),
        ("np" | "numpy", "float") => Some("f64"),
        _ => dtype_alias(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::KEYWORDS;

    #[test]
    fn the_highlighted_keywords_are_the_lexers() {
        let lexed: Vec<&str> = KEYWORDS.iter().map(|(word, _)| *word).collect();
        assert_eq!(words().keywords, lexed);
    }
}
