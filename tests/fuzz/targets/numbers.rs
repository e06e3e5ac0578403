//! Numbers as a caller may give them: mostly small, at times at the ends of their type.

use arbitrary::Unstructured;

/// An index, an axis, a count or a step.
pub fn whole(u: &mut Unstructured<'_>) -> arbitrary::Result<i64> {
    Ok(match u.int_in_range(0..=15)? {
        0 => u.arbitrary()?,
        1 => i64::MIN.wrapping_add(u.arbitrary::<i8>()?.into()),
        2 => (1_i64 << u.int_in_range(31..=33)?) + i64::from(u.arbitrary::<i8>()?),
        3..=6 => u.arbitrary::<i8>()?.into(),
        _ => u.int_in_range(-4..=4)?,
    })
}

/// Up to `most` numbers.
pub fn several(u: &mut Unstructured<'_>, most: usize) -> arbitrary::Result<Vec<i64>> {
    let count = u.int_in_range(0..=most)?;
    (0..count).map(|_| whole(u)).collect()
}
