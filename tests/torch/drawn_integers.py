"""Random functions of whole numbers of every dtype: see random_programs.py."""

from drawn_functions import Program, Variable


class IntegerProgram(Program):
    """One random function of whole numbers, which wrap around at the ends of their dtype."""

    NAMED = ["abs", "square", "sign"]
    HALF, LIMIT = "2", "3"
    WHOLE, STEP = "max", "3"

    def to(self, text):
        """A sum, count or index, which has 64 bits."""
        return f"({text} to {self.dtype})"

    def ways(self, axes):
        ways = [
            self.binary,
            self.binary,
            self.unary,
            self.reduction,
            self.reduction,
            self.chosen,
            self.indexed,
            self.indexed,
            self.converted,
            self.called,
            self.leaf_at,
        ]
        if axes:
            ways += [self.chain] * 6 + [self.along, self.gathered, self.reordered, self.joined]
        else:
            ways += [self.filtered] * 3 + [self.sliced, self.ranged]
            if not self.lambdas:
                ways += [self.pairs, self.masked]
        return ways

    def literal(self):
        return str(self.random.randint(1, 6))

    def number(self):
        return self.to(self.literal())

    def narrowed(self, variable, over):
        return self.to(f"sum({variable.name}, over={over})")

    def binary(self, axes, depth, scope):
        left = self.value(axes, depth - 1, scope)
        right = self.value(axes[self.random.randint(0, len(axes)) :], depth - 1, scope)
        form = self.random.random()
        if form < 0.2:
            return f"({left} {self.pick(['//', '%'])} {self.random.randint(2, 7)})"
        if form < 0.3:
            right = self.literal()
        if form < 0.45:
            way = self.pick(["bitwise_and", "bitwise_or", "bitwise_xor"])
            return f"{way}({left}, {right})"
        if form < 0.6:
            return f"{self.pick(['maximum', 'minimum'])}({left}, {right})"
        return f"({left} {self.pick(['+', '-', '*'])} {right})"

    def unary(self, axes, depth, scope):
        inner = self.value(axes, depth - 1, scope)
        forms = ["abs({})", "clamp({}, 1, 9)", "square({})", "sign({})"]
        if self.dtype != "u8":
            forms += ["(-{})", "neg({})"]
        return self.pick(forms).format(inner)

    def reduction(self, axes, depth, scope):
        axis = self.free_axis(axes)
        if axis is None or len(axes) > 2:
            return self.leaf(axes, scope)
        at = self.random.randint(0, len(axes))
        inner = self.value(axes[:at] + (axis,) + axes[at:], depth - 1, scope)
        if self.chance(0.4):
            return f"{self.pick(['max', 'min'])}({inner}, over={axis})"
        way = self.pick(["sum", "sum", "prod", "argmax", "argmin", "count"])
        inner = f"{inner} > {self.literal()}" if way == "count" else inner
        return self.to(f"{way}({inner}, over={axis})")

    def chosen(self, axes, depth, scope):
        condition = self.truth(axes, depth - 1, scope)
        then = self.value(axes, depth - 1, scope)
        otherwise = self.literal() if self.chance(0.3) else self.value(axes, depth - 1, scope)
        return f"where({condition}, {then}, {otherwise})"

    def along(self, axes, depth, scope):
        inner, axis = self.value(axes, depth - 1, scope), self.pick(axes)
        if self.chance(0.3):
            way = self.pick(["cumsum", "argsort"])
            return self.to(f"{way}({inner}, over={axis})")
        return f"{self.pick(['flip', 'sort', 'cummax', 'cummin'])}({inner}, over={axis})"

    def joined(self, axes, depth, scope):
        inner, other = (self.value(axes, depth - 1, scope) for _ in range(2))
        if self.chance(0.5):
            return f"stack({inner}, {other})[{self.pick(['0', '1', '-1'])}]"
        if len(axes) == 2 and self.chance(0.3):
            return f"{self.pick(['tril', 'triu'])}({inner})"
        return f"roll({inner}, {self.pick(['1', '-1', '2'])}, over={self.pick(axes)})"

    def called(self, axes, depth, scope):
        inner, name = self.value(axes, depth - 1, scope), self.fresh("h")
        shape = f"[{' '.join(axes)}]{self.of}"
        form = self.random.random()
        if form < 0.4 or not axes:
            body = self.pick(["v * v - 3", "where(v > 2, v, v * 2)", "v // 2 + v % 3"])
            self.helpers.append(f"fn {name}(v) = {body}")
        elif form < 0.7:
            body = self.pick(["x - max(x)", f"x |> map(e => e * max(x), over={axes[0]})"])
            self.helpers.append(f"fn {name}(x: {shape}) -> {shape} = {body}")
        else:
            items = [self.cut(a) if a in ("D", "H") else ".." for a in axes]
            sets = [f"y[{', '.join(items)}] = {self.literal()}", "y[x > 2] = max(x)", "y[0] = 3"]
            lines = [f"fn {name}(x: {shape}) -> {shape}:", "    y = x", f"    {self.pick(sets)}"]
            self.helpers.append("\n".join([*lines, "    return y"]))
        return f"{name}({inner})"

    def sliced(self, axes, depth, scope):
        return self.to(super().sliced(axes, depth, scope))

    def ranged(self, axes, depth, scope):
        i, end = self.fresh("i"), self.pick(["n", "m", "p", "D", "H"])
        body = f"{self.to(i)} * 3 + {self.within_lambda((), depth, scope)}"
        return self.to(f"(0..{end} |> map({i} => {body}) |> sum)")

    def pairs(self, axes, depth, scope):
        return self.to(super().pairs(axes, depth, scope))

    def masked(self, axes, depth, scope):
        return self.to(super().masked(axes, depth, scope))

    def filtered(self, axes, depth, scope):
        tensors = [v for v in scope if v.axes and not v.of]
        if not tensors:
            return self.leaf(axes, scope)
        x = self.pick(tensors)
        axis, v = self.pick(x.axes), self.fresh("v")
        element = Variable(v, [a for a in x.axes if a != axis])
        self.lambdas += 1
        keeps = self.truth((), depth - 1, [*scope, element, element])
        self.lambdas -= 1
        head = f"{x.name} |> filter({v} => {keeps}, over={axis})"
        return self.to(f"({head} |> {self.pick(['sum', 'sum', 'prod'])})")

    def truth(self, axes, depth, scope):
        if depth > 0 and self.chance(0.3):
            left, right = (self.truth(axes, depth - 1, scope) for _ in range(2))
            return f"({left} {self.pick(['and', 'or'])} {right})"
        if depth > 0 and self.chance(0.2):
            return f"(not {self.truth(axes, depth - 1, scope)})"
        return f"({self.leaf(axes, scope)} {self.pick(['<', '>=', '==', '!='])} {self.literal()})"

    def statement(self, scope):
        axes, name, i = self.shape(), self.fresh("y"), self.fresh("i")
        first = f"{name} = {self.value(axes, 2, scope)}"
        scope.append(Variable(name, axes, is_result=True))
        if self.chance(0.5):
            return [first]
        term = self.value(axes[1:], 1, [v for v in scope[:-1] if v.of is None])
        back = f"{name}[{i}] = {name}[{i} - 1] * 2 + {term}"
        return [first, f"for {i} in 0..{axes[0]}:", f"    {back}"]
