//! The engine in two modules: what a page needs until its reader sees values, and what can come after it.
//!
//! Both share one memory, one stack and the tables of functions and of the host's values. A function that only the later part has stands in the first part as
//! a stub, which has the host load the later part on its first call and goes on in the table. So any call works at any
//! time, and which functions lie where is a matter of speed alone.

use std::collections::BTreeSet;

use walrus::ir::{self, Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind,
    GlobalId, GlobalKind, ImportKind, ImportedFunction, LocalFunction, Module, ModuleConfig,
    TableId, ValType,
};

use crate::failure::Failure;

/// The export that has the host load the later part.
const LOAD: &str = "loadLater";

/// The module name under which the later part imports what the first part exports.
const FIRST: &str = "first";

/// The import that an instrumented module calls with a function's number whenever it is entered.
const WATCH: (&str, &str) = ("watch", "entered");

/// Both parts as modules.
pub struct Parts {
    pub first: Vec<u8>,
    pub later: Vec<u8>,
}

/// The module, in which each function says its number to the import `watch.entered` when it is entered. Numbers count
/// the functions of the module in their order.
pub fn watched(wasm: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut module = parsed(wasm)?;
    let own = own_functions(&module);
    let ty = module.types.add(&[ValType::I32], &[]);
    let (entered, _) = module.add_import_func(WATCH.0, WATCH.1, ty);
    for (number, &id) in own.iter().enumerate() {
        let number = i32::try_from(number).map_err(|_| Failure::new("too many functions"))?;
        local_mut(&mut module, id)
            .builder_mut()
            .func_body()
            .const_at(0, Value::I32(number))
            .call_at(1, entered);
    }
    Ok(module.emit_wasm())
}

/// Splits the module: the functions whose numbers are given, and what the host calls, stay in the first part.
///
/// Errors if the module has no `loadLater` export, no memory or no function table.
pub fn split(wasm: &[u8], needed: &BTreeSet<usize>) -> Result<Parts, Failure> {
    let plan = Plan::new(&parsed(wasm)?, needed)?;
    Ok(Parts {
        first: plan.first(parsed(wasm)?)?,
        later: plan.later(parsed(wasm)?)?,
    })
}

/// What lies where, by places in the module: ids are new with each parse, places are the same.
struct Plan {
    /// Functions that go to the later part and that the first part refers to, in the order of their slots.
    entries: Vec<usize>,
    /// Functions of the first part, the host's among them, that the later part calls.
    shared: Vec<usize>,
    /// The first slot of the table that is an entry's.
    base: u64,
}

impl Plan {
    fn new(module: &Module, needed: &BTreeSet<usize>) -> Result<Self, Failure> {
        let own = own_functions(module);
        let exported = module
            .exports
            .iter()
            .filter_map(|export| match export.item {
                ExportItem::Function(id) => Some(id),
                _ => None,
            });
        let kept: BTreeSet<FunctionId> = needed
            .iter()
            .filter_map(|&number| own.get(number).copied())
            .chain(exported)
            .collect();
        let moved: BTreeSet<FunctionId> = own
            .iter()
            .copied()
            .filter(|id| !kept.contains(id))
            .collect();
        let pointed = module
            .elements
            .iter()
            .flat_map(|element| match &element.items {
                ElementItems::Functions(ids) => ids.as_slice(),
                ElementItems::Expressions(..) => &[],
            });
        let entries: BTreeSet<usize> = called_by(module, &kept)
            .iter()
            .chain(pointed)
            .filter(|id| moved.contains(id))
            .map(FunctionId::index)
            .collect();
        let shared = called_by(module, &moved);
        let shared = shared.iter().filter(|id| !moved.contains(id));
        Ok(Self {
            entries: entries.into_iter().collect(),
            shared: shared.map(FunctionId::index).collect(),
            base: module.tables.get(function_table(module)?).initial,
        })
    }

