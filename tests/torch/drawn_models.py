"""Random models: see random_programs.py."""

import random


class ModelProgram:
    """Models of random layers, made from a seed, run, changed and copied by a script."""

    ACTIVATIONS = ["tanh", "relu", "sigmoid", "gelu", "silu"]

    def __init__(self, seed, dtype="f32"):
        self.random = random.Random(seed)
        # What a type says beside its shape.
        self.of = "" if dtype == "f32" else f" {dtype}"

    def number(self):
        return f"{self.random.randint(1, 12) / 8}"

    def first_values(self, size):
        pick = self.random.choice
        return pick(
            [
                f"normal({self.number()})",
                f"normal(1.0 / sqrt({size}))",
                "uniform(-0.5, 0.5)",
                "ones",
                f"full({self.number()})",
                f"normal(0.5, mean={self.number()})",
            ]
        )

    def function(self):
        pick = self.random.choice
        lines = ["dim D = 4", "dim H = 3", "model Linear[I O]:"]
        lines.append(f"    w: [I O]{self.of} = {self.first_values('I')}")
        lines.append(f"    b: [O]{self.of} = {pick(['zeros', 'uniform(-0.25, 0.25)'])}")
        lines.append(
            f"    fn forward(self, x: [n I]{self.of}) -> [n O]{self.of} = x @ self.w + self.b"
        )
        lines.append(f"    fn scale(mut self, k: float) -> []{self.of}:")
        lines.append("        self.w = self.w * k")
        lines.append("        return sum(self.w) + sum(self.b)")
        count, hidden = self.random.randint(1, 3), pick(["H", "(D + 1)", "5", "D"])
        lines.append("model Block[W]:")
        lines.append(f"    up: Linear[W {hidden}]")
        lines.append(f"    down: Linear[{hidden} W]")
        lines.append(f"    gain: [W]{self.of} = {self.first_values('W')}")
        act = pick(self.ACTIVATIONS)
        body = f"self.down({act}(self.up(x)))"
        rest = pick(["tanh(x)", "x * 0.5", "layer_norm(x, over=W)"])
        own = f"[n W]{self.of}"
        lines.append(f"    fn forward(self, x: {own}) -> {own} = {rest} + {body} * self.gain")
        lines += ["model Net:", f"    blocks: {count} * Block[D]", "    head: Linear[D H]"]
        lines.append(f"    steps: [] i64 = {pick(['zeros', 'ones'])}")
        lines += [f"    fn forward(self, x: [n D]{self.of}) -> [n H]{self.of}:", "        y = x"]
        if pick([True, False]):
            lines += ["        for block in self.blocks:", "            y = y + tanh(block(y))"]
        else:
            lines.append("        for i in 0..len(self.blocks):")
            lines.append("            y = y + tanh(self.blocks[i](y))")
        lines.append(f"        return {pick(['self.head(y)', 'softmax(self.head(y), over=H)'])}")
        lines += [f"    fn learn(mut self, k: float) -> []{self.of}:", "        s = 0.0"]
        lines.append("        for i in 0..len(self.blocks):")
        lines.append("            s = s + mut self.blocks[i].up.scale(k / (i + 1))")
        lines.append(f"        self.blocks[{pick(['0', '-1'])}].gain = ones([D]{self.of}) * k")
        lines += ["        self.steps = self.steps + 1", "        return s"]
        lines.append(f"net = Net(seed={self.random.randint(0, 10**6)})")
        rows = [
            ", ".join(self.number() for _ in range(4)) for _ in range(self.random.randint(1, 3))
        ]
        lines.append(f"x = [[{'], ['.join(rows)}]]{' to' + self.of if self.of else ''}")
        lines += ["net(x)", f"old = net{pick(['', '.blocks[0]'])}"]
        lines += [f"mut net.learn({self.number()})", "net(x)", "net.steps"]
        lines.append("old(x)")
        lines.append("net.blocks[0].up.w")
        lines.append("x |> map(row => sum(net(row[newaxis, ..])), over=-2)")
        return "\n".join(lines)
