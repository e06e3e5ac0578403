//! PyTorch's CPU generator: the Mersenne Twister mt19937 and the draws made of it.

mod normal;

use crate::array::Array;
use crate::context::{Context, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};

const N: usize = 624;
const M: usize = 397;

/// The state of `torch.Generator()` on a CPU.
#[derive(Clone)]
pub struct Generator {
    state: [u32; N],
    next: usize,
    /// The second of a pair of normal numbers, kept for the next draw.
    spare_normal: Option<f64>,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl Generator {
    /// A generator as `torch.manual_seed(seed)` leaves it; the seed's low 32 bits count.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut state = [0; N];
        let mut last = seed as u32;
        for (i, s) in state.iter_mut().enumerate() {
            if i > 0 {
                last = 1_812_433_253_u32
                    .wrapping_mul(last ^ (last >> 30))
                    .wrapping_add(i as u32);
            }
            *s = last;
        }
        Self {
            state,
            next: N,
            spare_normal: None,
        }
    }

    fn refill(&mut self) {
        let state = &mut self.state;
        for i in 0..N {
            let at = |ahead: usize| {
                let place = i.wrapping_add(ahead).wrapping_rem(N);
                state.get(place).copied().unwrap_or(0)
            };
            let joined = (at(0) & 0x8000_0000) | (at(1) & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            let value = at(M) ^ (joined >> 1) ^ twist;
            if let Some(to) = state.get_mut(i) {
                *to = value;
            }
        }
        self.next = 0;
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next >= N {
            self.refill();
        }
        let mut y = self.state.get(self.next).copied().unwrap_or(0);
        self.next = self.next.wrapping_add(1);
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// The next 64 bits; the first draw is the high half.
    pub fn next_u64(&mut self) -> u64 {
        let high = u64::from(self.next_u32());
        high << 32 | u64::from(self.next_u32())
    }

    /// A number from 0 to 1, with 24 bits.
    fn uniform_f32(&mut self) -> f32 {
        (self.next_u32() & 0x00ff_ffff) as f32 / 16_777_216.0
    }

    /// A number from 0 to 1, with 53 bits.
    fn uniform_f64(&mut self) -> f64 {
        (self.next_u64() & ((1 << 53) - 1)) as f64 / 9_007_199_254_740_992.0
    }

    /// Numbers from 0 up to 1 in f32; `torch.rand`.
    ///
    /// # Errors
    /// `TooLarge`, `OutOfMemory`.
    pub fn uniform(&mut self, ctx: &Context, shape: &[usize]) -> Result<Array> {
        let array = Array::build::<f32>(ctx, shape, DType::F32, |out| {
            out.fill_with(|| self.uniform_f32());
            Ok(())
        })?;
        ctx.report(|| Report::along_axis("uniform", &[&array], &array));
        Ok(array)
    }

    /// Normally distributed numbers in f32; `torch.normal(mean, std, shape)`, `torch.randn`.
    ///
    /// # Errors
    /// `BadArgument` for a negative deviation; `TooLarge`, `OutOfMemory`.
    pub fn normal(&mut self, ctx: &Context, shape: &[usize], mean: f64, std: f64) -> Result<Array> {
        if std < 0.0 {
            return Err(ArrayError::BadArgument {
                op: "normal",
                why: "the deviation is negative".into(),
            });
        }
        let array = Array::build::<f32>(ctx, shape, DType::F32, |out| {
            if out.len() < 16 {
                out.fill_with(|| (self.normal_f64() * std + mean) as f32);
            } else {
                self.fill_normal(out, mean as f32, std as f32);
            }
            Ok(())
        })?;
        ctx.report(|| Report::along_axis("normal", &[&array], &array));
        Ok(array)
    }

    /// Box-Muller in f64, one pair at a time.
    fn normal_f64(&mut self) -> f64 {
        if let Some(value) = self.spare_normal.take() {
            return value;
        }
        let turn = self.uniform_f64() * 2.0 * std::f64::consts::PI;
        let radius = (-2.0 * libm::log1p(-self.uniform_f64())).sqrt();
        self.spare_normal = Some(radius * libm::sin(turn));
        radius * libm::cos(turn)
    }

    /// Box-Muller in blocks of 16; the last 16 are drawn again if the length isn't a multiple.
    fn fill_normal(&mut self, out: &mut [f32], mean: f32, std: f32) {
        out.fill_with(|| self.uniform_f32());
        let (blocks, rest) = out.as_chunks_mut::<16>();
        for block in blocks {
            normal::transform(block, mean, std);
        }
        if !rest.is_empty()
            && let Some(block) = out.last_chunk_mut::<16>()
        {
            block.fill_with(|| self.uniform_f32());
            normal::transform(block, mean, std);
        }
    }

    /// Whole numbers from `low` up to `high`, which is left out; `torch.randint`.
    ///
    /// # Errors
    /// `BadArgument` if there is no number to draw; `TooLarge`, `OutOfMemory`.
    pub fn randint(
        &mut self,
        ctx: &Context,
        low: i64,
        high: i64,
        shape: &[usize],
    ) -> Result<Array> {
        if low >= high {
            return Err(ArrayError::BadArgument {
                op: "randint",
                why: format!("there is no whole number from {low} below {high}"),
            });
        }
        let range = high.wrapping_sub(low) as u64;
        let array = Array::build::<i64>(ctx, shape, DType::I64, |out| {
            out.fill_with(|| {
                let wide = range >= 1 << 28;
                let drawn = if wide {
                    self.next_u64()
                } else {
                    u64::from(self.next_u32())
                };
                low.wrapping_add(drawn.checked_rem(range).unwrap_or(0) as i64)
            });
            Ok(())
        })?;
        ctx.report(|| Report::along_axis("randint", &[&array], &array));
        Ok(array)
    }
}
