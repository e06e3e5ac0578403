//! A tensor's values in short.

use strand_array::Array;

/// The least, greatest and mean of the finite values, and how many aren't.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// The least finite value; `None` where there is none.
    pub min: Option<f64>,
    /// The greatest finite value.
    pub max: Option<f64>,
    /// The mean of the finite values.
    pub mean: Option<f64>,
    /// How many NaNs.
    pub nan: usize,
    /// How many infinities.
    pub infinite: usize,
}

/// Goes through a tensor once. Bools count as 0 and 1.
pub fn summary(array: &Array) -> Summary {
    let mut found = Summary::default();
    let mut sum = 0.0;
    let mut finite = 0usize;
    for value in array.to_vec_f64() {
        if value.is_nan() {
            found.nan += 1;
        } else if value.is_infinite() {
            found.infinite += 1;
        } else {
            found.min = Some(found.min.map_or(value, |min: f64| min.min(value)));
            found.max = Some(found.max.map_or(value, |max: f64| max.max(value)));
            sum += value;
            finite += 1;
        }
    }
    found.mean = (finite > 0).then(|| sum / finite as f64);
    found
}

#[cfg(test)]
mod tests {
    use strand_array::Context;

    use super::*;

    #[test]
    fn what_isnt_finite_is_counted_apart() {
        let values = [1.0, f64::NAN, 3.0, f64::INFINITY];
        let array = Array::from_slice(&Context::default(), &values, &[4]).unwrap();
        let found = summary(&array);
        assert_eq!(
            (found.min, found.max, found.mean),
            (Some(1.0), Some(3.0), Some(2.0))
        );
        assert_eq!((found.nan, found.infinite), (1, 1));
    }
}
