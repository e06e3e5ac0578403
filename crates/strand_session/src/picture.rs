//! What a page draws of a value that `show` asks a picture of: never more than 64 KB of it.

use strand_array::{Array, ArrayError, DType};
use strand_interp::Picture;
use strand_ops::View;

use crate::summary;

/// The most bytes of one picture.
const MOST_BYTES: usize = 1 << 16;
/// The most numbers of one picture, 8 bytes each.
const MOST_NUMBERS: usize = MOST_BYTES / 8;
/// The most lines of one picture.
const MOST_LINES: usize = 8;
/// The most bars of one picture.
const MOST_BARS: usize = 400;
/// The most points of a scatter: two numbers and a label each.
const MOST_POINTS: usize = MOST_NUMBERS / 3;
/// The bins of a histogram that says nothing of them.
const BINS: i64 = 20;
/// The level in the middle, for 0 in a heat map.
const MIDDLE: f64 = 128.0;

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// The sizes of what stands in `levels` or `numbers`.
    pub shape: Vec<usize>,
    /// Every how many-th row and column stands there.
    pub step: usize,
    /// The number at the dark or left end.
    pub low: f64,
    /// The number at the bright or right end.
    pub high: f64,
    /// Row by row, 1 at `low` to 255 at `high`, 0 for NaN: of heat, image and frames.
    pub levels: Vec<u8>,
    /// Row by row: of lines, bars and points the numbers, of a histogram how many lie in each bin.
    pub numbers: Vec<f64>,
    /// A label for each point.
    pub labels: Vec<f64>,
}

/// Draws a tensor. `outer` picks from the axes before the last two of a heat map; `frames` are the
/// first and how many of them are wanted, of which as many come as there is room for.
///
/// # Errors
/// A position outside the value, or a view that doesn't draw its shape.
pub fn drawn(
    array: &Array,
    picture: &Picture,
    outer: &[u32],
    frames: (usize, usize),
) -> Result<Drawn, String> {
    let said = |error: ArrayError| error.to_string();
    let sizes: Vec<Option<i64>> = array.shape().iter().map(|n| Some(*n as i64)).collect();
    let view = picture.view.unwrap_or(View::Table);
    if !view.takes(&sizes) {
        return Err(format!("{} doesn't draw this shape", view.name()));
    }
    let drawn = match view {
        View::Table => return Err("a table is read window by window".to_owned()),
        View::Heat => heat(array, outer),
        View::Image => image(array, array.rank() == 3),
        View::Frames => {
            let room = room_for(array.shape());
            let size = array.shape().first().copied().unwrap_or(0);
            let first = frames.0.min(size);
            let last = first + frames.1.min(room).min(size - first);
            array
                .slice(0, Some(first as i64), Some(last as i64), 1)
                .and_then(|part| image_of(&part, array, array.rank() == 4))
        }
        View::Line => lines(array),
        View::Bars => every(array, 0, MOST_BARS),
        View::Scatter => points(array, picture.color.as_ref()),
        View::Hist => Ok(histogram(array, picture.number.unwrap_or(BINS))),
    };
    drawn.map_err(said)
}

/// How many frames of a video fit into one picture; one in any case, with rows and columns left out.
fn room_for(shape: &[usize]) -> usize {
    let bytes: usize = shape.iter().skip(1).product();
    (MOST_BYTES / bytes.max(1)).max(1)
}

fn heat(array: &Array, outer: &[u32]) -> Result<Drawn, ArrayError> {
    let mut window = array.clone();
    for at in 0..array.rank().saturating_sub(2) {
        let index = outer.get(at).copied().unwrap_or(0);
        window = window.select(0, i64::from(index))?;
    }
    let found = summary(array);
    let size = found
        .min
        .unwrap_or(0.0)
        .abs()
        .max(found.max.unwrap_or(0.0).abs());
    let high = if size > 0.0 { size } else { 1.0 };
    let (window, step) = thinned(&window, 0, 1)?;
    let level = |value: f64| (MIDDLE + (MIDDLE - 1.0) * (value / high)).round();
    Ok(Drawn {
        levels: levels(&window, &level),
        shape: window.shape().to_vec(),
        step,
        low: -high,
        high,
        ..Drawn::default()
    })
}

fn image(array: &Array, colored: bool) -> Result<Drawn, ArrayError> {
    image_of(array, array, colored)
}

/// An image, or several, on the scale of a whole.
fn image_of(part: &Array, whole: &Array, colored: bool) -> Result<Drawn, ArrayError> {
    let (low, high) = scale(whole, colored);
    let rows = part.rank() - if colored { 3 } else { 2 };
    let each = if colored { 3 } else { 1 };
    let (window, step) = thinned(part, rows, each)?;
    let level = |value: f64| (1.0 + 254.0 * (value - low) / (high - low)).round();
    Ok(Drawn {
        levels: levels(&window, &level),
        shape: window.shape().to_vec(),
        step,
        low,
        high,
        ..Drawn::default()
    })
}

