//! Linear algebra of extern functions.

use strand_ops::OpId;
use strand_source::{Code, Span};

use super::wrong_count;
use crate::error::{Run, fail, from_array};
use crate::machine::Machine;
use crate::value::Tensor;

impl Machine<'_, '_> {
    pub(super) fn determinant(&mut self, a: &Tensor, span: Span) -> Run<Tensor> {
        self.by_matrix(a, span, 0, |matrix, n, out| {
            out.push(eliminate(matrix, n, None))
        })
    }

    pub(super) fn inverse(&mut self, a: &Tensor, span: Span) -> Run<Tensor> {
        let mut singular = false;
        let result = self.by_matrix(a, span, 2, |matrix, n, out| {
            let mut inverse = vec![0.0; n * n];
            for at in 0..n {
                inverse[at * n + at] = 1.0;
            }
            singular |= eliminate(matrix, n, Some(&mut inverse)) == 0.0;
            out.extend(inverse);
        })?;
        if singular {
            return Err(fail(Code::R02, span, "a singular matrix has no inverse"));
        }
        Ok(result)
    }

    /// Runs a function for each matrix of the last two own axes; it gives a number (`rank` 0) or a
    /// matrix (2). Computed in f64, as the sums are short.
    fn by_matrix(
        &mut self,
        a: &Tensor,
        span: Span,
        rank: usize,
        mut each: impl FnMut(&mut [f64], usize, &mut Vec<f64>),
    ) -> Run<Tensor> {
        let array = self.array(a, span)?;
        let (&[rows, columns], Some(lead)) = (
            array.shape().last_chunk::<2>().unwrap_or(&[0, 1]),
            array.rank().checked_sub(2),
        ) else {
            return Err(wrong_count(span));
        };
        if a.rank() < 2 || rows != columns {
            return Err(fail(Code::R01, span, "a square matrix is needed"));
        }
        let n = rows;
        let mut shape = array.shape().get(..lead).unwrap_or(&[]).to_vec();
        let count: usize = shape.iter().product();
        let mut values = array.to_vec_f64();
        let mut out = Vec::new();
        if n == 0 {
            for _ in 0..count {
                each(&mut [], 0, &mut out);
            }
        }
        for matrix in values.chunks_exact_mut((n * n).max(1)) {
            each(matrix, n, &mut out);
        }
        if rank == 2 {
            shape.extend([n, n]);
        }
        let made = crate::value::floats(&self.graph.ctx, &out, &shape, array.dtype());
        let tensor = self.made(made, span)?;
        Ok(Tensor {
            levels: a.levels,
            ..tensor
        })
    }

    pub(super) fn trace(&mut self, a: &Tensor, span: Span) -> Run<Tensor> {
        let array = self.array(a, span)?;
        let lead = a.levels.count();
        let diagonal = array.diagonal(0, lead, lead + 1);
        let diagonal = diagonal.map_err(|e| from_array(&e, span))?;
        let node = self.graph.ready(diagonal, span);
        self.reduce(OpId::Sum, &Tensor::node(node, a.levels), &[0], span)
    }

    pub(super) fn outer(&mut self, a: &Tensor, b: &Tensor, span: Span) -> Run<Tensor> {
        let mut shape = a.shape().to_vec();
        shape.push(1);
        let node = self.whole_node(a, span)?;
        let node = self.graph.with_ones(&node, &shape, span)?;
        let column = Tensor::node(node, a.levels);
        self.elementwise(OpId::Mul, vec![column, b.clone()], span)
    }
}

/// Gauss-Jordan elimination with the largest pivot of each column: the determinant, and on
/// `inverse`, the identity before, the same steps.
fn eliminate(a: &mut [f64], n: usize, mut inverse: Option<&mut Vec<f64>>) -> f64 {
    let mut determinant = 1.0;
    for column in 0..n {
        let size = |row: usize| a[row * n + column].abs();
        let pivot = (column..n).fold(
            column,
            |best, row| if size(row) > size(best) { row } else { best },
        );
        let value = a[pivot * n + column];
        if value == 0.0 {
            return 0.0;
        }
        if pivot != column {
            determinant = -determinant;
            for at in 0..n {
                a.swap(pivot * n + at, column * n + at);
                if let Some(inverse) = &mut inverse {
                    inverse.swap(pivot * n + at, column * n + at);
                }
            }
        }
        determinant *= value;
        let rows = if inverse.is_some() {
            0..n
        } else {
            column + 1..n
        };
        for row in rows.filter(|row| *row != column) {
            let factor = a[row * n + column] / value;
            for at in 0..n {
                a[row * n + at] -= factor * a[column * n + at];
                if let Some(inverse) = &mut inverse {
                    inverse[row * n + at] -= factor * inverse[column * n + at];
                }
            }
        }
    }
    if let Some(inverse) = inverse {
        for row in 0..n {
            let value = a[row * n + row];
            for at in 0..n {
                inverse[row * n + at] /= value;
            }
        }
    }
    determinant
}
