//! A call: set-up of operands, execution, findings.

use super::fresh::{self, MemoryOrder};
use super::machine::Machine;
use super::operand::{Given, Operand};
use super::resolve::{Chosen, Request, Signature, resolve, text_of, weak_casts};
use super::state::{Mode, Modes, Numerics};
use super::table::{Def, Resolver};
use super::weak::{is_whole, typed_inputs};
use crate::array::Array;
use crate::assign::{copy_into, copy_where};
use crate::cast::{Casting, can_cast};
use crate::context::{Context, LoopKind};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::memory;
use crate::multi::broadcast_all;
use crate::plan::{Loops, Order};
use crate::promote::Weak;
use crate::strip::{Strip, Strips};

/// What a call may be told besides its inputs.
#[derive(Clone, Debug)]
pub struct CallOptions {
    /// An array per output to write to; may be shorter than the outputs.
    pub out: Vec<Option<Array>>,
    /// Elements where it is false are left as they are; `where=`.
    pub mask: Option<Array>,
    /// The type of the outputs; `dtype=`.
    pub dtype: Option<DType>,
    /// Types of the loop; `signature=`.
    pub signature: Option<Signature>,
    /// What operands may be cast; `casting=`.
    pub casting: Casting,
    /// How fresh outputs lie in memory; `order=`.
    pub order: MemoryOrder,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            out: vec![],
            mask: None,
            dtype: None,
            signature: None,
            casting: Casting::SameKind,
            order: MemoryOrder::K,
        }
    }
}

/// How a call ran, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct CallReport {
    /// The loop: `dd->d`.
    pub types: String,
    /// One loop, strided loops, or loops over buffers.
    pub kind: LoopKind,
    /// Calls of the one-dimensional loop.
    pub inner_calls: usize,
    /// Elements of one inner loop.
    pub inner: usize,
    /// Sizes of the outer loops.
    pub outer: Vec<usize>,
    /// Operands that pass through buffers.
    pub buffered: Vec<usize>,
    /// Operands that were cast or copied whole before, or written back after the loop.
    pub copied: Vec<usize>,
    /// Per operand its byte stride along the inner loop.
    pub steps: Vec<isize>,
    /// Per operand its byte strides along the outer loops.
    pub strides: Vec<Vec<isize>>,
}

/// The outputs of a call and how it ran.
#[derive(Clone, Debug)]
pub struct Called {
    /// One array per output.
    pub outputs: Vec<Array>,
    /// Per output whether it stands for a scalar: of rank 0, and no array was given for it.
    pub scalars: Vec<bool>,
    /// How it ran.
    pub report: CallReport,
}

/// Whether findings are looked for, and those of underflow.
pub(super) fn watch(modes: Modes) -> (bool, bool) {
    let all = modes == Modes::all(Mode::Ignore);
    (!all, modes.under != Mode::Ignore)
}

pub(super) fn call(
    numerics: &Numerics,
    def: &Def,
    inputs: &[Operand],
    options: &CallOptions,
) -> Result<Called> {
    if let Some(called) = super::host::call_of(numerics, def, inputs, options) {
        return called;
    }
    if inputs.len() != def.nin || options.out.len() > def.nout {
        return Err(ArrayError::NoLoop {
            ufunc: def.name.into(),
            types: format!("{} inputs, {} outputs", inputs.len(), options.out.len()),
        });
    }
    let mut outs = options.out.clone();
    outs.resize(def.nout, None);
    let ctx = numerics.context();
    let asked = options.signature.is_some() || options.dtype.is_some();
    let typed = if asked && inputs.len() > 1 && options.casting >= Casting::Safe {
        None
    } else {
        typed_inputs(ctx, def, inputs)?
    };
    let beyond = typed.is_some() && def.resolver == Resolver::Compare;
    let inputs = typed.as_deref().unwrap_or(inputs);
    let chosen = choose(def, inputs, &outs, options)?;
    if asked {
        // Host numbers become the types asked for before the casts are looked at.
        check_ranges(ctx, &chosen, inputs)?;
    }
    if !beyond {
        check_casts(def, &chosen, inputs, &outs, options.casting)?;
    }
    check_outputs(&outs)?;
    let mask = options.mask.as_ref().map(check_mask).transpose()?;
    let mut arrays = vec![];
    let mut found = Found::NONE;
    for (input, dtype) in inputs.iter().zip(&chosen.types) {
        let (array, bits) = input.to_array(ctx, *dtype)?;
        arrays.push(array);
        found |= bits;
    }
    let mut setup = Setup {
        numerics,
        chosen,
        shape: common_shape(&arrays, &outs, mask.as_ref())?,
        inputs: arrays,
        mask,
        copied: vec![],
        found,
    };
    let order = setup.settled_order(&outs, options.order);
    setup.part_inputs(&outs)?;
    let targets = setup.targets(&outs, order)?;
    setup.convert_small_inputs()?;
    let modes = numerics.modes();
    let (found, report) = setup.run(def, &targets, modes)?;
    let found = found | setup.found | setup.write_back(&targets)?;
    numerics.handle(modes, found, def.name)?;
    Ok(Called {
        scalars: targets
            .iter()
            .map(|t| t.given.is_none() && t.array.rank() == 0)
            .collect(),
        outputs: targets.into_iter().map(Target::result).collect(),
        report,
    })
}

