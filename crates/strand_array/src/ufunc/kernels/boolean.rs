//! Operations on truth values: bytes that are read as `!= 0`.

/// A bool element as it lies in memory: any byte, where all but 0 are true.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::ufunc) struct Bool(u8);

impl Bool {
    #[inline(always)]
    pub(in crate::ufunc) fn get(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Bool {
    #[inline(always)]
    fn from(value: bool) -> Self {
        Self(u8::from(value))
    }
}

impl PartialEq for Bool {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl PartialOrd for Bool {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

#[inline(always)]
pub(in crate::ufunc) fn and(a: Bool, b: Bool) -> Bool {
    (a.get() & b.get()).into()
}

#[inline(always)]
pub(in crate::ufunc) fn or(a: Bool, b: Bool) -> Bool {
    (a.get() | b.get()).into()
}

#[inline(always)]
pub(in crate::ufunc) fn xor(a: Bool, b: Bool) -> Bool {
    (a.get() ^ b.get()).into()
}

#[inline(always)]
pub(in crate::ufunc) fn not(a: Bool) -> Bool {
    (!a.get()).into()
}

/// `0` or `1`, for a bool that is copied.
#[inline(always)]
pub(in crate::ufunc) fn tidy(a: Bool) -> Bool {
    a.get().into()
}
