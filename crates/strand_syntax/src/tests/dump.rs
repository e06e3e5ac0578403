//! The tree as an s-expression, without spans.

use crate::ast::*;

pub fn module(module: &Module) -> String {
    module.items.iter().map(item).collect::<Vec<_>>().join("\n")
}

fn list<'a, T: 'a>(items: impl IntoIterator<Item = &'a T>, one: impl Fn(&T) -> String) -> String {
    items.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

pub fn item(item: &Item) -> String {
    match item {
        Item::Dim(dim) => format!("(dim {} {})", dim.name.name, size(&dim.value)),
        Item::Fn(decl) => function(decl),
        Item::Extern(decl) => {
            let result = decl
                .result
                .as_ref()
                .map_or(String::new(), |result| format!(" -> {}", ty(result)));
            format!(
                "(extern {} [{}]{result} {:?})",
                decl.name.name,
                list(&decl.params, param),
                decl.module
            )
        }
        Item::Import(decl) => format!("(import {:?} {})", decl.module, decl.name.name),
        Item::Model(decl) => {
            let sizes = list(&decl.sizes, |size| size.name.to_string());
            let fields = list(&decl.fields, |field| {
                let init = field
                    .init
                    .as_ref()
                    .map_or(String::new(), |init| format!(" {}", expr(init)));
                format!("(field {} {}{init})", field.name.name, ty(&field.ty))
            });
            format!(
                "(model {} [{sizes}] {fields} {})",
                decl.name.name,
                list(&decl.methods, function)
            )
        }
        Item::Reserved(reserved) => format!("(reserved {})", reserved.word),
        Item::Stmt(stmt) => self::stmt(stmt),
    }
}

fn function(decl: &FnDecl) -> String {
    let result = decl
        .result
        .as_ref()
        .map_or(String::new(), |result| format!(" -> {}", ty(result)));
    let body = match &decl.body {
        FnBody::Expr(body) => expr(body),
        FnBody::Block(body) => block(body),
        FnBody::Error(_) => "error".into(),
    };
    format!(
        "(fn {} [{}]{result} {body})",
        decl.name.name,
        list(&decl.params, param)
    )
}

fn param(param: &Param) -> String {
    let mutable = if param.mutable.is_some() { "mut " } else { "" };
    let ty = param
        .ty
        .as_ref()
        .map_or(String::new(), |param| format!(": {}", ty(param)));
    let default = param
        .default
        .as_ref()
        .map_or(String::new(), |default| format!("={}", expr(default)));
    format!("{mutable}{}{ty}{default}", param.name.name)
}

fn block(stmts: &[Stmt]) -> String {
    format!("{{{}}}", list(stmts, stmt))
}

pub fn stmt(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Assign { target, ty, value } => {
            let ty = ty.as_ref().map_or(String::new(), |annotation| {
                format!(": {}", self::ty(annotation))
            });
            format!("(= {}{ty} {})", self::target(target), expr(value))
        }
        StmtKind::Update {
            target, op, value, ..
        } => {
            format!(
                "({}= {} {})",
                op.as_str(),
                self::target(target),
                expr(value)
            )
        }
        StmtKind::For {
            target,
            iter,
            over,
            by,
            body,
            ..
        } => {
            let over = over
                .as_ref()
                .map_or(String::new(), |over| format!(" over {}", over.name));
            let by = if by.is_some() { " by" } else { "" };
            format!(
                "(for {} {}{over}{by} {})",
                self::target(target),
                expr(iter),
                block(body)
            )
        }
        StmtKind::While { condition, body } => {
            format!("(while {} {})", expr(condition), block(body))
        }
        StmtKind::If {
            branches,
            otherwise,
        } => {
            let branches = list(branches, |(condition, body)| {
                format!("{} {}", expr(condition), block(body))
            });
            let otherwise = otherwise
                .as_ref()
                .map_or(String::new(), |body| format!(" else {}", block(body)));
            format!("(if {branches}{otherwise})")
        }
        StmtKind::With { mode, body } => format!("(with {} {})", mode.name, block(body)),
        StmtKind::Return(value) => format!(
            "(return{})",
            value
                .as_ref()
                .map_or(String::new(), |v| format!(" {}", expr(v)))
        ),
        StmtKind::Assert { condition, message } => {
            let message = message
                .as_ref()
                .map_or(String::new(), |message| format!(" {}", expr(message)));
            format!("(assert {}{message})", expr(condition))
        }
        StmtKind::Break => "break".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Pass => "pass".into(),
        StmtKind::Expr(value) => expr(value),
        StmtKind::Error => "ERROR".into(),
    }
}

fn target(target: &Target) -> String {
    match target {
        Target::Name(name) => name.name.to_string(),
        Target::Ignore(_) => "_".into(),
        Target::Tuple(parts, _) => format!("({})", list(parts, self::target)),
        Target::Index { base, items, .. } => {
            format!("(index {} {})", expr(base), list(items, index_item))
        }
        Target::Field { base, name, .. } => format!("(. {} {})", expr(base), name.name),
        Target::Error(_) => "ERROR".into(),
    }
}