fn choose(
    def: &Def,
    inputs: &[Operand],
    outs: &[Option<Array>],
    options: &CallOptions,
) -> Result<Chosen> {
    let given: Vec<Given> = inputs.iter().map(Operand::given).collect();
    let outputs: Vec<Option<Descr>> = outs
        .iter()
        .map(|out| out.as_ref().map(|a| a.descr().clone()))
        .collect();
    let signature = match (&options.signature, options.dtype) {
        (Some(_), Some(_)) => {
            return Err(ArrayError::NoLoop {
                ufunc: def.name.into(),
                types: "a dtype and a signature at once".into(),
            });
        }
        (Some(signature), None) => Some(signature.clone()),
        (None, Some(dtype)) => {
            let mut signature = vec![None; def.nin];
            signature.extend(vec![Some(dtype); def.nout]);
            Some(signature)
        }
        (None, None) => None,
    };
    let request = Request {
        inputs: &given,
        outputs: &outputs,
        signature: signature.as_ref(),
        casting: options.casting,
    };
    resolve(def, &request)
}

fn check_casts(
    def: &Def,
    chosen: &Chosen,
    inputs: &[Operand],
    outs: &[Option<Array>],
    casting: Casting,
) -> Result<()> {
    let error = |operand: String, from: &Descr, to: &Descr| ArrayError::UfuncCast {
        ufunc: def.name.into(),
        operand,
        from: from.to_string(),
        to: to.to_string(),
        casting,
    };
    let truths = def.resolver == Resolver::Logical && chosen.types.first() == Some(&DType::Bool);
    let compared = def.resolver == Resolver::Compare && inputs.iter().any(is_whole);
    let rule = if truths {
        // Whatever has a truth value takes part.
        Casting::Unsafe
    } else {
        casting
    };
    for (i, (input, dtype)) in inputs.iter().zip(&chosen.types).enumerate() {
        let to = Descr::new(*dtype);
        let fits = match input.given() {
            Given::Weak(Weak::Int) if compared => true,
            Given::Weak(weak) => weak_casts(weak, *dtype, rule),
            Given::Typed(_) => can_cast(&input.descr(), &to, rule),
        };
        if !fits {
            return Err(error(format!("input {i}"), &input.descr(), &to));
        }
    }
    let types = chosen.types.iter().skip(def.nin);
    for (i, (out, dtype)) in outs.iter().zip(types).enumerate() {
        let from = Descr::new(*dtype);
        if let Some(out) = out
            && !can_cast(&from, out.descr(), casting)
        {
            return Err(error(format!("output {i}"), &from, out.descr()));
        }
    }
    Ok(())
}

fn check_ranges(ctx: &Context, chosen: &Chosen, inputs: &[Operand]) -> Result<()> {
    for (input, dtype) in inputs.iter().zip(&chosen.types) {
        if matches!(input, Operand::Int(_)) {
            input.to_array(ctx, *dtype)?;
        }
    }
    Ok(())
}

fn check_outputs(outs: &[Option<Array>]) -> Result<()> {
    if outs.iter().flatten().all(|out| out.flags().writeable) {
        Ok(())
    } else {
        Err(ArrayError::ReadOnly)
    }
}

pub(super) fn check_mask(mask: &Array) -> Result<Array> {
    crate::cast::check_cast(mask.descr(), &Descr::new(DType::Bool), Casting::Safe)?;
    Ok(mask.clone())
}

