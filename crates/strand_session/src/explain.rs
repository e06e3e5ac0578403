//! What each code means.

use strand_source::Code;

macro_rules! pages {
    ($($code:ident)*) => {
        /// The page of a code as Markdown: what it means, a program that gives it, the mended
        /// program. `None` for a code that nothing gives yet.
        fn page(code: Code) -> Option<&'static str> {
            match code {
                $(Code::$code => Some(include_str!(concat!("../pages/", stringify!($code), ".md"))),)*
                _ => None,
            }
        }
    };
}

pages! {}

/// The page of a code that is written in either case; `None` where there is no such code.
pub fn explain(code: &str) -> Option<String> {
    let code = Code::parse(code)?;
    let title = format!("# {code} {}\n", code.title());
    Some(page(code).map_or(title, str::to_owned))
}

/// Every code with what it is about.
pub fn codes() -> Vec<(&'static str, &'static str)> {
    Code::ALL
        .iter()
        .map(|code| (code.as_str(), code.title()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_starts_with_its_code_and_title() {
        for (code, title) in codes() {
            let page = explain(&code.to_lowercase()).unwrap();
            assert!(page.starts_with(&format!("# {code} {title}\n")), "{code}");
        }
        assert_eq!(explain("E9999"), None);
    }
}