/// Black and white: 0 and 1 where all numbers lie between, 0 and 255 for whole numbers in colour,
/// else the least and the greatest.
fn scale(array: &Array, colored: bool) -> (f64, f64) {
    let found = summary(array);
    let (low, high) = (found.min.unwrap_or(0.0), found.max.unwrap_or(1.0));
    if low >= 0.0 && high <= 1.0 {
        return (0.0, 1.0);
    }
    if colored && array.dtype() == DType::I64 && low >= 0.0 && high <= 255.0 {
        return (0.0, 255.0);
    }
    if low < high {
        (low, high)
    } else {
        (low, low + 1.0)
    }
}

/// As many rows and columns as there is room for, evenly spread, and how far apart they are.
/// `rows` is the rows' axis, each place has `each` bytes.
fn thinned(array: &Array, rows: usize, each: usize) -> Result<(Array, usize), ArrayError> {
    let size = |axis: usize| array.shape().get(axis).copied().unwrap_or(1);
    let before: usize = array.shape().iter().take(rows).product();
    let fits = |step: usize| {
        let places = size(rows).div_ceil(step) * size(rows + 1).div_ceil(step);
        before.max(1).saturating_mul(places).saturating_mul(each) <= MOST_BYTES
    };
    let mut step = 1;
    while !fits(step) {
        step += 1;
    }
    let thin = array.slice(rows, None, None, step as i64)?;
    Ok((thin.slice(rows + 1, None, None, step as i64)?, step))
}

fn levels(array: &Array, level: &dyn Fn(f64) -> f64) -> Vec<u8> {
    let byte = |value: f64| {
        if value.is_nan() {
            0
        } else {
            level(value).clamp(1.0, 255.0) as u8
        }
    };
    array.to_vec_f64().into_iter().map(byte).collect()
}

/// The numbers along an axis, every so many-th where there are too many.
fn every(array: &Array, axis: usize, most: usize) -> Result<Drawn, ArrayError> {
    let size = array.shape().get(axis).copied().unwrap_or(1);
    let step = size.div_ceil(most).max(1);
    let thin = array.slice(axis, None, None, step as i64)?;
    let found = summary(array);
    Ok(Drawn {
        shape: thin.shape().to_vec(),
        step,
        low: found.min.unwrap_or(0.0),
        high: found.max.unwrap_or(0.0),
        numbers: thin.to_vec_f64(),
        ..Drawn::default()
    })
}

fn lines(array: &Array) -> Result<Drawn, ArrayError> {
    if array.rank() == 1 {
        return every(array, 0, MOST_NUMBERS);
    }
    let first = array.slice(0, None, Some(MOST_LINES as i64), 1);
    let some = if array.shape().first().is_some_and(|rows| *rows > MOST_LINES) {
        first?
    } else {
        array.clone()
    };
    let rows = some.shape().first().copied().unwrap_or(1).max(1);
    every(&some, 1, MOST_NUMBERS / rows)
}

fn points(array: &Array, color: Option<&Array>) -> Result<Drawn, ArrayError> {
    let mut drawn = every(array, 0, MOST_POINTS)?;
    if let Some(labels) = color {
        drawn.labels = labels.slice(0, None, None, drawn.step as i64)?.to_vec_f64();
    }
    Ok(drawn)
}

/// As `numpy.histogram`: bins of one width from the least to the greatest finite number, of which
/// the last one has its right end too.
fn histogram(array: &Array, bins: i64) -> Drawn {
    let bins = usize::try_from(bins).unwrap_or(1).clamp(1, MOST_NUMBERS);
    let found = summary(array);
    let (mut low, mut high) = (found.min.unwrap_or(0.0), found.max.unwrap_or(1.0));
    if low == high {
        low -= 0.5;
        high += 0.5;
    }
    let mut counts = vec![0.0; bins];
    let edge = |at: usize| low + (high - low) * (at as f64 / bins as f64);
    for value in array.to_vec_f64().into_iter().filter(|v| v.is_finite()) {
        let place = ((value - low) / (high - low) * bins as f64) as usize;
        let mut place = place.min(bins - 1);
        // The division may round across an edge.
        if value < edge(place) && place > 0 {
            place -= 1;
        } else if place + 1 < bins && value >= edge(place + 1) {
            place += 1;
        }
        if let Some(count) = counts.get_mut(place) {
            *count += 1.0;
        }
    }
    Drawn {
        shape: vec![bins],
        step: 1,
        low,
        high,
        numbers: counts,
        ..Drawn::default()
    }
}

#[cfg(test)]
mod tests {
    use strand_array::Context;

    use super::*;

    fn tensor(data: &[f64], shape: &[usize]) -> Array {
        Array::from_slice(&Context::default(), data, shape).unwrap()
    }

    fn of(array: &Array, view: View) -> Drawn {
        let picture = Picture {
            view: Some(view),
            ..Picture::default()
        };
        drawn(array, &picture, &[], (0, usize::MAX)).unwrap()
    }

    fn counting(shape: &[usize]) -> Array {
        let size = shape.iter().product();
        let data: Vec<f64> = (0..size).map(|at| at as f64).collect();
        tensor(&data, shape)
    }

