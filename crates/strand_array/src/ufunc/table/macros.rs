//! Loops of one operation over a family of types.

/// One input, one output.
macro_rules! l1 {
    ($sig:expr, $a:ty => $r:ty, $widened:literal, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::unary::<$a, $r>(p, n, $f) },
            widened: $widened,
            fold: None,
        }
    };
}

/// One input, two outputs.
macro_rules! l1_two {
    ($sig:expr, $a:ty => $r:ty, $s:ty, $widened:literal, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::unary_two::<$a, $r, $s>(p, n, $f) },
            widened: $widened,
            fold: None,
        }
    };
}

/// Two inputs, one output.
macro_rules! l2 {
    ($sig:expr, $a:ty, $b:ty => $r:ty, $widened:literal, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::binary::<$a, $b, $r>(p, n, $f) },
            widened: $widened,
            fold: None,
        }
    };
}

/// Two inputs and an output of one type, with the running form.
macro_rules! l2_fold {
    ($sig:expr, $t:ty, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::binary::<$t, $t, $t>(p, n, $f) },
            widened: false,
            // SAFETY: as above.
            fold: Some(|acc, x, step, out, out_step, n| unsafe {
                $crate::ufunc::kernels::fold::<$t>(acc, x, step, out, out_step, n, $f)
            }),
        }
    };
}

/// Two inputs and an output of one type, with findings.
macro_rules! l2_found {
    ($sig:expr, $t:ty, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::binary_found::<$t, $t>(p, n, $f) },
            widened: false,
            fold: None,
        }
    };
}

/// One input, one output of the same type, with findings.
macro_rules! l1_found {
    ($sig:expr, $t:ty, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::unary_found::<$t, $t>(p, n, $f) },
            widened: false,
            fold: None,
        }
    };
}

/// Two inputs and two outputs of one type.
macro_rules! l2_two {
    ($sig:expr, $t:ty, $widened:literal, $f:expr) => {
        $crate::ufunc::table::Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::binary_two::<$t, $t>(p, n, $f) },
            widened: $widened,
            fold: None,
        }
    };
}

/// All integer types: `ints!(one f)`, `ints!(one_bool f)`, `ints!(two f)` and so on.
macro_rules! ints {
    ($form:ident $f:expr) => {
        &[
            ints!(@ $form "b" i8 $f),
            ints!(@ $form "B" u8 $f),
            ints!(@ $form "h" i16 $f),
            ints!(@ $form "H" u16 $f),
            ints!(@ $form "i" i32 $f),
            ints!(@ $form "I" u32 $f),
            ints!(@ $form "l" i64 $f),
            ints!(@ $form "L" u64 $f),
        ]
    };
    (@ one $c:literal $t:ident $f:expr) => { l1!(concat!($c, "->", $c), $t => $t, false, $f) };
    (@ one_bool $c:literal $t:ident $f:expr) => { l1!(concat!($c, "->?"), $t => Bool, false, $f) };
    (@ one_byte $c:literal $t:ident $f:expr) => { l1!(concat!($c, "->B"), $t => u8, false, $f) };
    (@ one_found $c:literal $t:ident $f:expr) => { l1_found!(concat!($c, "->", $c), $t, $f) };
    (@ two $c:literal $t:ident $f:expr) => { l2_fold!(concat!($c, $c, "->", $c), $t, $f) };
    (@ two_bool $c:literal $t:ident $f:expr) => { l2!(concat!($c, $c, "->?"), $t, $t => Bool, false, $f) };
    (@ two_found $c:literal $t:ident $f:expr) => { l2_found!(concat!($c, $c, "->", $c), $t, $f) };
    (@ two_two $c:literal $t:ident $f:expr) => { l2_two!(concat!($c, $c, "->", $c, $c), $t, false, $f) };
}

/// f16, bf16, f32, f64.
macro_rules! reals {
    ($form:ident $f:expr) => {
        &[
            reals!(@ $form "e" f32 true $f),
            reals!(@ $form "E" f32 true $f),
            reals!(@ $form "f" f32 false $f),
            reals!(@ $form "d" f64 false $f),
        ]
    };
    (@ one $c:literal $t:ident $w:literal $f:expr) => { l1!(concat!($c, "->", $c), $t => $t, $w, $f) };
    (@ one_bool $c:literal $t:ident $w:literal $f:expr) => { l1!(concat!($c, "->?"), $t => Bool, $w, $f) };
    (@ one_two $c:literal $t:ident $w:literal $f:expr) => { l1_two!(concat!($c, "->", $c, $c), $t => $t, $t, $w, $f) };
    (@ frexp $c:literal $t:ident $w:literal $f:expr) => { l1_two!(concat!($c, "->", $c, "i"), $t => $t, i32, $w, $f) };
    (@ two $c:literal $t:ident true $f:expr) => { l2!(concat!($c, $c, "->", $c), $t, $t => $t, true, $f) };
    (@ two $c:literal $t:ident false $f:expr) => { l2_fold!(concat!($c, $c, "->", $c), $t, $f) };
    (@ two_bool $c:literal $t:ident $w:literal $f:expr) => { l2!(concat!($c, $c, "->?"), $t, $t => Bool, $w, $f) };
    (@ two_two $c:literal $t:ident $w:literal $f:expr) => { l2_two!(concat!($c, $c, "->", $c, $c), $t, $w, $f) };
}

/// c64 and c128.
macro_rules! complexes {
    ($form:ident $f:expr) => {
        &[
            complexes!(@ $form "F" f32 "f" $f),
            complexes!(@ $form "D" f64 "d" $f),
        ]
    };
    (@ one $c:literal $t:ident $p:literal $f:expr) => { l1!(concat!($c, "->", $c), Complex<$t> => Complex<$t>, false, $f) };
    (@ one_part $c:literal $t:ident $p:literal $f:expr) => { l1!(concat!($c, "->", $p), Complex<$t> => $t, false, $f) };
    (@ one_bool $c:literal $t:ident $p:literal $f:expr) => { l1!(concat!($c, "->?"), Complex<$t> => Bool, false, $f) };
    (@ two $c:literal $t:ident $p:literal $f:expr) => { l2_fold!(concat!($c, $c, "->", $c), Complex<$t>, $f) };
    (@ two_bool $c:literal $t:ident $p:literal $f:expr) => { l2!(concat!($c, $c, "->?"), Complex<$t>, Complex<$t> => Bool, false, $f) };
}

/// bool.
macro_rules! bools {
    (one $f:expr) => { &[l1!("?->?", Bool => Bool, false, $f)] };
    (two $f:expr) => { &[l2_fold!("??->?", Bool, $f)] };
    (two_bool $f:expr) => { &[l2!("??->?", Bool, Bool => Bool, false, $f)] };
}

pub(super) use {
    bools, complexes, ints, l1, l1_found, l1_two, l2, l2_fold, l2_found, l2_two, reals,
};