pub fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::FString(parts) => {
            let parts = list(parts, |part| match part {
                FPart::Text(text) => format!("{text:?}"),
                FPart::Expr(value) => expr(value),
            });
            format!("(f {parts})")
        }
        ExprKind::Literal(values) => format!("[{}]", list(values, expr)),
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Placeholder => "_".into(),
        ExprKind::Paren(inner) => format!("(paren {})", expr(inner)),
        ExprKind::Sized { name, sizes } => {
            format!("<sized {} {}>", name.name, list(sizes, size))
        }
        ExprKind::Mut(inner) => format!("(mut {})", expr(inner)),
        ExprKind::Tuple(values) => format!("(tuple {})", list(values, expr)),
        ExprKind::Unary { op, operand } => {
            format!(
                "({} {})",
                if *op == UnaryOp::Neg { "neg" } else { "not" },
                expr(operand)
            )
        }
        ExprKind::Binary {
            op, left, right, ..
        } => format!("({} {} {})", op.as_str(), expr(left), expr(right)),
        ExprKind::Convert { how, value, ty } => {
            format!("({} {} {})", conversion(*how), expr(value), self::ty(ty))
        }
        ExprKind::Call { callee, args, .. } => {
            format!("(call {} {})", expr(callee), list(args, arg))
        }
        ExprKind::Index { base, items } => {
            format!("(index {} {})", expr(base), list(items, index_item))
        }
        ExprKind::Field { base, name } => format!("(. {} {})", expr(base), name.name),
        ExprKind::Range(inner) => range(inner),
        ExprKind::Pipe { head, stages } => format!("(|> {} {})", expr(head), list(stages, stage)),
        ExprKind::Lambda(lambda) => {
            let params = list(&lambda.params, |param| {
                param
                    .name
                    .as_ref()
                    .map_or("_".into(), |name| name.to_string())
            });
            format!("(=> [{params}] {})", expr(&lambda.body))
        }
        ExprKind::If {
            then,
            condition,
            otherwise,
        } => {
            format!(
                "(if-else {} {} {})",
                expr(condition),
                expr(then),
                expr(otherwise)
            )
        }
        ExprKind::Type(ty) => self::ty(ty),
        ExprKind::Error => "ERROR".into(),
    }
}

fn conversion(how: Conversion) -> &'static str {
    if how == Conversion::To { "to" } else { "as" }
}

fn arg(arg: &Arg) -> String {
    let name = arg
        .name
        .as_ref()
        .map_or(String::new(), |name| format!("{}=", name.name));
    let mutable = if arg.mutable.is_some() { "mut " } else { "" };
    format!("{name}{mutable}{}", expr(&arg.value))
}

fn index_item(item: &IndexItem) -> String {
    match item {
        IndexItem::Expr(value) => expr(value),
        IndexItem::Slice(inner) => range(inner),
        IndexItem::Ellipsis(_) => "...".into(),
        IndexItem::NewAxis(_) => "newaxis".into(),
    }
}

fn range(range: &Range) -> String {
    let end = |value: &Option<Expr>| value.as_ref().map_or("-".into(), expr);
    let step = range
        .step
        .as_ref()
        .map_or(String::new(), |step| format!(" by {}", expr(step)));
    format!("(.. {} {}{step})", end(&range.start), end(&range.end))
}

fn stage(stage: &Stage) -> String {
    match &stage.kind {
        StageKind::Call { path, args, .. } => {
            let path = path
                .iter()
                .map(|name| name.name.to_string())
                .collect::<Vec<_>>()
                .join(".");
            args.as_ref()
                .map_or(path.clone(), |args| format!("({path} {})", list(args, arg)))
        }
        StageKind::Convert { how, ty } => format!("({} {})", conversion(*how), self::ty(ty)),
        StageKind::Error => "ERROR".into(),
    }
}

pub fn ty(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeExprKind::Tensor {
            shape,
            dtype,
            domain,
        } => {
            let shape = shape
                .as_ref()
                .map(|shape| format!("[{}]", list(&shape.axes, size)));
            let dtype = dtype.as_ref().map(|dtype| dtype.name.to_string());
            let domain = domain.as_ref().map(|domain| {
                let index = domain
                    .index
                    .as_ref()
                    .map_or(String::new(), |index| format!("[{}]", size(index)));
                format!("{}{index}", domain.name.name)
            });
            let parts: Vec<String> = [shape, dtype, domain].into_iter().flatten().collect();
            format!("<{}>", parts.join(" "))
        }
        TypeExprKind::Named { name, sizes } if sizes.is_empty() => format!("<named {}>", name.name),
        TypeExprKind::Named { name, sizes } => {
            format!("<named {}[{}]>", name.name, list(sizes, size))
        }
        TypeExprKind::Tuple(types) => format!("<tuple {}>", list(types, self::ty)),
        TypeExprKind::Sequence { count, element } => {
            format!("<{} * {}>", size(count), self::ty(element))
        }
        TypeExprKind::Error => "<ERROR>".into(),
    }
}

fn size(size: &SizeExpr) -> String {
    match &size.kind {
        SizeExprKind::Name(name) => name.to_string(),
        SizeExprKind::Number(value) => value.to_string(),
        SizeExprKind::Unknown => "_".into(),
        SizeExprKind::Binary { op, left, right } => format!(
            "({} {} {})",
            op.as_str(),
            self::size(left),
            self::size(right)
        ),
        SizeExprKind::Error => "ERROR".into(),
    }
}
