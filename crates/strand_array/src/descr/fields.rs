//! Structured types: named fields at any offsets of an element.

use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use super::{Descr, Extra};
use crate::block::MAX_BYTES;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};

/// A named part of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    name: Rc<str>,
    descr: Descr,
    offset: usize,
}

impl Field {
    /// A field at a byte offset.
    #[must_use]
    pub fn new(name: &str, descr: Descr, offset: usize) -> Self {
        Self {
            name: name.into(),
            descr,
            offset,
        }
    }

    /// The field's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the part.
    #[must_use]
    pub fn descr(&self) -> &Descr {
        &self.descr
    }

    /// Where it begins, in bytes from the element.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes of an element that are its own.
    pub(crate) fn range(&self) -> Range<usize> {
        self.offset..self.offset.saturating_add(self.descr.size())
    }
}

/// The fields of a structured type, in order.
#[derive(Clone, Debug)]
pub struct Fields {
    list: Vec<Field>,
    aligned: bool,
}

impl PartialEq for Fields {
    /// How the layout came about doesn't count.
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for Fields {}

impl Fields {
    /// The fields, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.list.iter()
    }

    /// The number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The field of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Field> {
        self.iter().find(|field| field.name() == name)
    }

    /// Whether it was laid out on the grid of its fields; `dtype.isalignedstruct`.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    pub(super) fn depth(&self) -> usize {
        let deepest = self.iter().map(|field| field.descr.depth()).max();
        deepest.unwrap_or(0).saturating_add(1)
    }

    /// What elements' addresses are multiples of; 1 unless the type was made aligned.
    pub(super) fn alignment(&self) -> usize {
        if !self.aligned {
            return 1;
        }
        let most = self.iter().map(|field| field.descr.alignment()).max();
        most.unwrap_or(1)
    }

    pub(super) fn map(&self, change: &dyn Fn(&Descr) -> Descr) -> Self {
        let field = |field: &Field| Field {
            name: Rc::clone(&field.name),
            descr: change(&field.descr),
            offset: field.offset,
        };
        Self {
            list: self.iter().map(field).collect(),
            aligned: self.aligned,
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, field) in self.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{}: {}", field.name, field.descr)?;
        }
        f.write_str("}")
    }
}

impl Descr {
    /// Fields one after the other, without gaps; `np.dtype([(name, type), …])`.
    ///
    /// # Errors
    /// `BadDescr` if a name comes twice; `TooLarge`.
    pub fn structured(fields: &[(&str, Self)]) -> Result<Self> {
        Self::laid_out(fields, false)
    }

    /// Fields one after the other, each on its grid; `np.dtype(…, align=True)`.
    ///
    /// # Errors
    /// As for [`Self::structured`].
    pub fn aligned(fields: &[(&str, Self)]) -> Result<Self> {
        Self::laid_out(fields, true)
    }

    fn laid_out(fields: &[(&str, Self)], aligned: bool) -> Result<Self> {
        let (mut at, mut list) = (0_usize, Vec::with_capacity(fields.len()));
        for (name, descr) in fields {
            if aligned {
                at = at.next_multiple_of(descr.alignment());
            }
            list.push(Field::new(name, descr.clone(), at));
            at = at
                .checked_add(descr.size())
                .filter(|end| *end <= MAX_BYTES)
                .ok_or(ArrayError::TooLarge { what: "an element" })?;
        }
        let fields = Fields { list, aligned };
        if aligned {
            at = at.next_multiple_of(fields.alignment());
        }
        named_once(&fields)?;
        Self::with_extra(DType::Void, at, Extra::Fields(fields))
    }

    /// Fields at any offsets, overlapping or with gaps, in elements of `size` bytes;
    /// `np.dtype({"names": …, "formats": …, "offsets": …, "itemsize": …})`.
    ///
    /// # Errors
    /// `BadDescr` if a field reaches past the element or a name comes twice, or fields with host
    /// values overlap others; `TooLarge`.
    pub fn with_fields(fields: Vec<Field>, size: usize) -> Result<Self> {
        Self::placed(fields, size, false)
    }

    fn placed(fields: Vec<Field>, size: usize, aligned: bool) -> Result<Self> {
        if size > MAX_BYTES {
            return Err(ArrayError::TooLarge { what: "an element" });
        }
        for field in &fields {
            let end = field.offset.checked_add(field.descr.size());
            if end.is_none_or(|end| end > size) {
                return Err(bad(format!(
                    "field {} ends past the element's {size} bytes",
                    field.name
                )));
            }
        }
        let fields = Fields {
            list: fields,
            aligned,
        };
        named_once(&fields)?;
        objects_apart(&fields)?;
        Self::with_extra(DType::Void, size, Extra::Fields(fields))
    }

    /// The type with some of the fields where they are; what `array[["a", "b"]]` has.
    ///
    /// # Errors
    /// `NoSuchField`; `BadDescr` if a name comes twice.
    pub fn choose(&self, names: &[&str]) -> Result<Self> {
        let pick = |name: &&str| {
            let field = self.fields().and_then(|fields| fields.named(name));
            field.cloned().ok_or_else(|| ArrayError::NoSuchField {
                name: (*name).into(),
            })
        };
        let list = names.iter().map(pick).collect::<Result<Vec<_>>>()?;
        let aligned = self.fields().is_some_and(Fields::is_aligned);
        Self::placed(list, self.size(), aligned)
    }
}

fn bad(why: String) -> ArrayError {
    ArrayError::BadDescr { why }
}

fn named_once(fields: &Fields) -> Result<()> {
    let mut names: Vec<&str> = fields.iter().map(Field::name).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [one, two] = pair
            && one == two
        {
            return Err(bad(format!("field {one} comes twice")));
        }
    }
    Ok(())
}

/// A handle must not be overwritten by way of another field.
fn objects_apart(fields: &Fields) -> Result<()> {
    for (i, a) in fields.iter().enumerate() {
        for (j, b) in fields.iter().enumerate() {
            let apart = a.range().end <= b.offset || b.range().end <= a.offset;
            if i != j && !apart && a.descr.has_objects() {
                return Err(bad(format!(
                    "field {} overlaps the objects of {}",
                    b.name, a.name
                )));
            }
        }
    }
    Ok(())
}