    #[test]
    fn heat_has_zero_in_the_middle_and_nan_apart() {
        let found = of(&tensor(&[0.0, 2.0, -2.0, f64::NAN], &[2, 2]), View::Heat);
        assert_eq!(found.levels, [128, 255, 1, 0]);
        assert_eq!((found.low, found.high), (-2.0, 2.0));
        assert_eq!(of(&tensor(&[0.0; 4], &[2, 2]), View::Heat).levels, [128; 4]);
    }

    #[test]
    fn heat_picks_the_outer_place() {
        let picture = Picture {
            view: Some(View::Heat),
            ..Picture::default()
        };
        let array = tensor(&[0.0, 0.0, 1.0, 1.0], &[2, 1, 2]);
        let found = drawn(&array, &picture, &[1], (0, 0)).unwrap();
        assert_eq!(found.levels, [255, 255]);
        assert!(drawn(&array, &picture, &[2], (0, 0)).is_err());
    }

    #[test]
    fn an_image_goes_from_black_to_white() {
        let grey = of(&tensor(&[0.0, 0.5, 1.0, 0.25], &[2, 2]), View::Image);
        assert_eq!((grey.low, grey.high), (0.0, 1.0));
        assert_eq!(grey.levels, [1, 128, 255, 65]);
        let scaled = of(&tensor(&[-1.0, 3.0], &[1, 2]), View::Image);
        assert_eq!(scaled.levels, [1, 255]);
        let colored = of(&tensor(&[0.0, 1.0, 0.5], &[1, 1, 3]), View::Image);
        assert_eq!(
            (colored.shape.as_slice(), colored.levels.as_slice()),
            (&[1, 1, 3][..], &[1, 255, 128][..])
        );
    }

    #[test]
    fn frames_come_as_many_at_once_as_there_is_room_for() {
        let found = of(&counting(&[100, 32, 32]), View::Frames);
        assert_eq!(found.shape, [64, 32, 32]);
        let picture = Picture {
            view: Some(View::Frames),
            ..Picture::default()
        };
        let rest = drawn(&counting(&[100, 32, 32]), &picture, &[], (64, 64)).unwrap();
        assert_eq!(rest.shape, [36, 32, 32]);
        assert_eq!(rest.high, 102_399.0);
    }

    #[test]
    fn a_histogram_counts_as_numpy_does() {
        // numpy.histogram([1, 2, 2, 3, 4], bins=3) gives [1, 2, 2] from 1 to 4.
        let picture = Picture {
            view: Some(View::Hist),
            number: Some(3),
            ..Picture::default()
        };
        let array = tensor(&[1.0, 2.0, 2.0, 3.0, 4.0, f64::NAN], &[6]);
        let found = drawn(&array, &picture, &[], (0, 0)).unwrap();
        assert_eq!(found.numbers, [1.0, 2.0, 2.0]);
        assert_eq!((found.low, found.high), (1.0, 4.0));
        let one = of(&tensor(&[7.0, 7.0], &[2]), View::Hist);
        assert_eq!((one.low, one.high), (6.5, 7.5));
        assert_eq!(one.numbers.iter().sum::<f64>(), 2.0);
    }

    #[test]
    fn no_picture_is_more_than_64_kb() {
        let shapes: [(View, &[usize]); 7] = [
            (View::Heat, &[3, 1000, 400]),
            (View::Image, &[700, 500]),
            (View::Image, &[500, 300, 3]),
            (View::Frames, &[4, 300, 400]),
            (View::Line, &[40, 20_000]),
            (View::Bars, &[100_000]),
            (View::Scatter, &[50_000, 2]),
        ];
        for (view, shape) in shapes {
            let found = of(&counting(shape), view);
            let bytes = found.levels.len() + 8 * (found.numbers.len() + found.labels.len());
            assert!(bytes <= MOST_BYTES && bytes > 0, "{view:?}: {bytes}");
            assert!(found.step > 1, "{view:?}");
        }
        let color = counting(&[50_000]);
        let picture = Picture {
            view: Some(View::Scatter),
            color: Some(color),
            number: None,
        };
        let found = drawn(&counting(&[50_000, 2]), &picture, &[], (0, 0)).unwrap();
        assert_eq!(found.labels.len() * 2, found.numbers.len());
        assert!(8 * (found.numbers.len() + found.labels.len()) <= MOST_BYTES);
    }

    #[test]
    fn an_empty_value_has_an_empty_picture() {
        for (view, shape) in [
            (View::Heat, &[0, 3][..]),
            (View::Image, &[2, 0]),
            (View::Frames, &[0, 2, 2]),
            (View::Line, &[0]),
            (View::Line, &[0, 4]),
            (View::Bars, &[0]),
            (View::Scatter, &[0, 2]),
        ] {
            let found = of(&tensor(&[], shape), view);
            assert!(found.levels.is_empty() && found.numbers.is_empty());
        }
        let empty = of(&tensor(&[], &[0]), View::Hist);
        assert_eq!(empty.numbers.iter().sum::<f64>(), 0.0);
    }
}
