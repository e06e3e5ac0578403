//! Moving items between layouts, by item size: strides and byte order, no values.

/// Loads, maybe reverses and stores `n` items of one Rust type.
///
/// # Safety
/// As for [`move_items`], with `size` the size of `T`.
#[inline(always)]
unsafe fn each<T: Copy>(
    (src, from): (*const u8, isize),
    (dst, to): (*mut u8, isize),
    n: usize,
    f: impl Fn(T) -> T,
) {
    for i in 0..n as isize {
        // SAFETY: item `i` of either side lies within what the caller vouches for.
        unsafe {
            let value = src.offset(i * from).cast::<T>().read_unaligned();
            dst.offset(i * to).cast::<T>().write_unaligned(f(value));
        }
    }
}

/// Moves `n` items of `size` bytes. If `unit` isn't 0, each run of `unit` bytes in an item is
/// reversed.
///
/// # Safety
/// `src + i * from` is readable and `dst + i * to` writable for `size` bytes, for every `i` below
/// `n`. Items of the two sides are the same bytes or apart, and a destination item is no source
/// item that comes later.
pub(crate) unsafe fn move_items(
    src: (*const u8, isize),
    dst: (*mut u8, isize),
    n: usize,
    size: usize,
    unit: usize,
) {
    let contiguous = src.1 == size as isize && dst.1 == size as isize;
    // SAFETY: each call gives the item size that the caller vouches for; a contiguous move covers
    // the same bytes in one piece, and `copy` allows them to be the same.
    unsafe {
        match (size, unit) {
            (_, 0 | 1) if contiguous => src.0.copy_to(dst.0, n * size),
            (1, _) => each::<u8>(src, dst, n, |v| v),
            (2, 0) => each::<u16>(src, dst, n, |v| v),
            (4, 0) => each::<u32>(src, dst, n, |v| v),
            (8, 0) => each::<u64>(src, dst, n, |v| v),
            (16, 0) => each::<u128>(src, dst, n, |v| v),
            (2, 2) => each::<u16>(src, dst, n, u16::swap_bytes),
            (4, 4) => each::<u32>(src, dst, n, u32::swap_bytes),
            (8, 8) => each::<u64>(src, dst, n, u64::swap_bytes),
            (8, 4) => each::<[u32; 2]>(src, dst, n, |v| v.map(u32::swap_bytes)),
            (16, 8) => each::<[u64; 2]>(src, dst, n, |v| v.map(u64::swap_bytes)),
            _ => any_size(src, dst, n, size, unit),
        }
    }
}

/// # Safety
/// As for [`move_items`].
unsafe fn any_size(
    (src, from): (*const u8, isize),
    (dst, to): (*mut u8, isize),
    n: usize,
    size: usize,
    unit: usize,
) {
    for i in 0..n as isize {
        // SAFETY: `size` bytes at item `i` are the caller's to read and write; the reversal stays
        // within the item just written.
        unsafe {
            let to = dst.offset(i * to);
            src.offset(i * from).copy_to(to, size);
            if unit > 1 {
                for start in (0..size - size % unit).step_by(unit) {
                    for k in 0..unit / 2 {
                        std::ptr::swap(to.add(start + k), to.add(start + unit - 1 - k));
                    }
                }
            }
        }
    }
}