fn common_shape(
    inputs: &[Array],
    outs: &[Option<Array>],
    mask: Option<&Array>,
) -> Result<Vec<usize>> {
    let arrays = inputs.iter().chain(outs.iter().flatten()).chain(mask);
    let shapes: Vec<&[usize]> = arrays.map(Array::shape).collect();
    let shape = broadcast_all(&shapes)?;
    match outs.iter().flatten().find(|out| out.shape() != shape) {
        Some(out) => Err(ArrayError::OutputShape {
            found: out.shape().to_vec(),
            shape,
        }),
        None => Ok(shape),
    }
}

/// An output: where the loop writes, and the array that was given for it.
struct Target {
    array: Array,
    given: Option<Array>,
}

impl Target {
    fn result(self) -> Array {
        self.given.unwrap_or(self.array)
    }
}

struct Setup<'a> {
    numerics: &'a Numerics,
    chosen: Chosen,
    shape: Vec<usize>,
    inputs: Vec<Array>,
    mask: Option<Array>,
    copied: Vec<usize>,
    found: Found,
}

impl Setup<'_> {
    fn is_small(&self, array: &Array) -> bool {
        array.len() < self.numerics.bufsize()
    }

    /// Copies inputs that share memory with an output, unless element by element.
    fn part_inputs(&mut self, outs: &[Option<Array>]) -> Result<()> {
        let ctx = self.numerics.context();
        let must = |array: &Array| {
            let outs = outs.iter().flatten();
            outs.into_iter().any(|out| memory::must_copy(array, out))
        };
        for (i, input) in self.inputs.iter_mut().enumerate() {
            if must(input) {
                *input = fresh::copy(ctx, input, input.descr())?.0;
                self.copied.push(i);
            }
        }
        if let Some(mask) = &mut self.mask
            && outs.iter().flatten().any(|out| memory::shares(mask, out))
        {
            *mask = fresh::copy(ctx, mask, mask.descr())?.0;
        }
        Ok(())
    }

    /// Casts and swaps small inputs whole.
    fn convert_small_inputs(&mut self) -> Result<()> {
        for i in 0..self.inputs.len() {
            let (Some(input), Some(dtype)) = (self.inputs.get(i), self.chosen.types.get(i)) else {
                break;
            };
            let descr = Descr::new(*dtype);
            if *input.descr() == descr || !self.is_small(input) {
                continue;
            }
            let (copy, found) = fresh::copy(self.numerics.context(), input, &descr)?;
            self.found |= found;
            if let Some(input) = self.inputs.get_mut(i) {
                *input = copy;
            }
            if !self.copied.contains(&i) {
                self.copied.push(i);
            }
        }
        Ok(())
    }

    /// The arrays that the loop writes to: fresh ones, the given ones, or copies that are written
    /// back where a given one is ill-typed and small, or shares memory within itself or with another.
    fn targets(&mut self, outs: &[Option<Array>], order: MemoryOrder) -> Result<Vec<Target>> {
        let ctx = self.numerics.context();
        let nin = self.inputs.len();
        let axes = fresh::axis_order(&self.shape, &self.inputs, outs, self.mask.as_ref(), order);
        let zeros = self.mask.is_some();
        if zeros && outs.iter().any(Option::is_none) {
            self.numerics
                .warn("'where' used without 'out': the rest of the output is 0");
        }
        let mut targets: Vec<Target> = vec![];
        for (i, out) in outs.iter().enumerate() {
            let operand = nin.saturating_add(i);
            let dtype = self.chosen.types.get(operand).copied();
            let descr = Descr::new(dtype.unwrap_or(DType::Bool));
            let Some(out) = out else {
                targets.push(Target {
                    array: fresh::zeroed(ctx, &self.shape, &axes, &descr)?,
                    given: None,
                });
                continue;
            };
            let before = outs.iter().take(i).flatten();
            let tangled = memory::overlaps_itself(out)
                || before.into_iter().any(|other| memory::shares(other, out));
            let ill_typed = *out.descr() != descr && self.is_small(out);
            let array = if tangled || ill_typed {
                self.copied.push(operand);
                fresh::zeroed(ctx, &self.shape, &axes, &descr)?
            } else {
                out.clone()
            };
            targets.push(Target {
                array,
                given: Some(out.clone()),
            });
        }
        Ok(targets)
    }

    /// The order of fresh outputs: A becomes F if all operands lie so, else C.
    fn settled_order(&self, outs: &[Option<Array>], order: MemoryOrder) -> MemoryOrder {
        match order {
            MemoryOrder::A if self.all_fortran(outs) => MemoryOrder::F,
            MemoryOrder::A => MemoryOrder::C,
            other => other,
        }
    }

    /// Whether all operands lie in Fortran order. NumPy looks at them after it has tried for a loop without an
    /// iterator: without a mask it goes through the inputs and copies those of one axis that are off their grid or
    /// to be cast, until it meets one that it would have to copy and that has more axes.
    fn all_fortran(&self, outs: &[Option<Array>]) -> bool {
        let mut copies = self.mask.is_none();
        let mut fortran = |(input, dtype): (&Array, &DType)| {
            let moved = *input.descr() != Descr::new(*dtype) || !input.flags().aligned;
            let short = input.rank() <= 1 && input.len() <= self.numerics.bufsize();
            copies &= short || !moved;
            (moved && copies) || input.flags().f_contiguous
        };
        let as_given = |a: &Array| a.flags().f_contiguous;
        self.inputs.iter().zip(&self.chosen.types).all(&mut fortran)
            && outs.iter().flatten().all(as_given)
            && self.mask.iter().all(as_given)
    }

    fn run(&self, def: &Def, targets: &[Target], modes: Modes) -> Result<(Found, CallReport)> {
        let mut arrays: Vec<&Array> = self.inputs.iter().collect();
        arrays.extend(targets.iter().map(|t| &t.array));
        let operands = arrays.len();
        arrays.extend(&self.mask);
        let loops = Loops::over(&self.shape, &arrays, Order::K)?;
        let descrs: Vec<Descr> = arrays
            .iter()
            .take(operands)
            .map(|a| a.descr().clone())
            .collect();
        let buffered: Vec<usize> = descrs
            .iter()
            .zip(&self.chosen.types)
            .enumerate()
            .filter(|(_, (memory, dtype))| **memory != Descr::new(**dtype))
            .map(|(i, _)| i)
            .collect();
        let part = if buffered.is_empty() {
            usize::MAX
        } else {
            self.numerics.bufsize()
        };
        let machine = Machine::new(&self.chosen, def.rule, &descrs, def.nin, watch(modes))?;
        let (bits, calls) = walk(&machine, &loops, &arrays, operands, part)?;
        if bits & super::found::NEGATIVE_POWER != 0 {
            return Err(ArrayError::NegativePower);
        }
        let report = CallReport {
            types: text_of(&self.chosen.types, def.nin),
            kind: match calls {
                _ if !buffered.is_empty() => LoopKind::Buffered,
                0 | 1 => LoopKind::One,
                _ => LoopKind::Strided,
            },
            inner_calls: calls,
            inner: loops.inner,
            outer: loops.outer.clone(),
            buffered,
            copied: self.copied.clone(),
            steps: loops.steps.clone(),
            strides: loops.strides.clone(),
        };
        Ok((Found::from_bits(bits), report))
    }

    /// Writes copies back to the arrays that were given, in C order.
    fn write_back(&self, targets: &[Target]) -> Result<Found> {
        let mut found = Found::NONE;
        for target in targets {
            if let Some(given) = &target.given
                && !(given.shares_block(&target.array))
            {
                found |= match &self.mask {
                    Some(mask) => copy_where(&target.array, given, mask)?,
                    None => copy_into(&target.array, given)?,
                };
            }
        }
        Ok(found)
    }
}

