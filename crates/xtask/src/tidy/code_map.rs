//! The crate tables of README.md and crates/README.md: the one place that says what a crate is and what it may use.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use super::layers::Graph;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Workspace};

/// The table with the third column, from which the layering is checked.
pub const CODE_MAP: &str = "crates/README.md";

pub const README: &str = "README.md";

/// A crate table: `| crate | its one job | may use |`, the last column only in the code map.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    file: &'static str,
    /// By crate; what it may use, in the table's order.
    rows: BTreeMap<String, Row>,
}

#[derive(Debug, PartialEq, Eq)]
struct Row {
    job: String,
    may_use: BTreeSet<String>,
}

impl Table {
    pub fn read(workspace: &Workspace, file: &'static str) -> Outcome<Table> {
        Table::parse(file, &workspace::read(&workspace.root.join(file))?)
    }

    pub fn parse(file: &'static str, text: &str) -> Outcome<Table> {
        let lines = text
            .lines()
            .skip_while(|line| !line.starts_with("| crate |"))
            .skip(2);
        let rows: BTreeMap<String, Row> = lines
            .take_while(|line| line.starts_with('|'))
            .map(|line| parse_row(file, line))
            .collect::<Outcome<_>>()?;
        if rows.is_empty() {
            return Err(Failure::new(format!(
                "{file} has no table that begins with `| crate |`"
            )));
        }
        Ok(Table { file, rows })
    }

    /// What a crate may use; nothing is known of a crate that isn't in the table.
    pub fn may_use(&self, name: &str) -> Option<&BTreeSet<String>> {
        self.rows.get(name).map(|row| &row.may_use)
    }
}

/// `strand_` is left out in the last column.
fn parse_row(file: &str, line: &str) -> Outcome<(String, Row)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let (Some(name), Some(job)) = (cells.first(), cells.get(1)) else {
        return Err(Failure::new(format!(
            "{file}: a row of the crate table lacks a cell: {line}"
        )));
    };
    let may_use = cells
        .get(2)
        .copied()
        .unwrap_or_default()
        .split(',')
        .map(str::trim);
    let may_use = may_use
        .filter(|part| !matches!(*part, "" | "—"))
        .map(|part| format!("strand_{part}"));
    let row = Row {
        job: (*job).to_owned(),
        may_use: may_use.collect(),
    };
    Ok((name.trim_matches('`').to_owned(), row))
}

/// Both tables name exactly the workspace's crates, and say the same of each.
pub fn check(code_map: &Table, readme: &Table, graph: &Graph, findings: &mut Findings) {
    for table in [code_map, readme] {
        for name in graph
            .crates()
            .filter(|name| !table.rows.contains_key(*name))
        {
            findings.error(format!("{}: the crate table lacks `{name}`", table.file));
        }
        for name in table.rows.keys().filter(|name| !graph.has(name)) {
            findings.error(format!(
                "{}: the crate table has `{name}`, which isn't in crates/",
                table.file
            ));
        }
    }
    for (name, row) in &code_map.rows {
        if readme
            .rows
            .get(name)
            .is_some_and(|other| other.job != row.job)
        {
            findings.error(format!(
                "`{name}` does one job in {} and another in {}",
                code_map.file, readme.file
            ));
        }
        for used in row.may_use.iter().filter(|used| !graph.has(used)) {
            findings.error(format!(
                "{}: `{name}` may use `{used}`, which isn't in crates/",
                code_map.file
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "# Map\n\n| crate | its one job | may use |\n| --- | --- | --- |\n\
        | `strand_a` | first | — |\n| `strand_b` | **second** | a |\n\nAfter.\n| not | a | row |\n";

    fn graph(names: &[&str]) -> Graph {
        Graph::from_edges(names, &[])
    }

    fn errors(readme: &str, names: &[&str]) -> Vec<String> {
        let mut findings = Findings::default();
        let readme = Table::parse(README, readme).unwrap();
        check(
            &Table::parse(CODE_MAP, MAP).unwrap(),
            &readme,
            &graph(names),
            &mut findings,
        );
        findings.errors
    }

    #[test]
    fn a_table_is_read_to_its_end() {
        let table = Table::parse(CODE_MAP, MAP).unwrap();
        assert_eq!(
            table.rows.keys().collect::<Vec<_>>(),
            ["strand_a", "strand_b"]
        );
        assert_eq!(table.may_use("strand_a").unwrap().len(), 0);
        assert!(table.may_use("strand_b").unwrap().contains("strand_a"));
        assert!(Table::parse(CODE_MAP, "no table").is_err());
    }

    #[test]
    fn equal_tables_of_the_right_crates_pass() {
        let readme = "| crate | its one job |\n| --- | --- |\n| `strand_b` | **second** |\n| `strand_a` | first |\n";
        assert_eq!(
            errors(readme, &["strand_a", "strand_b"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_missing_crate_a_stray_crate_and_another_job_are_found() {
        let readme = "| crate | its one job |\n| --- | --- |\n| `strand_a` | other |\n| `strand_z` | last |\n";
        let errors = errors(readme, &["strand_a", "strand_b", "strand_c"]);
        let expect = |part: &str| {
            assert!(
                errors.iter().any(|error| error.contains(part)),
                "{part}: {errors:?}"
            )
        };
        expect("crates/README.md: the crate table lacks `strand_c`");
        expect("README.md: the crate table lacks `strand_b`");
        expect("`strand_z`, which isn't in crates/");
        expect("`strand_a` does one job");
    }
}
