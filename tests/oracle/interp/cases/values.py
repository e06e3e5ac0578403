"""Operators, built-ins, conversions, draws, output."""

CASES = [
    (
        "floats",
        """
a = [[1.5, -2.0, 0.0], [3.25, -0.5, 7.0]]
b = [2.0, -4.0, 0.5]
a + b
a - b
a * b
a / b
a // b
a % b
a ** 2
b ** a
2.0 - a
1.0 / b
-a
a > b
a >= 1.5
a == a
a != b
maximum(a, b)
minimum(a, 0.5)
atan2(a, b)
hypot(a, b)
fmod(a, b)
where(a > 0.0, a, b)
where(a > 0.0, 1.0, a)
clamp(a, -1.0, 2.0)
(a > 0.0) and (b > 0.0)
(a > 0.0) or (b > 0.0)
not (a > 0.0)
logical_and(a, b)
logical_xor(a > 0.0, b > 0.0)
""",
        """
a = torch.tensor([[1.5, -2.0, 0.0], [3.25, -0.5, 7.0]])
b = torch.tensor([2.0, -4.0, 0.5])
for v in (a + b, a - b, a * b, a / b, a // b, a % b, a**2, b**a, 2.0 - a, 1.0 / b, -a, a > b,
          a >= 1.5, a == a, a != b, torch.maximum(a, b), a.clamp(max=0.5), torch.atan2(a, b),
          torch.hypot(a, b), torch.fmod(a, b), torch.where(a > 0, a, b),
          torch.where(a > 0, 1.0, a), a.clamp(-1, 2), (a > 0) & (b > 0), (a > 0) | (b > 0),
          ~(a > 0), torch.logical_and(a, b), (a > 0) ^ (b > 0)):
    show(v)
""",
    ),
    (
        "whole numbers",
        """
a = [7, -7, 6, 0]
b = [2, 2, -4, 3]
a + b
a - b
a * b
a // b
a % b
fmod(a, b)
a ** 2
abs(a)
sign(a)
-a
a < b
bitwise_and(a, b)
bitwise_or(a, b)
bitwise_xor(a, b)
relu(a)
square(a)
floor(a)
a to f32
a to bool
a to f64
sum(a)
prod(b)
max(a)
min(a)
count(a)
cumsum(a)
argmax(a)
any(a)
all(a)
sort(a)
[true, false] to i64
[1.9, -1.9, 0.0] to i64
[1.9, -1.9, 0.0] to bool
9223372036854775807 + [1]
""",
        """
a = torch.tensor([7, -7, 6, 0])
b = torch.tensor([2, 2, -4, 3])
for v in (a + b, a - b, a * b, a // b, a % b, torch.fmod(a, b), a**2, a.abs(), a.sign(), -a, a < b,
          a & b, a | b, a ^ b, a.relu(), a.square(), a.floor(), a.float(), a.bool(), a.double(),
          a.sum(), b.prod(), a.amax(), a.amin(), a.count_nonzero(), a.cumsum(0), a.argmax(),
          a.any(), a.all(), a.sort().values, torch.tensor([1, 0]),
          torch.tensor([1.9, -1.9, 0.0]).long(), torch.tensor([1.9, -1.9, 0.0]).bool(),
          9223372036854775807 + torch.tensor([1])):
    show(v)
""",
    ),
    (
        "functions of one tensor",
        "x = [0.1, 0.5, 0.9, -0.3, 0.0, -0.99]\n"
        + "\n".join(
            f"{name}(x)"
            for name in """abs neg sign exp expm1 square sin cos tan asin acos atan sinh cosh tanh
            sigmoid relu gelu silu softplus erf floor ceil round trunc isnan isinf isfinite""".split()
        )
        + "\ny = [0.1, 1.0, 2.5, 100.0]\n"
        + "\n".join(f"{name}(y)" for name in "log log1p log2 log10 sqrt rsqrt reciprocal".split())
        + "\nlog([-1.0, 0.0])\n[1.0, -1.0] / 0.0\nround([0.5, 1.5, 2.5, -0.5])\n",
        """
x = torch.tensor([0.1, 0.5, 0.9, -0.3, 0.0, -0.99])
for name in '''abs neg sign exp expm1 square sin cos tan asin acos atan sinh cosh tanh
            sigmoid relu gelu silu softplus erf floor ceil round trunc isnan isinf isfinite'''.split():
    show(getattr(torch if hasattr(torch, name) else F, name)(x))
y = torch.tensor([0.1, 1.0, 2.5, 100.0])
for name in "log log1p log2 log10 sqrt rsqrt reciprocal".split():
    show(getattr(torch, name)(y))
show(torch.log(torch.tensor([-1.0, 0.0])))
show(torch.tensor([1.0, -1.0]) / 0.0)
show(torch.round(torch.tensor([0.5, 1.5, 2.5, -0.5])))
""",
    ),
    (
        "reductions",
        """
dim D = 4
dim E = 3
fn all_of(x: [n D E]) -> ([], [n E], [n], [n D], [D], [], [n D], []):
    return (sum(x), mean(x, over=D), prod(x, over=(D, E)), max(x, over=E), min(x, over=(n, E)), var(x), std(x, over=E), norm(x))
fn more(x: [n D E]) -> ([n D], [n D], [n E] i64, [] i64, [n] bool, [n] bool, [D] i64):
    return (logsumexp(x, over=E), norm(x, over=-1), argmax(x, over=D) to i64, argmin(x) to i64, any(x > 2.0, over=(D, E)), all(x > -2.0, over=(D, E)), count(x > 0.0, over=(n, E)))
x = normal([5 D E], seed=21)
all_of(x)
more(x)
sum(x > 0.0)
sum(x to f64)
""",
        """
x = torch.normal(0.0, 1.0, (5, 4, 3), generator=seeded(21))
for v in (x.sum(), x.mean(1), x.prod(2).prod(1), x.amax(2), x.amin((0, 2)), x.var(), x.std(2),
          torch.linalg.vector_norm(x), x.logsumexp(2), torch.linalg.vector_norm(x, dim=-1),
          x.argmax(1), x.argmin(), (x > 2).any(2).any(1), (x > -2).all(2).all(1),
          (x > 0).sum((0, 2)), (x > 0).sum(), x.double().sum()):
    show(v)
""",
    ),
    (
        "along an axis",
        """
dim D = 4
fn all_of(x: [n D]) -> ([n D], [n D], [n D], [n D], [n D], [n D], [n D], [n D], [n D] i64, [n D]):
    return (cumsum(x, over=n), cumprod(x, over=D), cummax(x, over=n), cummin(x, over=D), softmax(x, over=n), log_softmax(x, over=D), normalize(x, over=n), sort(x, over=n), argsort(x, over=D) to i64, flip(x, over=n))
all_of(normal([5 D], seed=22))
softmax([1000.0, 1000.0])
""",
        """
x = torch.normal(0.0, 1.0, (5, 4), generator=seeded(22))
for v in (x.cumsum(0), x.cumprod(1), x.cummax(0).values, x.cummin(1).values, x.softmax(0),
          x.log_softmax(1), F.normalize(x, dim=0), x.sort(0).values, x.argsort(1), x.flip(0),
          torch.tensor([1000.0, 1000.0]).softmax(0)):
    show(v)
""",
    ),
    (
        "matrix products",
        """
a = normal([3 4], seed=1)
b = normal([4 5], seed=2)
v = normal([4], seed=3)
c = normal([2 3 4], seed=4)
d = normal([2 4 2], seed=5)
a @ b
a @ v
v @ b
v @ v
c @ b
c @ d
c @ v
[[1, 2], [3, 4]] @ [[5], [6]]
""",
        """
def draw(*shape, seed):
    return torch.normal(0.0, 1.0, shape, generator=seeded(seed))
a, b, v, c, d = (draw(3, 4, seed=1), draw(4, 5, seed=2), draw(4, seed=3), draw(2, 3, 4, seed=4),
                 draw(2, 4, 2, seed=5))
for r in (a @ b, a @ v, v @ b, v @ v, c @ b, c @ d, c @ v, torch.tensor([[17], [39]])):
    show(r)
""",
    ),
    (
        "indexing",
        """
x = normal([4 5 6], seed=31)
x[0]
x[-1, 2]
x[1, 2, 3]
x[1..3]
x[.., 0..5 by 2]
x[.., .. by -1]
x[..., 0]
x[newaxis, 0]
x[[1, 3]]
x[.., [0, 4, 4]]
x[[0, 1], [2, 3]]
x[[0, 1], .., [2, 3]]
x[.., [0, 1], [2, 3]]
x[[[0, 1], [2, 3]], 0]
x[x > 1.0]
m = x[.., 0, 0] > 0.0
x[m]
x[m, 0]
x[-1, .., -2]
""",
        """
x = torch.normal(0.0, 1.0, (4, 5, 6), generator=seeded(31))
m = x[:, 0, 0] > 0
for v in (x[0], x[-1, 2], x[1, 2, 3], x[1:3], x[:, 0:5:2], x.flip(1), x[..., 0], x[None, 0],
          x[[1, 3]], x[:, [0, 4, 4]], x[[0, 1], [2, 3]], x[[0, 1], :, [2, 3]],
          x[:, [0, 1], [2, 3]], x[torch.tensor([[0, 1], [2, 3]]), 0], x[x > 1], x[m], x[m, 0],
          x[-1, :, -2]):
    show(v)
""",
    ),
    (
        "index assignment",
        """
x = normal([4 5], seed=32)
y = x
y[0] = 1.0
y[-1, 2] = 9.0
y[1..3, 0] = [5.0, 6.0]
y[.., 4] = sum(x, over=-1)
y[[0, 2], [1, 1]] = [7.0, 8.0]
y[.., [2, 3]] = [[0.5, 0.25]]
y[3] += 1.0
y
x
z = x
z[z > 0.5] = 0.0
z
k = [1, 2, 3]
k[1] = 10
k
w = x
w[1..3, 0..5 by 2] = x[0..2, 0..3]
w[.., .. by -1] = x
w
c = zeros([2 3 4])
c[.., [0, 2], 1] = [[1.0, 2.0], [3.0, 4.0]]
c[[0, 1], .., [3, 2]] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
c
""",
        """
x = torch.normal(0.0, 1.0, (4, 5), generator=seeded(32))
y = x.clone()
y[0] = 1.0
y[-1, 2] = 9.0
y[1:3, 0] = torch.tensor([5.0, 6.0])
y[:, 4] = x.sum(1)
y[[0, 2], [1, 1]] = torch.tensor([7.0, 8.0])
y[:, [2, 3]] = torch.tensor([[0.5, 0.25]])
y[3] += 1
show(y)
show(x)
z = x.clone()
z[z > 0.5] = 0
show(z)
show(torch.tensor([1, 10, 3]))
w = x.clone()
w[1:3, 0:5:2] = x[0:2, 0:3]
w = x.flip(1)
show(w)
c = torch.zeros(2, 3, 4)
c[:, [0, 2], 1] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
c[[0, 1], :, [3, 2]] = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
show(c)
""",
    ),
    (
        "rearranging and stating",
        """
dim H = 2
dim K = 3
dim D = H * K
fn heads(x: [n D]) -> [H n K] = x to [H n K]
fn joined(x: [H n K]) -> [n D] = x to [n D]
fn turned(x: [n m]) -> [m n] = x to [m n]
fn flat(x: [n m]) -> [(n * m)] = x to [(n * m)]
fn column(x: [n]) -> [n 1] = x to [n 1]
fn stated(x: [n m]) -> [n n]:
    y = x as [n n]
    return y
x = normal([4 D], seed=33)
heads(x)
joined(heads(x))
turned(x)
flat(x)
column([1.0, 2.0])
stated(normal([3 3], seed=34))
([1.0, 2.0, 3.0, 4.0, 5.0, 6.0] to [2 3])
kept = x[x[.., 0] > 0.0] as [k D]
k |> map(i => sum(kept[i]))
""",
        """
x = torch.normal(0.0, 1.0, (4, 6), generator=seeded(33))
for v in (x.reshape(4, 2, 3).permute(1, 0, 2), x, x.T, x.reshape(-1), torch.tensor([[1.0], [2.0]]),
          torch.normal(0.0, 1.0, (3, 3), generator=seeded(34)),
          torch.arange(1.0, 7.0).reshape(2, 3), x[x[:, 0] > 0].sum(1)):
    show(v)
""",
    ),
    (
        "draws",
        """
normal([3], seed=0)
normal([15], seed=1)
normal([16], seed=1)
normal([17], seed=1)
normal([5 8], std=0.5, mean=2.0, seed=7)
normal([5] f64, seed=3)
normal([21] f64, std=2.0, mean=1.0, seed=3)
uniform([5], seed=4)
uniform([40], low=-1.0, high=3.0, seed=4)
uniform([4] f64, seed=4)
""",
        """
def draw(shape, seed, std=1.0, mean=0.0, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype).normal_(mean, std, generator=seeded(seed))
def even(shape, seed, low=0.0, high=1.0, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype).uniform_(low, high, generator=seeded(seed))
for v in (draw(3, 0), draw(15, 1), draw(16, 1), draw(17, 1), draw((5, 8), 7, 0.5, 2.0),
          draw(5, 3, dtype=torch.float64), draw(21, 3, 2.0, 1.0, torch.float64), even(5, 4),
          even(40, 4, -1.0, 3.0), even(4, 4, dtype=torch.float64)):
    show(v)
""",
    ),
    (
        "host numbers",
        """
a = 7
b = -2
a // b
a % b
a / b
a ** 2
2 ** -1.0
a * 1.5
a > b and not (b > 0)
abs(b)
maximum(a, 3)
sqrt(2.0)
exp(1)
7.5 // 2.0
-7.5 % 2.0
a if a > b else b
x = [1.0, 2.0]
x * a
x ** b
item(x[0]) + 1.0
item(sum([1, 2]))
0.1 + 0.2
""",
        """
a, b = 7, -2
for v in (a // b, a % b, a / b, a**2, 2**-1.0, a * 1.5, a > b and not b > 0, abs(b), max(a, 3),
          math.sqrt(2.0), math.exp(1), 7.5 // 2.0, -7.5 % 2.0, a if a > b else b):
    show(v)
x = torch.tensor([1.0, 2.0])
for v in (x * a, x**b, x[0].item() + 1.0, 3, 0.1 + 0.2):
    show(v)
""",
    ),
    (
        "printing",
        """
x = [[1.0, 0.1], [-2.5, 1e10]]
print(x)
print("sum:", sum(x), 3, 0.5, true)
print([1, 2, 3] > 1)
print(f"{x[0]} and {1 + 1} is {0.1 + 0.2}")
print([1.0, -1.0] / 0.0, log([-1.0]))
print(1e16, 1e-5, 123456789.0, 1.0)
print(normal([2 3] f64, seed=1))
print(zeros([2 2 2]) to i64)
""",
        """
x = torch.tensor([[1.0, 0.1], [-2.5, 1e10]])
say(x)
say("sum:", x.sum(), 3, 0.5, True)
say(torch.tensor([1, 2, 3]) > 1)
say(f"{x[0].tolist()} and {1 + 1} is {0.1 + 0.2}")
say(torch.tensor([1.0, -1.0]) / 0.0, torch.log(torch.tensor([-1.0])))
say(1e16, 1e-5, 123456789.0, 1.0)
say(torch.empty(2, 3, dtype=torch.float64).normal_(generator=seeded(1)))
say(torch.zeros(2, 2, 2, dtype=torch.int64))
""",
    ),
    (
        "extern functions",
        """
extern fn erf(x) from "torch.special"
extern fn expit(x) from "torch.special"
extern fn det(a: [k k]) -> [] from "torch.linalg"
extern fn inv(a: [k k]) -> [k k] from "torch.linalg"
extern fn trace(a: [k k]) -> [] from "torch"
extern fn sqrt(x: float) -> float from "math"
extern fn gcd(a: int, b: int) -> int from "math"
fn dets(x: [n 3 3]) -> [n] = x |> map(det, over=n)
x = normal([4 3 3], seed=41)
erf(x[0])
expit(x[0])
det(x[1])
dets(x)
inv(x[2])
trace(x[3])
sqrt(2.0)
gcd(12, 18)
""",
        """
x = torch.normal(0.0, 1.0, (4, 3, 3), generator=seeded(41))
for v in (torch.erf(x[0]), torch.sigmoid(x[0]), torch.linalg.det(x[1]), torch.linalg.det(x),
          torch.linalg.inv(x[2]), x[3].trace(), math.sqrt(2.0), math.gcd(12, 18)):
    show(v)
""",
    ),
    (
        "dropout outside training",
        """
fn f(x: [n]) -> [n] = dropout(x, p=0.3)
with eval:
    f([1.0, 2.0, 3.0])
""",
        """
show(torch.tensor([1.0, 2.0, 3.0]))
""",
    ),
]