    /// The slot of an entry in the table, as an address.
    fn slot(&self, place: usize) -> Result<Value, Failure> {
        let slot = u64::try_from(place).ok().map(|place| self.base + place);
        slot.and_then(|slot| i32::try_from(slot).ok())
            .map(Value::I32)
            .ok_or_else(|| Failure::new("the function table is too large"))
    }

    fn first(&self, mut module: Module) -> Result<Vec<u8>, Failure> {
        let functions = all_functions(&module);
        let globals = mutable_globals(&module);
        let table = self.widened_table(&mut module)?;
        let ensure = ensure_later(&mut module)?;
        for (place, &entry) in self.entries.iter().enumerate() {
            let slot = self.slot(place)?;
            stub(&mut module, functions[entry], ensure, table, slot);
        }
        for (number, &shared) in self.shared.iter().enumerate() {
            let name = shared_name(number);
            module.exports.add(&name, functions[shared]);
        }
        for (number, id) in globals.into_iter().enumerate() {
            module.exports.add(&global_name(number), id);
        }
        for (number, id) in all_tables(&module).into_iter().enumerate() {
            module.exports.add(&table_name(number), id);
        }
        walrus::passes::gc::run(&mut module);
        Ok(module.emit_wasm())
    }

    fn later(&self, mut module: Module) -> Result<Vec<u8>, Failure> {
        let functions = all_functions(&module);
        let table = self.import_state(&mut module)?;
        for (number, &shared) in self.shared.iter().enumerate() {
            import_function(&mut module, functions[shared], &shared_name(number));
        }
        let exports: Vec<_> = module.exports.iter().map(walrus::Export::id).collect();
        for id in exports {
            module.exports.delete(id);
        }
        let segments: Vec<_> = module.elements.iter().map(walrus::Element::id).collect();
        for id in segments {
            module.elements.delete(id);
        }
        let offset = ConstExpr::Value(self.slot(0)?);
        let entries = self.entries.iter().map(|&entry| functions[entry]);
        let segment = module.elements.add(
            ElementKind::Active { table, offset },
            ElementItems::Functions(entries.collect()),
        );
        let segments = &mut module.tables.get_mut(table).elem_segments;
        segments.clear();
        segments.insert(segment);
        walrus::passes::gc::run(&mut module);
        Ok(module.emit_wasm())
    }

    /// The function table, with a slot for each entry.
    fn widened_table(&self, module: &mut Module) -> Result<TableId, Failure> {
        let id = function_table(module)?;
        let table = module.tables.get_mut(id);
        table.initial += self.entries.len() as u64;
        table.maximum = table.maximum.map(|most| most.max(table.initial));
        Ok(id)
    }

    /// Memory, tables and mutable globals are the first part's, and so is the data. Gives the function table.
    fn import_state(&self, module: &mut Module) -> Result<TableId, Failure> {
        let memory = module.get_memory_id().map_err(unreadable)?;
        let name = module
            .exports
            .get_exported_memory(memory)
            .map(|export| export.name.clone())
            .ok_or_else(|| Failure::new("the engine doesn't export its memory"))?;
        let import = module.imports.add(FIRST, &name, ImportKind::Memory(memory));
        let state = module.memories.get_mut(memory);
        state.import = Some(import);
        state.data_segments.clear();
        let data: Vec<_> = module.data.iter().map(walrus::Data::id).collect();
        for id in data {
            module.data.delete(id);
        }

        let table = self.widened_table(module)?;
        for (number, id) in all_tables(module).into_iter().enumerate() {
            let name = table_name(number);
            let import = module.imports.add(FIRST, &name, ImportKind::Table(id));
            module.tables.get_mut(id).import = Some(import);
        }
        for (number, id) in mutable_globals(module).into_iter().enumerate() {
            let name = global_name(number);
            let import = module.imports.add(FIRST, &name, ImportKind::Global(id));
            module.globals.get_mut(id).kind = GlobalKind::Import(import);
        }
        Ok(table)
    }
}

