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

pages! {
    E0101 E0102 E0103 E0104 E0105 E0106 E0107
    E0201 E0202 E0203
    E0301 E0302 E0303 E0304 E0305 E0306
    E0401 E0405 E0406 E0407
    E0501 E0502 E0503 E0504 E0505 E0506 E0507 E0508 E0509 E0510 E0511 E0512 E0513 E0514
    E0601 E0602 E0603 E0604 E0605
    E0701 E0702 E0703 E0704 E0705 E0706 E0707 E0708
    E0801 E0802 E0803 E0804
    E0901 E0902 E0903
    E2201
    E2401 E2402 E2403 E2405
    E3101
    E3201 E3202 E3203 E3204 E3205 E3206
    H0501
    H2401
    H2402
    W0501 W0502
    R01 R02 R03 R04 R05 R07
}

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

    /// Codes that no program gives yet, each with the part of the language that will.
    const RESERVED: [(Code, &str); 3] = [
        (Code::E2404, "values split across devices"),
        (Code::E3102, "a module that the host page refuses"),
        (Code::R06, "an error state for infinities and NaN"),
    ];

    #[test]
    fn a_code_has_a_page_or_is_reserved() {
        for code in Code::ALL.iter().copied() {
            let reserved = RESERVED.iter().find(|(reserved, _)| *reserved == code);
            match (page(code), reserved) {
                (Some(_), None) | (None, Some(_)) => {}
                (Some(_), Some((_, reason))) => panic!("{code} has a page: {reason} is there"),
                (None, None) => panic!("{code} has no page and no reason for that"),
            }
        }
    }

    /// The programs of a page, in order.
    fn programs(page: &str) -> Vec<&str> {
        let fences = page.split("```strand\n").skip(1);
        fences.filter_map(|text| text.split("```").next()).collect()
    }

    fn codes_of(program: &str) -> Vec<Code> {
        let document = crate::Document::new(program);
        document.diagnostics().iter().map(|d| d.code).collect()
    }

    #[test]
    fn a_page_has_programs_that_give_its_code_each_with_a_mended_one() {
        for code in Code::ALL.iter().copied() {
            let Some(page) = page(code) else { continue };
            let given: Vec<_> = programs(page).into_iter().map(codes_of).collect();
            assert!(given.len() >= 2, "{code}");
            let only_while_running = code.as_str().starts_with('R');
            assert_eq!(given[0].is_empty(), only_while_running, "{code}");
            for (at, codes) in given.iter().enumerate() {
                assert!(
                    codes.is_empty() || *codes == [code],
                    "{code} #{}: {codes:?}",
                    at + 1
                );
                let mended = codes.is_empty() || given.get(at + 1).is_some_and(Vec::is_empty);
                assert!(mended, "{code} #{} has no mended program", at + 1);
            }
        }
    }
}
