//! Descriptors: what an element is, down to its bytes.

mod fields;
mod functions;
mod names;
mod repr;
mod user;
mod view;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

pub use fields::{Field, Fields};
pub use functions::Functions;
pub use user::{UserType, register};

use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout;

/// How deep structured and subarray types may nest.
const MAX_DEPTH: usize = 64;

/// The full type of an array's elements: kind, size, byte order, fields; `np.dtype`.
#[derive(Clone)]
pub struct Descr {
    dtype: DType,
    size: usize,
    swapped: bool,
    extra: Option<Rc<Extra>>,
}

/// What only some types have.
enum Extra {
    /// Named parts of a `Void` element.
    Fields(Fields),
    /// An array within each element.
    Sub { base: Descr, shape: Vec<usize> },
    /// The functions of a registered type.
    User(Rc<dyn UserType>),
}

impl Descr {
    /// The descriptor of a kind with a fixed size, in the machine's byte order; of `Void`, items
    /// without bytes.
    #[must_use]
    pub const fn new(dtype: DType) -> Self {
        Self {
            dtype,
            size: dtype.size(),
            swapped: false,
            extra: None,
        }
    }

    /// `size` bytes without a meaning of their own; `np.dtype((np.void, size))`.
    #[must_use]
    pub const fn void(size: usize) -> Self {
        Self {
            dtype: DType::Void,
            size,
            swapped: false,
            extra: None,
        }
    }

    /// An array of `shape` in each element; `np.dtype((base, shape))`. Of rank 0 it is `base`.
    ///
    /// # Errors
    /// `TooLarge`, `RankTooHigh`; `BadDescr` if types nest more than 64 deep.
    pub fn subarray(base: Self, shape: &[usize]) -> Result<Self> {
        if shape.is_empty() {
            return Ok(base);
        }
        let size = layout::element_count(shape)?.checked_mul(base.size);
        let size = size.filter(|size| *size <= crate::MAX_BYTES);
        let size = size.ok_or(ArrayError::TooLarge { what: "an element" })?;
        let extra = Extra::Sub {
            base,
            shape: shape.to_vec(),
        };
        Self::with_extra(DType::Void, size, extra)
    }

    fn with_extra(dtype: DType, size: usize, extra: Extra) -> Result<Self> {
        let descr = Self {
            dtype,
            size,
            swapped: false,
            extra: Some(Rc::new(extra)),
        };
        if descr.depth() > MAX_DEPTH {
            return Err(ArrayError::BadDescr {
                why: "types nest more than 64 deep".into(),
            });
        }
        Ok(descr)
    }

    /// Levels of fields and subarrays; 0 for a plain type.
    fn depth(&self) -> usize {
        match self.extra.as_deref() {
            Some(Extra::Fields(fields)) => fields.depth(),
            Some(Extra::Sub { base, .. }) => base.depth().saturating_add(1),
            _ => 0,
        }
    }

    /// The kind of the elements.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Bytes per element; `dtype.itemsize`.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Whether the bytes of each number are in the order that isn't the machine's; of a structured
    /// type, see [`Self::is_native`].
    #[must_use]
    pub const fn is_swapped(&self) -> bool {
        self.swapped
    }

    /// Whether every number in an element is in the machine's byte order; `dtype.isnative`.
    #[must_use]
    pub fn is_native(&self) -> bool {
        match self.extra.as_deref() {
            Some(Extra::Fields(fields)) => fields.iter().all(|field| field.descr().is_native()),
            Some(Extra::Sub { base, .. }) => base.is_native(),
            _ => !self.swapped,
        }
    }

    /// The same type in the other byte order, fields included; `dtype.newbyteorder("S")`. One-byte
    /// types, plain void and objects have no order.
    #[must_use]
    pub fn swapped(self) -> Self {
        self.with_order(true)
    }

    /// The same type in the machine's byte order; `dtype.newbyteorder("=")`.
    #[must_use]
    pub fn native(self) -> Self {
        self.with_order(false)
    }

    /// Every number in the other byte order, or in the machine's.
    fn with_order(mut self, flip: bool) -> Self {
        let change = |descr: &Self| {
            let descr = descr.clone();
            descr.with_order(flip)
        };
        match self.extra.as_deref() {
            Some(Extra::Fields(fields)) => {
                self.extra = Some(Rc::new(Extra::Fields(fields.map(&change))));
            }
            Some(Extra::Sub { base, shape }) => {
                let (base, shape) = (change(base), shape.clone());
                self.extra = Some(Rc::new(Extra::Sub { base, shape }));
            }
            _ if matches!(self.dtype, DType::Void | DType::Object) || self.size < 2 => {}
            _ => self.swapped = flip && !self.swapped,
        }
        self
    }

