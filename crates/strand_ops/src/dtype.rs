//! Element types.

use std::fmt;

/// The element type of a tensor, under Strand's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    U8,
    I8,
    I16,
    I32,
    I64,
    F16,
    BF16,
    F32,
    F64,
}

impl DType {
    /// Every dtype, in order of kind and width.
    pub const ALL: &[Self] = &[
        Self::Bool,
        Self::U8,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
    ];

    /// The name in Strand: `f32`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The name in PyTorch: `torch.float32`.
    pub fn torch(self) -> &'static str {
        match self {
            Self::Bool => "torch.bool",
            Self::U8 => "torch.uint8",
            Self::I8 => "torch.int8",
            Self::I16 => "torch.int16",
            Self::I32 => "torch.int32",
            Self::I64 => "torch.int64",
            Self::F16 => "torch.float16",
            Self::BF16 => "torch.bfloat16",
            Self::F32 => "torch.float32",
            Self::F64 => "torch.float64",
        }
    }

    /// The dtype of a Strand name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|dtype| dtype.as_str() == name)
    }

    /// f16, bf16, f32, f64.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// The whole-number dtypes, without bool.
    pub fn is_int(self) -> bool {
        matches!(
            self,
            Self::U8 | Self::I8 | Self::I16 | Self::I32 | Self::I64
        )
    }

    /// The values of a whole-number dtype, both ends included; `None` for bool and floats.
    pub fn int_range(self) -> Option<(i64, i64)> {
        let signed = |bits: u32| (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
        match self {
            Self::U8 => Some((0, 255)),
            Self::I8 => Some(signed(8)),
            Self::I16 => Some(signed(16)),
            Self::I32 => Some(signed(32)),
            Self::I64 => Some(signed(64)),
            _ => None,
        }
    }

    /// The size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::I16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