fn parsed(wasm: &[u8]) -> Result<Module, Failure> {
    ModuleConfig::new()
        .generate_producers_section(false)
        .generate_name_section(true)
        .parse(wasm)
        .map_err(unreadable)
}

fn unreadable(error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("can't split the engine: {error:#}"))
}

fn own_functions(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter_local().map(|(id, _)| id).collect()
}

/// By place, the host's before the module's own.
fn all_functions(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(walrus::Function::id).collect()
}

/// What both parts write: the stack pointer.
fn mutable_globals(module: &Module) -> Vec<GlobalId> {
    let mutable = module.globals.iter().filter(|global| global.mutable);
    mutable.map(walrus::Global::id).collect()
}

/// The functions', and the host's values'.
fn all_tables(module: &Module) -> Vec<TableId> {
    module.tables.iter().map(walrus::Table::id).collect()
}

fn function_table(module: &Module) -> Result<TableId, Failure> {
    let table = module.tables.main_function_table().map_err(unreadable)?;
    table.ok_or_else(|| Failure::new("the engine has no function table"))
}

fn shared_name(number: usize) -> String {
    format!("f{number}")
}

fn table_name(number: usize) -> String {
    format!("t{number}")
}

fn global_name(number: usize) -> String {
    format!("g{number}")
}

fn local_mut(module: &mut Module, id: FunctionId) -> &mut LocalFunction {
    module.funcs.get_mut(id).kind.unwrap_local_mut()
}

/// Functions that the bodies refer to.
fn called_by(module: &Module, bodies: &BTreeSet<FunctionId>) -> BTreeSet<FunctionId> {
    let mut called = Called(BTreeSet::new());
    for &id in bodies {
        if let FunctionKind::Local(function) = &module.funcs.get(id).kind {
            dfs_in_order(&mut called, function, function.entry_block());
        }
    }
    called.0
}

struct Called(BTreeSet<FunctionId>);

impl<'a> Visitor<'a> for Called {
    fn visit_function_id(&mut self, id: &FunctionId) {
        self.0.insert(*id);
    }
}

/// A function that has the host load the later part, once.
fn ensure_later(module: &mut Module) -> Result<FunctionId, Failure> {
    let load = module.exports.get_func(LOAD).map_err(unreadable)?;
    let zero = ConstExpr::Value(Value::I32(0));
    let loaded = module.globals.add_local(ValType::I32, true, false, zero);
    let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
    builder
        .func_body()
        .global_get(loaded)
        .unop(ir::UnaryOp::I32Eqz)
        .if_else(
            None,
            |then| {
                then.call(load).i32_const(1).global_set(loaded);
            },
            |_| {},
        );
    Ok(builder.finish(Vec::new(), &mut module.funcs))
}

/// Makes a function a call of its slot in the table, after the later part is there.
fn stub(module: &mut Module, id: FunctionId, ensure: FunctionId, table: TableId, slot: Value) {
    let ty = module.funcs.get(id).ty();
    let (params, results) = {
        let ty = module.types.get(ty);
        (ty.params().to_vec(), ty.results().to_vec())
    };
    let args: Vec<_> = params.iter().map(|&ty| module.locals.add(ty)).collect();
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let mut body = builder.func_body();
    body.call(ensure);
    for &arg in &args {
        body.local_get(arg);
    }
    body.const_(slot).call_indirect(ty, table);
    module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(args));
}

/// Makes a function, the module's own or the host's, one that is imported from the first part.
fn import_function(module: &mut Module, id: FunctionId, name: &str) {
    if let FunctionKind::Import(imported) = &module.funcs.get(id).kind {
        let import = module.imports.get_mut(imported.import);
        FIRST.clone_into(&mut import.module);
        name.clone_into(&mut import.name);
        return;
    }
    let ty = module.funcs.get(id).ty();
    let import = module.imports.add(FIRST, name, ImportKind::Function(id));
    module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
}
