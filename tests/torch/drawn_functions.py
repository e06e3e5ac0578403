"""Random functions of floats: see random_programs.py."""

import random

AXES = ["n", "m", "p"]
DIMS = {"D": 4, "H": 3}
UNARY = ["sin", "cos", "tanh", "relu", "sigmoid", "abs", "gelu", "silu", "neg", "softplus"]
BOUNDED = ["sin", "cos", "tanh", "sigmoid"]
REDUCTIONS = ["sum", "mean", "max", "min", "logsumexp"]
ALONG = ["softmax", "log_softmax", "cumsum", "cummax", "flip", "normalize", "sort", "cummin"]
BROADCAST = ["+", "-", "*"]


class Variable:
    """A name in scope: a number of the program's dtype, or an index `of` an axis."""

    def __init__(self, name, axes, of=None, is_result=False):
        self.name, self.axes, self.of = name, tuple(axes), of
        self.is_result = is_result


class Program:
    """One random function of floats, with the helpers that it calls."""

    # How deep its expressions are.
    DEPTH = (3, 5)
    # Functions that stages name, a factor and a limit, which its dtype has.
    NAMED = ["sigmoid", "tanh", "gelu", "relu", "sin"]
    HALF, LIMIT = "0.5", "0.437"
    # What makes a number of a whole variable, and how far apart made elements are.
    WHOLE, STEP = "sum", "0.125"

    def __init__(self, seed, dtype="f32"):
        self.random = random.Random(seed)
        self.dtype = dtype
        # What a type says beside its shape.
        self.of = "" if dtype == "f32" else f" {dtype}"
        self.count = 0
        self.helpers = []
        self.lambdas = 0
        self.can_filter = True

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, share):
        return self.random.random() < share

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def free_axis(self, axes):
        free = [axis for axis in [*AXES, *DIMS] if axis not in axes]
        return self.pick(free) if free else None

    def literal(self):
        """A number that is written beside a value."""
        return f"{self.random.randint(1, 30) / 8}"

    def number(self):
        """A number as a value of its own."""
        number = self.literal()
        return number if self.dtype == "f32" else f"({number} to {self.dtype})"

    # Expressions. Each gives the text of an expression of just these axes.

    def value(self, axes, depth, scope):
        """A number of the program's dtype."""
        if depth <= 0:
            return self.leaf(axes, scope)
        return self.pick(self.ways(axes))(axes, depth, scope)

    def ways(self, axes):
        """How a number may be made."""
        ways = [
            self.binary,
            self.binary,
            self.unary,
            self.reduction,
            self.reduction,
            self.chosen,
            self.contraction,
            self.indexed,
            self.indexed,
            self.converted,
            self.called,
            self.widened,
            self.pair,
            self.leaf_at,
        ]
        if axes:
            ways += [self.chain] * 6 + [self.along, self.gathered, self.reordered, self.joined]
        else:
            ways += [self.filtered] * 3 + [self.sliced, self.sliced, self.ranged]
            if not self.lambdas:
                ways += [self.pairs, self.pairs, self.masked]
        return ways

    def leaf_at(self, axes, depth, scope):
        return self.leaf(axes, scope)

    def leaf(self, axes, scope):
        found = [v for v in scope if v.axes == axes and not v.of]
        if found and self.chance(0.9):
            return self.pick(found).name
        if not axes:
            whole = [v for v in scope if not v.of and v.axes]
            if whole and self.chance(0.5):
                return f"{self.WHOLE}({self.pick(whole).name})"
            return self.number()
        same = [v for v in scope if not v.of and sorted(v.axes) == sorted(axes)]
        if same:
            return f"({self.pick(same).name} to [{' '.join(axes)}])"
        wider = [v for v in scope if not v.of and set(axes) < set(v.axes)]
        if wider and self.chance(0.7):
            v = self.pick(wider)
            over = [axis for axis in v.axes if axis not in axes]
            names = over[0] if len(over) == 1 else f"({', '.join(over)})"
            return f"({self.narrowed(v, names)} to [{' '.join(axes)}])"
        i = self.fresh("i")
        index = Variable(i, (), axes[0])
        rest = self.leaf(axes[1:], [*scope, index])
        return f"({axes[0]} |> map({i} => {rest} + ({i} to {self.dtype}) * {self.STEP}))"

    def narrowed(self, variable, over):
        """A variable without some of its axes."""
        return f"mean({variable.name}, over={over})"

    def binary(self, axes, depth, scope):
        left = self.value(axes, depth - 1, scope)
        shorter = axes[self.random.randint(0, len(axes)) :]
        right = self.value(shorter, depth - 1, scope)
        if self.chance(0.2):
            right = self.literal()
        if self.chance(0.3):
            left, right = right, left
        if self.chance(0.15):
            return f"({left} / ({right} * {right} + 1.5))"
        if self.chance(0.15):
            return f"{self.pick(['maximum', 'minimum'])}({left}, {right})"
        return f"({left} {self.pick(BROADCAST)} {right})"

    def unary(self, axes, depth, scope):
        inner = self.value(axes, depth - 1, scope)
        if self.chance(0.15):
            return f"exp({self.bounded(inner)})"
        if self.chance(0.15):
            return f"(-{inner})"
        if self.chance(0.15):
            return f"clamp({inner}, -1.5, 2.5)"
        name = self.pick(UNARY)
        return self.bounded(inner) if name in BOUNDED else f"{name}({inner})"

    def bounded(self, inner):
        """A value in -1 up to 1. A large number's sine is mostly its rounding."""
        return f"{self.pick(BOUNDED)}(clamp({inner}, -3.0, 3.0))"

    def reduction(self, axes, depth, scope):
        axis = self.free_axis(axes)
        if axis is None or len(axes) > 2:
            return self.leaf(axes, scope)
        at = self.random.randint(0, len(axes))
        wider = axes[:at] + (axis,) + axes[at:]
        inner = self.value(wider, depth - 1, scope)
        if self.chance(0.1):
            return f"prod({self.bounded(inner)}, over={axis})"
        if self.chance(0.1):
            return f"(count({inner} > 0.37, over={axis}) to {self.dtype})"
        if not axes and self.chance(0.3):
            return f"{self.pick(['sum', 'mean'])}({inner})"
        if self.chance(0.15):
            way = self.pick(["var", "std"])
            return f"{way}({inner}, over={axis}, correction=0)"
        if self.chance(0.05):
            return f"norm({inner}, over={axis})"
        return f"{self.pick(REDUCTIONS)}({inner}, over={axis})"

    def chosen(self, axes, depth, scope):
        condition = self.truth(axes, depth - 1, scope)
        then = self.value(axes, depth - 1, scope)
        if self.chance(0.3):
            return f"where({condition}, {then}, 0.5)"
        return f"where({condition}, {then}, {self.value(axes, depth - 1, scope)})"

    def contraction(self, axes, depth, scope):
        axis = self.free_axis(axes)
        if axis is None or len(axes) > 2:
            return self.leaf(axes, scope)
        cut = self.random.randint(0, min(len(axes), 1))
        if len(axes) == 2:
            cut = 1
        left = self.value(axes[:cut] + (axis,), depth - 1, scope)
        right = self.value((axis,) + axes[cut:], depth - 1, scope)
        if "softmax" in left or left.startswith("y"):
            # Weights that sum to 1 along another axis are warned of.
            left = f"({left} + 0.125)"
        return f"({left} @ {right})"

    def along(self, axes, depth, scope):
        inner = self.value(axes, depth - 1, scope)
        return f"{self.pick(ALONG)}({inner}, over={self.pick(axes)})"

    def reordered(self, axes, depth, scope):
        other = list(axes)
        self.random.shuffle(other)
        inner = self.value(tuple(other), depth - 1, scope)
        return f"({inner} to [{' '.join(axes)}])"

    def index(self, axis, scope):
        """An index of an axis, in brackets."""
        found = [v for v in scope if v.of == axis and not v.axes]
        if found and self.chance(0.9):
            name = self.pick(found).name
            return f"{name} - 1" if self.chance(0.15) else name
        if axis in DIMS:
            return str(self.random.randint(0, DIMS[axis] - 1))
        return self.pick(["0", "-1"])

    def indexed(self, axes, depth, scope):
        axis = self.free_axis(axes)
        if axis is None or len(axes) > 2:
            return self.leaf(axes, scope)
        at = self.random.randint(0, len(axes))
        wider = axes[:at] + (axis,) + axes[at:]
        own = [v.name for v in scope if v.axes == wider and not v.of]
        base = self.pick(own) if own else f"({self.value(wider, depth - 1, scope)})"
        return f"{base}[{'.., ' * at}{self.index(axis, scope)}]"

    def gathered(self, axes, depth, scope):
        """Elements by a tensor of indices."""
        found = [v for v in scope if v.of and v.axes and v.axes[0] in axes]
        found = [v for v in found if v.of not in axes]
        if not found:
            return self.indexed(axes, depth, scope)
        index = self.pick(found)
        at = axes.index(index.axes[0])
        wider = axes[:at] + (index.of,) + axes[at + 1 :]
        own = [v.name for v in scope if v.axes == wider and not v.of]
        base = self.pick(own) if own else f"({self.value(wider, depth - 1, scope)})"
        if self.chance(0.3):
            axis = self.free_axis((*axes, index.of))
            if axis and len(axes) < 3:
                return self.gathered_apart(axes, at, index, axis, depth, scope)
        return f"{base}[{'.., ' * at}{index.name}]"

    def gathered_apart(self, axes, at, index, axis, depth, scope):
        """By an index too, with an axis between both: the indexed axes come first."""
        if at != 0 or len(axes) < 2:
            return self.leaf(axes, scope)
        wider = (axis, *axes[1:], index.of)
        base = f"({self.value(wider, depth - 1, scope)})"
        middle = ".., " * (len(axes) - 1)
        return f"{base}[{self.index(axis, scope)}, {middle}{index.name}]"

    def converted(self, axes, depth, scope):
        if self.chance(0.5):
            return f"({self.truth(axes, depth - 1, scope)} to {self.dtype})"
        return f"({self.whole(axes, depth - 1, scope)} to {self.dtype})"

    def called(self, axes, depth, scope):
        inner = self.value(axes, depth - 1, scope)
        name = self.fresh("h")
        if axes and self.chance(0.5):
            self.helpers.append(self.setter(name, axes))
            return f"{name}({inner}, {self.value((), depth - 2, scope)})"
        if self.chance(0.5) or not axes:
            body = self.pick(["v * sigmoid(v)", "where(v > 0.537, v, v * 0.5)", "1.5 - tanh(v)"])
            self.helpers.append(f"fn {name}(v) = {body}")
        else:
            shape = " ".join(axes)
            body = self.within(axes, "x")
            self.helpers.append(f"fn {name}(x: [{shape}]{self.of}) -> [{shape}]{self.of} = {body}")
        return f"{name}({inner})"

    def widened(self, axes, depth, scope):
        """In f64 and back."""
        inner = self.value(axes, depth - 1, scope)
        if self.dtype == "f64":
            return inner
        form = self.pick(["tanh({} to f64)", "(({} to f64) * 3)", "exp(-abs({} to f64))"])
        return f"({form.format(inner)} to {self.dtype})"

    def pair(self, axes, depth, scope):
        """The difference or quotient of what a function with two results gives."""
        name, shape = self.fresh("h"), " ".join(axes)
        first = self.pick(["x * 0.5", "tanh(x)", "x - 1.0"])
        second = "sum(x)" if self.chance(0.5) else self.pick(["len(x)", "3"]) if axes else "2"
        other = f"[]{self.of}" if second == "sum(x)" else "int"
        head = f"fn {name}(x: [{shape}]{self.of}, k: int = 2) -> ([{shape}]{self.of}, {other})"
        self.helpers.append(f"{head} = ({first} * k, {second})")
        user = self.fresh("h")
        take = self.pick(["", ", 3", ", k=-1"])
        body = f"    (a, b) = {name}(x{take})\n    return a + b * 0.25"
        self.helpers.append(f"fn {user}(x: [{shape}]{self.of}) -> [{shape}]{self.of}:\n{body}")
        return f"{user}({self.value(axes, depth - 1, scope)})"

    def joined(self, axes, depth, scope):
        """A part of what is put together, rolled, or cut to a triangle."""
        inner = self.value(axes, depth - 1, scope)
        form = self.random.random()
        at = self.random.randrange(len(axes))
        if form < 0.4:
            other = self.value(axes, depth - 1, scope)
            return f"stack({inner}, {other})[{self.pick(['0', '1', '-1'])}]"
        if form < 0.7:
            return f"roll({inner}, {self.pick(['1', '-1', '2'])}, over={axes[at]})"
        if form < 0.85 and len(axes) == 2:
            return f"{self.pick(['tril', 'triu'])}({inner})"
        other = self.value(axes, depth - 1, scope)
        return f"maximum({inner}, {other} - 0.5)"

    def within(self, axes, v):
        """A value of one tensor alone."""
        bodies = [
            f"tanh({v}) * {v}",
            f"softmax({v}, over={axes[-1]}) + {v}",
            f"clamp({v}, -2.0, 2.0) - mean(clamp({v}, -2.0, 2.0))",
            f"{v} |> map(e => e / (1.5 + abs(e)), over={axes[0]})",
            f"{v} |> map(e => e * sum({v}), over={axes[0]})",
        ]
        return self.pick(bodies)

    def cut(self, axis):
        """A slice of an axis of known size."""
        cuts = ["..", "1..3", "..-1", ".. by -1", "2..0 by -1", ".. by 2", ".. by -2"]
        return self.pick([*cuts, "-1..0 by -2", f"{DIMS[axis] - 1}..0 by -1"])

    def setter(self, name, axes):
        """A function that changes some elements of its own copy."""
        shape = " ".join(axes)
        head = f"fn {name}(x: [{shape}]{self.of}, v: []{self.of}) -> [{shape}]{self.of}:"
        lines = [head, "    y = x"]
        for _ in range(self.random.randint(1, 2)):
            items = [self.cut(a) if a in DIMS else ".." for a in axes]
            form = self.random.random()
            if form < 0.3:
                lines.append("    y[x > 0.537] = v")
            elif form < 0.6:
                at = self.random.randrange(len(axes))
                items[at] = self.pick(["0", "-1"])
                value = self.pick(["v", "0.25", "v * 0.5"])
                lines.append(f"    y[{', '.join(items)}] = {value}")
            elif form < 0.8 and len(axes) == 1 and axes[0] in DIMS:
                item = items[0]
                lines.append(f"    y[{item}] = y[{item}] * 0.5 + v")
            elif form < 0.9:
                item = self.pick(["[0, -1]", "[-1]"])
                lines.append(f"    y[{item}{', ..' * (len(axes) - 1)}] = v + 0.125")
            else:
                lines.append(f"    y[{', '.join(items)}] = v")
        return "\n".join([*lines, "    return y"])

    def sliced(self, axes, depth, scope):
        """The sum of a part of a tensor."""
        tensors = [v for v in scope if v.axes and not v.of]
        if not tensors:
            return self.leaf(axes, scope)
        x = self.pick(tensors)
        items = [self.cut(a) if a in DIMS else self.pick(["..", "1..", "..-1"]) for a in x.axes]
        if self.chance(0.3):
            other = self.pick(["0", "-1", "[0, -1]", "newaxis, .."])
            items[self.random.randrange(len(items))] = other
        if self.chance(0.2):
            at = self.random.randrange(len(items) + 1)
            items = [*items[:at], "..."]
        picked = f"{x.name}[{', '.join(items)}]"
        # Weights tell the order of the elements.
        if ".." in items[-1] and items[-1] != "...":
            return f"sum(cumsum({picked} * {self.literal()}, over=-1))"
        return f"sum({picked})"

    def ranged(self, axes, depth, scope):
        i = self.fresh("i")
        end = self.pick([a for a in [*AXES, *DIMS]])
        body = f"({i} to {self.dtype}) * 0.25 + tanh({self.within_lambda((), depth, scope)})"
        start = self.pick(["0", "0", "1"]) if end in DIMS else "0"
        return f"({start}..{end} |> map({i} => {body}) |> sum)"

    def pairs(self, axes, depth, scope):
        """A chain of pairs or triples, perhaps filtered."""
        vectors = [v for v in scope if len(v.axes) == 1 and not v.of]
        if not vectors:
            return self.leaf(axes, scope)
        x = self.pick(vectors)
        axis = x.axes[0]
        parts = [(x.name, Variable(self.fresh("a"), ()))]
        head = x.name
        for _ in range(self.random.randint(1, 2)):
            if self.chance(0.3):
                other = Variable(self.fresh("k"), (), axis)
                head += f" |> zip({axis})"
            else:
                other = Variable(self.fresh("b"), ())
                head += f" |> zip({self.pick([v for v in vectors if v.axes == x.axes]).name})"
            parts.append((None, other))
        names = ", ".join(part.name for _, part in parts)
        inner = [*scope, *[part for _, part in parts]]
        self.lambdas += 1
        if self.chance(0.6):
            head += f" |> filter(({names}) => {self.truth((), 1, inner)})"
            # Plain text, which runs where nothing is kept too.
            terms = [f"({v.name} to {self.dtype})" if v.of else v.name for _, v in parts]
            body = f" {self.pick(['+', '*', '-'])} ".join(terms)
        else:
            body = self.value((), depth - 2, inner)
        self.lambdas -= 1
        return f"({head} |> map(({names}) => {body}) |> sum)"

    def masked(self, axes, depth, scope):
        tensors = [v for v in scope if v.axes and not v.of]
        x = self.pick(tensors)
        return f"sum({x.name}[{self.truth(x.axes, 1, scope)}])"

    def truth(self, axes, depth, scope):
        """A bool."""
        if depth > 0 and self.chance(0.3):
            left = self.truth(axes, depth - 1, scope)
            right = self.truth(axes, depth - 1, scope)
            return f"({left} {self.pick(['and', 'or'])} {right})"
        if depth > 0 and self.chance(0.2):
            return f"(not {self.truth(axes, depth - 1, scope)})"
        indices = [v for v in scope if v.of and v.axes == axes]
        if indices and self.chance(0.5):
            name = self.pick(indices).name
            return f"({name} {self.pick(['<', '>=', '=='])} {self.random.randint(0, 3)})"
        return f"({self.leaf(axes, scope)} {self.pick(['<', '>'])} 0.{self.random.randint(1, 9)}37)"

    def whole(self, axes, depth, scope):
        """An i64."""
        indices = [v.name for v in scope if v.of and v.axes == axes]
        if indices:
            name = self.pick(indices)
            forms = [name, f"({name} * 3 - 1)", f"({name} // 2)", f"({name} % 3 - 1)"]
            return self.pick([*forms, f"(-{name} // 2)"])
        if len(axes) == 1 and self.chance(0.5):
            return f"arange({axes[0]})"
        axis = self.free_axis(axes)
        if axis and len(axes) < 3:
            inner = self.value((*axes, axis), depth - 1, scope)
            if self.chance(0.5):
                return f"argmax({inner} > {self.LIMIT}, over={axis})"
            return f"count({inner} < {self.LIMIT}, over={axis})"
        return f"({self.truth(axes, depth, scope)} to i64)"

    # Chains

    def within_lambda(self, axes, depth, scope):
        self.lambdas += 1
        body = self.value(axes, depth - 1, scope)
        self.lambdas -= 1
        return body

    def iterated(self, axis, scope):
        """Variables with an axis, to be taken apart along it."""
        return [v for v in scope if axis in v.axes and not v.of]

    def chain(self, axes, depth, scope):
        axis, rest = axes[0], axes[1:]
        tensors = self.iterated(axis, scope)
        kind = self.random.random()
        if not tensors or kind < 0.3:
            i = self.fresh("i")
            body = self.within_lambda(rest, depth, [*scope, Variable(i, (), axis)])
            return f"({axis} |> map({i} => {body}))"
        x = self.pick(tensors)
        v = self.fresh("v")
        element = Variable(v, [a for a in x.axes if a != axis])
        over = f"over={axis}"
        if kind < 0.55:
            body = self.within_lambda(rest, depth, [*scope, element])
            return f"({x.name} |> map({v} => {body}, {over}))"
        if kind < 0.7:
            i = self.fresh("i")
            own = [*scope, Variable(i, (), axis), element]
            body = self.within_lambda(rest, depth, own)
            return f"({x.name} |> enumerate({over}) |> map(({i}, {v}) => {body}))"
        if kind < 0.9:
            # The result of a map is iterated where the map was, whatever over= says.
            y = self.pick([v for v in tensors if v.axes[0] == axis or not v.is_result] or [x])
            if y.is_result and y.axes[0] != axis:
                return self.leaf(axes, scope)
            w = self.fresh("w")
            other = Variable(w, [a for a in y.axes if a != axis])
            body = self.within_lambda(rest, depth, [*scope, element, other])
            if x.axes[0] == axis and y.axes[0] == axis and not element.axes and not other.axes:
                return f"({x.name} |> zip({y.name}) |> map(({v}, {w}) => {body}))"
            if element.axes:
                return self.mapped_first(x, y, axis, v, w, body)
            return f"({x.name} |> zip({y.name}, {over}) |> map(({v}, {w}) => {body}))"
        name = self.pick(self.NAMED)
        if x.axes == axes:
            body = self.within_lambda(rest, depth, [*scope, Variable(v, element.axes)])
            return f"({x.name} |> map({name}, {over}) |> map({v} => {body}))"
        return f"({axis} |> map(_ => {self.within_lambda(rest, depth, scope)}))"

    def mapped_first(self, x, y, axis, v, w, body):
        head = f"{x.name} |> map(e => e * {self.HALF}, over={axis})"
        return f"({head} |> zip({y.name}, over={axis}) |> map(({v}, {w}) => {body}))"

    def filtered(self, axes, depth, scope):
        tensors = [v for v in scope if v.axes and not v.of]
        if not tensors:
            return self.leaf(axes, scope)
        x = self.pick(tensors)
        axis = self.pick(x.axes)
        v = self.fresh("v")
        element = Variable(v, [a for a in x.axes if a != axis])
        self.lambdas += 1
        keeps = self.truth((), depth - 1, [*scope, element, element])
        self.lambdas -= 1
        reduction = self.pick(["sum", "sum", "count", "logsumexp", "prod"])
        head = f"{x.name} |> filter({v} => {keeps}, over={axis})"
        if reduction == "count":
            if self.lambdas or element.axes:
                return f"({head} |> sum)"
            return f"(({head} |> map({v} => {v} > 0.37) |> count) to {self.dtype})"
        if reduction == "prod":
            head = f"tanh({x.name}) |> filter({v} => {keeps}, over={axis})"
        if reduction == "logsumexp":
            return f"sigmoid({head} |> logsumexp)"
        return f"({head} |> {reduction})"

    # Statements

    def body(self, axes, scope):
        """The lines of a function's body."""
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(scope)
        lines.append(f"return {self.value(axes, 3, scope)}")
        return lines

    def shape(self, most=2):
        axes = [*AXES, *DIMS]
        self.random.shuffle(axes)
        return tuple(axes[: self.random.randint(1, most)])

    def statement(self, scope):
        axes = self.shape()
        kind = self.random.random()
        name = self.fresh("y")
        first = f"{name} = {self.value(axes, 2, scope)}"
        if kind < 0.35:
            scope.append(Variable(name, axes, is_result=True))
            return [first]
        i = self.fresh("i")
        axis = axes[0]
        host = [v for v in scope if v.of is None]
        if kind < 0.6:
            # An accumulator over an axis.
            x = self.pick([v for v in scope if v.axes and not v.of])
            over = self.pick(x.axes)
            at = x.axes.index(over)
            rest = tuple(a for a in x.axes if a != over)
            start = "0.5" if not rest else self.value(rest, 1, host)
            picked = f"{x.name}[{'.., ' * at}{i}]"
            term = self.pick([picked, f"tanh({picked})", f"{picked} * 0.5"])
            lines = [f"{name} = {start}", f"for {i} in 0..{over}:"]
            lines.append(f"    {name} = {name} * 0.5 + {term}")
            scope.append(Variable(name, rest))
            return lines
        if kind < 0.85:
            # Index assignment in a loop.
            rest = axes[1:]
            term = self.value(rest, 1, host)
            back = f"{name}[{i} - 1] * 0.5 + {term}"
            lines = [first, f"for {i} in 0..{axis}:", f"    {name}[{i}] = {back}"]
            scope.append(Variable(name, axes, is_result=True))
            return lines
        x = self.pick([v for v in scope if v.axes and not v.of])
        over, row = self.pick(x.axes), self.fresh("r")
        rest = tuple(a for a in x.axes if a != over)
        lines = [f"{name} = 0.25", f"for {row} in {x.name} over {over}:"]
        term = f"sum({row})" if rest else row
        lines.append(f"    if sum({row}) > 0.537:" if rest else f"    if {row} > 0.537:")
        lines.append(f"        {name} = {name} * 0.5 + {term}")
        lines.append("    else:")
        lines.append(f"        {name} = {name} - 0.125 * {term}")
        scope.append(Variable(name, ()))
        return lines

    def function(self):
        scope = [Variable("x", ("n", "m")), Variable("y", ("n",)), Variable("z", ("m",))]
        scope.append(Variable("u", ("p", "D")))
        more = [Variable("w", ("D", "H")), Variable("t", ("n", "p", "m")), Variable("s", ())]
        scope += self.random.sample(more, self.random.randint(0, 2))
        if self.chance(0.5):
            of, along = self.random.sample(AXES, 2)
            scope.append(Variable("j", (along,), of))
        if self.chance(0.3):
            scope.append(Variable("q", (), self.pick(AXES)))
        result = self.shape(2) if self.chance(0.8) else ()
        params = ", ".join(f"{v.name}: {self.type_of(v)}" for v in scope)
        head = f"fn f({params}) -> [{' '.join(result)}]{self.of}"
        if self.chance(0.4):
            lines = [f"{head}:"] + [f"    {line}" for line in self.body(result, list(scope))]
        else:
            lines = [f"{head} = {self.value(result, self.random.randint(*self.DEPTH), scope)}"]
        dims = [f"dim {name} = {size}" for name, size in DIMS.items()]
        return "\n".join([*dims, *self.helpers, *lines])

    def type_of(self, variable):
        shape = f"[{' '.join(variable.axes)}]"
        return f"{shape} i64 Index[{variable.of}]" if variable.of else f"{shape}{self.of}"
