//! The strictest rule that allows each conversion.

use super::Casting;
use crate::descr::{Descr, Fields};
use crate::dtype::DType;
use crate::promote;

/// The strictest rule that allows the conversion; none if there is no conversion.
pub(super) fn strictest(from: &Descr, to: &Descr) -> Option<Casting> {
    let (a, b) = (from.dtype(), to.dtype());
    match (a, b) {
        (DType::Object, DType::Object) => Some(Casting::No),
        (_, DType::Object) => Some(Casting::Safe),
        (DType::Object, _) => Some(Casting::Unsafe),
        _ if from.sub().is_some() || to.sub().is_some() => subarrays(from, to),
        _ if from.fields().is_some() || to.fields().is_some() => structures(from, to),
        _ if a == b && from.size() == to.size() => Some(order(from, to)),
        (DType::Void, DType::Void) if from.size() > to.size() => Some(Casting::SameKind),
        (DType::User(_), DType::Void) | (DType::Void, DType::User(_)) => None,
        (_, DType::Void) if from.size() <= to.size() => Some(Casting::Safe),
        (_, DType::Void) | (DType::Void, _) => Some(Casting::Unsafe),
        (DType::User(_), _) => from.user()?.casts_to(b),
        (_, DType::User(_)) => to.user()?.casts_from(a),
        _ => Some(numbers(a, b)),
    }
}

fn order(from: &Descr, to: &Descr) -> Casting {
    if from.is_swapped() == to.is_swapped() {
        Casting::No
    } else {
        Casting::Equiv
    }
}

/// The rule for two numeric types that differ.
fn numbers(from: DType, to: DType) -> Casting {
    match (from, to) {
        _ if promote::numbers(from, to) == Some(to) => Casting::Safe,
        (_, DType::BF16) => Casting::SameKind,
        (DType::BF16, DType::F16) => Casting::Unsafe,
        _ if promote::kind(from) <= promote::kind(to) => Casting::SameKind,
        _ => Casting::Unsafe,
    }
}

fn subarrays(from: &Descr, to: &Descr) -> Option<Casting> {
    let (a, one) = from.sub().unwrap_or((from, &[]));
    let (b, two) = to.sub().unwrap_or((to, &[]));
    let rule = strictest(a, b)?;
    Some(if one == two { rule } else { Casting::Unsafe })
}

fn structures(from: &Descr, to: &Descr) -> Option<Casting> {
    match (from.fields(), to.fields()) {
        (Some(a), Some(b)) => fields((from, a), (to, b)),
        (None, Some(fields)) => {
            let each = |field: &crate::Field| strictest(from, field.descr());
            fields.iter().map(each).collect::<Option<Vec<_>>>()?;
            Some(Casting::Unsafe)
        }
        (Some(fields), None) => {
            let only = fields.iter().next().filter(|_| fields.len() == 1)?;
            if to.is_plain_void() {
                return None;
            }
            strictest(only.descr(), to).map(|_| Casting::Unsafe)
        }
        (None, None) => None,
    }
}

/// Fields go by place; another layout, other names and the fields' own conversions each ask for more.
fn fields((from, a): (&Descr, &Fields), (to, b): (&Descr, &Fields)) -> Option<Casting> {
    if a.len() != b.len() {
        return None;
    }
    let mut rule = Casting::No;
    if from.size() != to.size() {
        rule = Casting::Equiv;
    }
    for (one, two) in a.iter().zip(b.iter()) {
        rule = rule.max(strictest(one.descr(), two.descr())?);
        if one.offset() != two.offset() {
            rule = rule.max(Casting::Equiv);
        }
        if one.name() != two.name() {
            rule = rule.max(Casting::Safe);
        }
    }
    Some(rule)
}