    /// What addresses of elements are multiples of on the machine; `dtype.alignment`. Complex
    /// numbers lie as their parts do.
    #[must_use]
    pub fn alignment(&self) -> usize {
        match (self.dtype, self.extra.as_deref()) {
            (_, Some(Extra::Fields(fields))) => fields.alignment(),
            (_, Some(Extra::Sub { base, .. })) => base.alignment(),
            (_, Some(Extra::User(table))) => table.alignment().max(1),
            (DType::Void, None) => 1,
            (dtype, None) if dtype.is_complex() => self.size / 2,
            _ => self.size.max(1),
        }
    }

    /// Whether an element holds handles of host values.
    #[must_use]
    pub fn has_objects(&self) -> bool {
        match self.extra.as_deref() {
            Some(Extra::Fields(fields)) => fields.iter().any(|field| field.descr().has_objects()),
            Some(Extra::Sub { base, .. }) => base.has_objects(),
            _ => self.dtype == DType::Object,
        }
    }

    /// Where an element's handles of host values begin.
    pub(crate) fn object_offsets(&self) -> Vec<usize> {
        let mut offsets = vec![];
        self.add_object_offsets(0, &mut offsets);
        offsets
    }

    fn add_object_offsets(&self, start: usize, offsets: &mut Vec<usize>) {
        match self.extra.as_deref() {
            _ if !self.has_objects() => {}
            Some(Extra::Fields(fields)) => {
                for field in fields.iter() {
                    field
                        .descr()
                        .add_object_offsets(start.saturating_add(field.offset()), offsets);
                }
            }
            Some(Extra::Sub { base, .. }) if base.size > 0 => {
                let end = start.saturating_add(self.size);
                for at in (start..end).step_by(base.size) {
                    base.add_object_offsets(at, offsets);
                }
            }
            _ => offsets.push(start),
        }
    }

    /// The fields of a structured type.
    #[must_use]
    pub fn fields(&self) -> Option<&Fields> {
        match self.extra.as_deref() {
            Some(Extra::Fields(fields)) => Some(fields),
            _ => None,
        }
    }

    /// Element type and shape of a subarray type; `dtype.subdtype`.
    #[must_use]
    pub fn sub(&self) -> Option<(&Self, &[usize])> {
        match self.extra.as_deref() {
            Some(Extra::Sub { base, shape }) => Some((base, shape)),
            _ => None,
        }
    }

    /// The functions of a registered type.
    #[must_use]
    pub fn user(&self) -> Option<&Rc<dyn UserType>> {
        match self.extra.as_deref() {
            Some(Extra::User(table)) => Some(table),
            _ => None,
        }
    }

    /// Whether it is plain bytes: `Void` with neither fields nor a subarray.
    #[must_use]
    pub fn is_plain_void(&self) -> bool {
        self.dtype == DType::Void && self.extra.is_none()
    }

    /// The type that expressions are computed in, if elements can be read as it where they lie.
    pub(crate) fn wide(&self) -> Option<crate::dtype::Wide> {
        self.dtype.wide().filter(|_| !self.swapped)
    }
}

impl PartialEq for Descr {
    fn eq(&self, other: &Self) -> bool {
        let extra = match (self.extra.as_deref(), other.extra.as_deref()) {
            (Some(Extra::Fields(a)), Some(Extra::Fields(b))) => a == b,
            (Some(Extra::Sub { base, shape }), Some(Extra::Sub { base: b, shape: s })) => {
                base == b && shape == s
            }
            // A registered type is known by its number.
            (Some(Extra::User(_)), Some(Extra::User(_))) | (None, None) => true,
            _ => false,
        };
        extra
            && self.dtype == other.dtype
            && self.size == other.size
            && self.swapped == other.swapped
    }
}

impl Eq for Descr {}

impl Hash for Descr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.dtype, self.size, self.swapped).hash(state);
    }
}

impl From<DType> for Descr {
    fn from(dtype: DType) -> Self {
        Self::new(dtype)
    }
}

impl fmt::Display for Descr {
    /// `f32`, `void8`, `{x: f32, y: i64[3]}`, with `swapped` before a type in the other byte order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.swapped {
            f.write_str("swapped ")?;
        }
        match self.extra.as_deref() {
            Some(Extra::Fields(fields)) => fields.fmt(f),
            Some(Extra::Sub { base, shape }) => {
                base.fmt(f)?;
                fmt::Debug::fmt(shape, f)
            }
            Some(Extra::User(table)) => f.write_str(table.name()),
            None if self.dtype == DType::Void => write!(f, "void{}", self.size),
            None => f.write_str(self.dtype.name()),
        }
    }
}

impl fmt::Debug for Descr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
