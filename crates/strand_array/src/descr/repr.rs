//! Types as NumPy writes them.

use super::{Descr, Fields};
use crate::dtype::DType;
use crate::print::{quoted, tuple};

impl Descr {
    /// The type as it stands in an array's `repr`: `float32`, `'>i4'`, a list of fields.
    pub(crate) fn short_repr(&self) -> String {
        match self.dtype() {
            _ if self.fields().is_some() => self.repr(),
            DType::Void => format!("'{}'", self.code()),
            _ if self.is_swapped() => format!("'{}'", self.code()),
            _ => self.long_name(),
        }
    }

    /// The type as `str(dtype)` writes it.
    #[must_use]
    pub fn repr(&self) -> String {
        match self.fields() {
            Some(fields) => self.fields_repr(fields, true),
            None => self.part_repr(),
        }
    }

    fn fields_repr(&self, fields: &Fields, align: bool) -> String {
        if !(align && fields.is_aligned()) && self.is_packed(fields) {
            let field = |field: &crate::Field| {
                let (name, descr) = (quoted(field.name()), field.descr());
                match descr.sub() {
                    Some((base, shape)) => {
                        format!("({name}, {}, {})", base.part_repr(), tuple(shape))
                    }
                    None => format!("({name}, {})", descr.part_repr()),
                }
            };
            let texts: Vec<String> = fields.iter().map(field).collect();
            return format!("[{}]", texts.join(", "));
        }
        let join = |texts: Vec<String>| format!("[{}]", texts.join(", "));
        let names = fields.iter().map(|field| quoted(field.name()));
        let formats = fields.iter().map(|field| match field.descr().sub() {
            Some((base, shape)) => format!("({}, {})", base.part_repr(), tuple(shape)),
            None => field.descr().part_repr(),
        });
        let offsets = fields.iter().map(|field| field.offset().to_string());
        let aligned = if align && fields.is_aligned() {
            ", 'aligned': True"
        } else {
            ""
        };
        format!(
            "{{'names': {}, 'formats': {}, 'offsets': {}, 'itemsize': {}{aligned}}}",
            join(names.collect()),
            join(formats.collect()),
            join(offsets.collect()),
            self.size()
        )
    }

    /// Whether the fields follow each other without gaps, or only those of an aligned layout.
    fn is_packed(&self, fields: &Fields) -> bool {
        let (mut at, mut most) = (0_usize, 1);
        for field in fields.iter() {
            if fields.is_aligned() {
                at = at.next_multiple_of(field.descr().alignment());
                most = most.max(field.descr().alignment());
            }
            if field.offset() != at {
                return false;
            }
            at = field.range().end;
        }
        at.next_multiple_of(most) == self.size()
    }

    /// The type of a part: `'<f4'`, `'?'`, `'i1'`, `'V4'`, or fields.
    fn part_repr(&self) -> String {
        if let Some(fields) = self.fields() {
            return self.fields_repr(fields, false);
        }
        match self.dtype() {
            DType::Bool => "'?'".into(),
            _ => format!("'{}'", self.code().trim_start_matches('|')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_are_quoted_as_numpy_does() {
        let packed = Descr::structured(&[("it's\n", DType::I32.into())]).unwrap();
        assert_eq!(packed.repr(), r#"[("it's\n", '<i4')]"#);
    }
}