/// Runs the machine over all inner loops, in parts of at most `part` elements. A last array beyond
/// the operands is the mask. Gives the findings and the number of inner calls.
fn walk(
    machine: &Machine,
    loops: &Loops,
    arrays: &[&Array],
    operands: usize,
    part: usize,
) -> Result<(u8, usize)> {
    let mut found = 0;
    let mut calls = 0_usize;
    let mut rows = Strips::new(loops, arrays)?;
    let mut now: Vec<Strip<'_>> = vec![];
    while let Some(row) = rows.next_row() {
        for start in (0..loops.inner).step_by(part.max(1)) {
            now.clear();
            now.extend(row.iter().map(|strip| strip.part(start, part)));
            found |= match now.split_at_checked(operands) {
                Some((operands, [mask])) => masked(machine, operands, *mask)?,
                _ => machine.run(&now)?,
            };
            calls = calls.saturating_add(1);
        }
    }
    Ok((found, calls))
}

/// Runs the machine over each run of elements where the mask is true.
fn masked(machine: &Machine, operands: &[Strip<'_>], mask: Strip<'_>) -> Result<u8> {
    let mut found = 0;
    let mut here: Vec<Strip<'_>> = Vec::with_capacity(operands.len());
    for (start, length) in mask.set_runs() {
        here.clear();
        here.extend(operands.iter().map(|strip| strip.part(start, length)));
        found |= machine.run(&here)?;
    }
    Ok(found)
}
