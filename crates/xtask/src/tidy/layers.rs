//! The layering: which crate of the workspace uses which, held against the code map.
//!
//! Dev-dependencies are not layers: the tests of a lower crate may build their inputs with a higher one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Findings;
use super::code_map::{CODE_MAP, Table};
use crate::failure::{Failure, Outcome};

/// The crate whose whole closure goes to the browser.
const EDGE: &str = "strand_wasm";

/// Renderers and command lines, which must not weigh on a page.
const NOT_FOR_BROWSERS: [&str; 4] = ["annotate-snippets", "clap", "anstream", "proptest"];

/// What the crates of the workspace use, tests apart.
#[derive(Debug, Default)]
pub struct Graph {
    /// Members of the workspace with the members that they use.
    members: BTreeMap<String, BTreeSet<String>>,
    /// Everything that ends up in the engine, by package name.
    browser_closure: BTreeSet<String>,
}

impl Graph {
    /// Reads the output of `cargo metadata` with its resolved dependencies.
    pub fn from_metadata(metadata: &Value) -> Outcome<Graph> {
        let unreadable = || Failure::new("`cargo metadata` has no packages");
        let packages = metadata["packages"].as_array().ok_or_else(unreadable)?;
        let names: BTreeMap<&str, &str> = packages
            .iter()
            .filter_map(|package| Some((package["id"].as_str()?, package["name"].as_str()?)))
            .collect();
        let member_ids = metadata["workspace_members"]
            .as_array()
            .ok_or_else(unreadable)?;
        let uses = resolved_uses(metadata);
        let used = |id: &str| {
            uses.get(id)
                .into_iter()
                .flatten()
                .filter_map(|used| names.get(used))
        };
        let members: BTreeMap<String, BTreeSet<String>> = member_ids
            .iter()
            .filter_map(Value::as_str)
            .filter_map(|id| {
                Some((
                    names.get(id)?.to_string(),
                    used(id).map(ToString::to_string).collect(),
                ))
            })
            .collect();
        let edge = names
            .iter()
            .find(|(_, name)| **name == EDGE)
            .map(|(id, _)| *id);
        let browser_closure = edge.map(|id| closure(id, &uses)).unwrap_or_default();
        let browser_closure = browser_closure
            .iter()
            .filter_map(|id| names.get(id))
            .map(ToString::to_string)
            .collect();
        let mut graph = Graph {
            members,
            browser_closure,
        };
        graph.keep_members_only();
        Ok(graph)
    }

    #[cfg(test)]
    pub fn from_edges(crates: &[&str], edges: &[(&str, &str)]) -> Graph {
        let mut members: BTreeMap<String, BTreeSet<String>> = crates
            .iter()
            .map(|name| ((*name).to_owned(), BTreeSet::new()))
            .collect();
        for (user, used) in edges {
            members
                .entry((*user).to_owned())
                .or_default()
                .insert((*used).to_owned());
        }
        Graph {
            members,
            browser_closure: BTreeSet::new(),
        }
    }

    pub fn crates(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    fn keep_members_only(&mut self) {
        let names: BTreeSet<String> = self.members.keys().cloned().collect();
        for used in self.members.values_mut() {
            used.retain(|name| names.contains(name));
        }
    }
}

/// Package ids with the ids that they use in a build, tests and build scripts' tools apart.
fn resolved_uses(metadata: &Value) -> BTreeMap<&str, Vec<&str>> {
    let nodes = metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten();
    nodes
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .map(|(id, node)| (id, normal_uses(node)))
        .collect()
}

fn normal_uses(node: &Value) -> Vec<&str> {
    let not_for_tests = |dep: &&Value| {
        dep["dep_kinds"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|kind| kind["kind"].as_str() != Some("dev"))
    };
    let deps = node["deps"].as_array().into_iter().flatten();
    deps.filter(not_for_tests)
        .filter_map(|dep| dep["pkg"].as_str())
        .collect()
}

fn closure<'a>(start: &'a str, uses: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(id) = waiting.pop() {
        if reached.insert(id) {
            waiting.extend(uses.get(id).into_iter().flatten().copied());
        }
    }
    reached
}

/// Every edge between crates of the workspace stands in the code map.
pub fn check(graph: &Graph, code_map: &Table, findings: &mut Findings) {
    for (user, used) in &graph.members {
        // A crate that the map lacks is reported with the map.
        let Some(may_use) = code_map.may_use(user) else {
            continue;
        };
        for name in used.difference(may_use) {
            findings.error(format!(
                "`{user}` uses `{name}`: {CODE_MAP} doesn't allow that edge"
            ));
        }
    }
    for name in NOT_FOR_BROWSERS
        .iter()
        .filter(|name| graph.browser_closure.contains(**name))
    {
        findings.error(format!(
            "`{name}` is in the closure of `{EDGE}`: keep it out of the engine"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const MAP: &str = "| crate | its one job | may use |\n| --- | --- | --- |\n\
        | `strand_a` | first | — |\n| `strand_b` | second | a |\n| `strand_wasm` | edge | b |\n";

    fn errors(graph: &Graph) -> Vec<String> {
        let mut findings = Findings::default();
        check(graph, &Table::parse(CODE_MAP, MAP).unwrap(), &mut findings);
        findings.errors
    }

    fn metadata(kind: &Value) -> Value {
        json!({
            "packages": [
                {"id": "a 1", "name": "strand_a"}, {"id": "b 1", "name": "strand_b"},
                {"id": "w 1", "name": "strand_wasm"}, {"id": "s 1", "name": "annotate-snippets"},
            ],
            "workspace_members": ["a 1", "b 1", "w 1"],
            "resolve": {"nodes": [
                {"id": "w 1", "deps": [{"pkg": "b 1", "dep_kinds": [{"kind": null}]}]},
                {"id": "b 1", "deps": [{"pkg": "s 1", "dep_kinds": [{"kind": kind}]}]},
                {"id": "a 1", "deps": [{"pkg": "b 1", "dep_kinds": [{"kind": kind}]}]},
                {"id": "s 1", "deps": []},
            ]},
        })
    }

    #[test]
    fn an_edge_of_the_map_passes_and_its_reverse_does_not() {
        assert_eq!(
            errors(&Graph::from_edges(&[], &[("strand_b", "strand_a")])),
            Vec::<String>::new()
        );
        let errors = errors(&Graph::from_edges(&[], &[("strand_a", "strand_b")]));
        assert_eq!(
            errors,
            ["`strand_a` uses `strand_b`: crates/README.md doesn't allow that edge"]
        );
    }

    #[test]
    fn metadata_gives_edges_and_the_browsers_closure() {
        let errors = errors(&Graph::from_metadata(&metadata(&Value::Null)).unwrap());
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].starts_with("`strand_a` uses `strand_b`"));
        assert!(errors[1].starts_with("`annotate-snippets` is in the closure of `strand_wasm`"));
    }

    #[test]
    fn a_test_may_reach_anywhere() {
        assert_eq!(
            errors(&Graph::from_metadata(&metadata(&json!("dev"))).unwrap()),
            Vec::<String>::new()
        );
    }
}
