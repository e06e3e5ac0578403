"""Chains: every stage, nested, with every construct that a lambda may hold."""

CASES = [
    (
        "scale every row",
        """
fn scale_rows(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])
dim D = 3
x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
scale_rows(x, [10.0, 0.5])
""",
        """
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
show(x * torch.tensor([10.0, 0.5])[:, None])
""",
    ),
    (
        "softmax of rows times a matrix",
        """
dim D = 8
dim C = 4
fn per_row(x: [n D], w: [D C]) -> [n C] = x |> map(row => softmax(row @ w, over=C), over=n)
per_row(normal([5 D], seed=1), normal([D C], seed=2))
""",
        """
x = torch.normal(0.0, 1.0, (5, 8), generator=seeded(1))
w = torch.normal(0.0, 1.0, (8, 4), generator=seeded(2))
show(torch.softmax(x @ w, 1))
""",
    ),
    (
        "gram",
        """
dim D = 8
fn gram(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(a * b), over=n), over=n)
fn gram_at(x: [n D]) -> [n n] = x |> map(a => x |> map(b => a @ b, over=n), over=n)
x = normal([5 D], seed=3)
gram(x)
gram_at(x)
""",
        """
x = torch.normal(0.0, 1.0, (5, 8), generator=seeded(3))
show(x @ x.T)
show(x @ x.T)
""",
    ),
    (
        "indices as values, nested",
        """
dim D = 8
fn table() -> [3 D] f32 = 3 |> map(i => D |> map(j => j to f32))
fn times() -> [3 D] i64 = 3 |> map(i => D |> map(j => i * 10 + j))
table()
times()
2 |> map(i => 3 |> map(j => 4 |> map(k => i * 100 + j * 10 + k)))
""",
        """
show(torch.arange(8.0).expand(3, 8))
show(torch.arange(3)[:, None] * 10 + torch.arange(8))
i, j, k = torch.arange(2), torch.arange(3), torch.arange(4)
show(i[:, None, None] * 100 + j[:, None] * 10 + k)
""",
    ),
    (
        "map, filter, sum",
        """
dim D = 8
fn positive(x: [n D]) -> [] = x
    |> map(row => sum(row), over=n)
    |> filter(t => t > 0.0)
    |> sum
positive(normal([7 D], seed=4))
""",
        """
x = torch.normal(0.0, 1.0, (7, 8), generator=seeded(4))
s = x.sum(1)
show(s[s > 0].sum())
""",
    ),
    (
        "over another axis than the first",
        """
dim D = 3
fn columns(x: [n D]) -> [D n] = x |> map(c => c * 2.0 + sum(c), over=D)
fn both(x: [n D]) -> [D n] = x |> map(c => c |> map(v => v + 1.0), over=D)
x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
columns(x)
both(x)
""",
        """
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
show(x.T * 2 + x.sum(0)[:, None])
show(x.T + 1)
""",
    ),
    (
        "zip and enumerate",
        """
dim D = 3
fn numbered(x: [n D]) -> [n D] = x |> enumerate(over=n) |> map((i, row) => row * (i to f32))
fn triples(x: [n D], v: [n], w: [n]) -> [n] = v |> zip(w) |> zip(x) |> map((a, b, row) => a * b + sum(row))
x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
triples(x, [1.0, 2.0], [3.0, 4.0])
numbered(x)
""",
        """
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
show(torch.tensor([3.0, 8.0]) + x.sum(1))
show(x * torch.arange(2.0)[:, None])
""",
    ),
    (
        "filters of pairs keep pairs",
        """
x = normal([9], seed=5)
x |> enumerate |> filter((i, v) => v > 0.0) |> map((i, v) => (i to f32) * v)
x |> enumerate |> filter((i, v) => v > 0.0) |> map((i, v) => i)
x |> zip(x * x) |> filter((a, b) => b < 1.0) |> map((a, b) => a + b)
""",
        """
x = torch.normal(0.0, 1.0, (9,), generator=seeded(5))
i = torch.arange(9)[x > 0]
show(i.float() * x[i])
show(i)
y = x * x
k = y < 1
show(x[k] + y[k])
""",
    ),
    (
        "filter of rows, then more stages",
        """
dim D = 4
fn heavy(x: [n D]) -> [_ D] = x |> filter(row => sum(row) > 0.0, over=n)
fn chained(x: [n D]) -> [] = x
    |> filter(row => sum(row) > 0.0, over=n)
    |> map(row => max(row))
    |> filter(v => v < 1.5)
    |> sum
x = normal([10 D], seed=6)
heavy(x)
chained(x)
""",
        """
x = torch.normal(0.0, 1.0, (10, 4), generator=seeded(6))
h = x[x.sum(1) > 0]
show(h)
m = h.amax(1)
show(m[m < 1.5].sum())
""",
    ),
    (
        "a body without the element is expanded",
        """
dim D = 3
4 |> map(i => 1.0)
3 |> map(i => [1.0, 2.0])
x = [1.0, 2.0]
3 |> map(i => 2 |> map(j => x[j] * 2.0))
2 |> map(i => 3 |> map(j => x[i]))
""",
        """
show(torch.ones(4))
show(torch.tensor([1.0, 2.0]).expand(3, 2))
x = torch.tensor([1.0, 2.0])
show((x * 2).expand(3, 2))
show(x[:, None].expand(2, 3))
""",
    ),
    (
        "stages by name",
        """
dim D = 4
x = normal([3 D], seed=7)
fn swish(x) = x * sigmoid(x)
fn f(x: [n D]) -> [n D] = x |> map(gelu, over=n) |> map(swish, over=n) |> map(clamp(-0.5, 0.5), over=n)
fn g(x: [n D]) -> [n D] = x |> map(sub(1.0, _), over=n) |> map(softmax(over=D), over=n)
f(x)
g(x)
2 * 3 |> map(to f32)
""",
        """
x = torch.normal(0.0, 1.0, (3, 4), generator=seeded(7))
y = F.gelu(x)
show((y * torch.sigmoid(y)).clamp(-0.5, 0.5))
show(torch.softmax(1 - x, 1))
show(torch.arange(6.0))
""",
    ),
    (
        "elements by arithmetic on the index",
        """
fn steps(x: [n]) -> [(n - 1)] = 1..n |> map(i => x[i to Index[n]] - x[(i - 1) to Index[n]])
fn around(x: [n]) -> [n] = n |> map(i => x[i - 1] + x[i])
fn from_one(x: [n]) -> [(n - 1)] = 1..n |> map(i => x[i to Index[n]])
x = normal([6], seed=8)
steps(x)
around(x)
from_one(x)
""",
        """
x = torch.normal(0.0, 1.0, (6,), generator=seeded(8))
show(x.diff())
show(x.roll(1) + x)
show(x[1:])
""",
    ),
    (
        "gather inside a lambda",
        """
dim D = 3
fn pick(x: [n D], at: [k] i64 Index[n]) -> [k D] = at |> map(i => x[i])
fn cross(x: [n D], at: [n] i64 Index[D]) -> [n] = n |> map(i => x[i, at[i]])
fn inner(x: [n D], at: [n k] i64 Index[D]) -> [n k] = n |> map(i => x[i][at[i]])
fn rows(x: [n D], at: [k] i64 Index[n]) -> [D k] = x |> map(c => c[at], over=D)
fn diagonal(x: [n n]) -> [n] = n |> map(i => x[i, i])
fn pairs(x: [n D]) -> [n n D] = n |> map(i => n |> map(j => x[i] - x[j]))
fn square(a: [n n]) -> [n n] = n |> map(i => n |> map(j => a[j, i]))
fn own(x: [n]) -> [n] = n |> map(i => (x * x[i])[i])
x = normal([4 D], seed=9)
pick(x, [3, 0, 0, 2, 1] to Index[4])
cross(x, [2, 0, 1, 1] to Index[D])
inner(x, [[0, 2], [1, 1], [2, 0], [0, 0]] to Index[D])
rows(x, [3, 1] to Index[4])
diagonal(normal([4 4], seed=10))
pairs(x)
square(normal([4 4], seed=11))
own(normal([5], seed=12))
""",
        """
x = torch.normal(0.0, 1.0, (4, 3), generator=seeded(9))
show(x[[3, 0, 0, 2, 1]])
show(x[torch.arange(4), torch.tensor([2, 0, 1, 1])])
show(torch.gather(x, 1, torch.tensor([[0, 2], [1, 1], [2, 0], [0, 0]])))
show(x[[3, 1]].T)
show(torch.normal(0.0, 1.0, (4, 4), generator=seeded(10)).diagonal())
show(x[:, None] - x)
show(torch.normal(0.0, 1.0, (4, 4), generator=seeded(11)).T)
v = torch.normal(0.0, 1.0, (5,), generator=seeded(12))
show(v * v)
""",
    ),
    (
        "products inside lambdas",
        """
dim D = 4
dim E = 3
fn left(x: [n D], w: [E D]) -> [n E] = x |> map(r => w @ r, over=n)
fn batch(a: [n D E], b: [n E D]) -> [n D D] = n |> map(i => a[i] @ b[i])
fn rows(a: [n D E], b: [n E]) -> [n D] = a |> zip(b, over=n) |> map((m, v) => m @ v)
fn dots(a: [n D], b: [n D]) -> [n] = n |> map(i => a[i] @ b[i])
fn all_pairs(a: [n D E], b: [m E D]) -> [n m D D] = n |> map(i => m |> map(j => a[i] @ b[j]))
fn against(a: [n D], b: [m E D]) -> [n m E] = n |> map(i => m |> map(j => b[j] @ a[i]))
fn bilinear(x: [n D], w: [D D]) -> [n n] = n |> map(i => n |> map(j => x[i] @ w @ x[j]))
left(normal([5 D], seed=1), normal([E D], seed=2))
a = normal([5 D E], seed=3)
batch(a, normal([5 E D], seed=4))
dots(normal([6 D], seed=5), normal([6 D], seed=6))
all_pairs(a, normal([2 E D], seed=7))
against(normal([6 D], seed=5), normal([2 E D], seed=7))
bilinear(normal([5 D], seed=1), normal([D D], seed=8))
""",
        """
def draw(*shape, seed):
    return torch.normal(0.0, 1.0, shape, generator=seeded(seed))
show(draw(5, 4, seed=1) @ draw(3, 4, seed=2).T)
a = draw(5, 4, 3, seed=3)
show(a @ draw(5, 3, 4, seed=4))
show((draw(6, 4, seed=5) * draw(6, 4, seed=6)).sum(1))
show(torch.einsum("nij,mjk->nmik", a, draw(2, 3, 4, seed=7)))
show(torch.einsum("nd,med->nme", draw(6, 4, seed=5), draw(2, 3, 4, seed=7)))
x = draw(5, 4, seed=1)
show(x @ draw(4, 4, seed=8) @ x.T)
""",
    ),
    (
        "reductions and operations along axes inside lambdas",
        """
dim D = 4
dim E = 3
fn norms(x: [n D E]) -> [n E] = x |> map(m => norm(m, over=D), over=n)
fn stats(x: [n D E]) -> [n] = x |> map(m => var(m) + mean(m) + logsumexp(m), over=n)
fn places(x: [n D]) -> [n] i64 = x |> map(r => argmax(r) to i64, over=n)
fn sums(x: [n D]) -> [n D] = x |> map(r => cumsum(r), over=n)
fn sorted(x: [n D]) -> [n D] = x |> map(r => sort(r), over=n)
fn orders(x: [n D]) -> [n D] i64 = x |> map(r => argsort(r) to i64, over=n)
fn flipped(x: [n D E]) -> [n D E] = x |> map(m => flip(m, over=E), over=n)
fn turned(x: [n D E]) -> [n E D] = x |> map(m => m to [E D], over=n)
fn merged(x: [n D E]) -> [n (D * E)] = x |> map(m => m to [(D * E)], over=n)
fn centred(x: [n D]) -> [n D] = x |> map(r => (r - mean(r)) / (std(r) + 1e-5), over=n)
x = normal([5 D E], seed=13)
y = normal([5 D], seed=14)
norms(x)
stats(x)
places(y)
sums(y)
sorted(y)
orders(y)
flipped(x)
turned(x)
merged(x)
centred(y)
""",
        """
x = torch.normal(0.0, 1.0, (5, 4, 3), generator=seeded(13))
y = torch.normal(0.0, 1.0, (5, 4), generator=seeded(14))
show(torch.linalg.vector_norm(x, dim=1))
show(x.var((1, 2)) + x.mean((1, 2)) + x.logsumexp((1, 2)))
show(y.argmax(1))
show(y.cumsum(1))
show(y.sort(1).values)
show(y.argsort(1))
show(x.flip(2))
show(x.transpose(1, 2))
show(x.reshape(5, 12))
show((y - y.mean(1, keepdim=True)) / (y.std(1, keepdim=True) + 1e-5))
""",
    ),
    (
        "filters inside lambdas are masked",
        """
dim D = 6
fn sums(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.0) |> sum, over=n)
fn means(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.0) |> mean, over=n)
fn products(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.0) |> prod, over=n)
fn counts(x: [n D]) -> [n] i64 = x |> map(r => r |> filter(v => v > 0.0) |> count, over=n)
fn anys(x: [n D]) -> [n] bool = x |> map(r => r |> filter(v => v > 0.0) |> any, over=n)
fn alls(x: [n D]) -> [n] bool = x |> map(r => r |> filter(v => v > 0.0) |> all, over=n)
fn logs(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.0) |> logsumexp, over=n)
fn tops(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > -9.0) |> max, over=n)
fn lows(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > -9.0) |> min, over=n)
fn near(x: [n D]) -> [n] = x |> map(a => x |> filter(b => sum(a * b) > 0.0, over=n) |> sum, over=n)
fn mean_near(x: [n D]) -> [n] = x |> map(a => x |> filter(b => sum(a * b) > 0.0, over=n) |> mean, over=n)
x = normal([5 D], seed=15)
y = x - 10.0
sums(x)
means(x)
products(x)
counts(x)
anys(x)
alls(x)
logs(x)
tops(x)
lows(x)
sums(y)
means(y)
products(y)
counts(y)
anys(y)
alls(y)
logs(y)
near(x)
mean_near(x)
""",
        """
x = torch.normal(0.0, 1.0, (5, 6), generator=seeded(15))
y = x - 10.0
def each(f, x):
    return torch.stack([f(r[r > 0]) for r in x])
def count(v):
    return v.count_nonzero()
def logs(v):
    return v.logsumexp(0)
for f in (torch.sum, torch.mean, torch.prod, count, torch.any, torch.all, logs):
    show(each(f, x))
show(x.amax(1))
show(x.amin(1))
for f in (torch.sum, torch.mean, torch.prod, count, torch.any, torch.all, logs):
    show(each(f, y))
show(torch.stack([x[(a * x).sum(1) > 0].sum() for a in x]))
show(torch.stack([x[(a * x).sum(1) > 0].mean() for a in x]))
""",
    ),
    (
        "functions called for every element",
        """
dim D = 4
fn decayed(r: [D], steps: int) -> [D]:
    y = r
    for k in 0..steps:
        y = y * 0.5 + r[0]
    return y
fn chosen(r: [D], twice: bool) -> [D]:
    if twice:
        return r * 2.0
    return r
fn changed(r: [D]) -> [D]:
    y = r * 1.0
    y[0] = sum(r)
    y[-1] = 0.5
    y[1..3] = [7.0, 8.0]
    return y
fn inside(r: [D]) -> [D D] = r |> map(a => r |> map(b => a - b))
fn totals(r: [D]) -> []:
    acc = 0.0
    for v in r over D:
        acc = acc + v * v
    return acc
x = normal([5 D], seed=16)
fn f(x: [n D]) -> [n D] = x |> map(r => decayed(r, 3), over=n)
fn g(x: [n D]) -> [n D] = x |> map(r => chosen(r, true), over=n)
fn h(x: [n D]) -> [n D] = x |> map(changed, over=n)
fn k(x: [n D]) -> [n D D] = x |> map(inside, over=n)
fn t(x: [n D]) -> [n] = x |> map(totals, over=n)
f(x)
g(x)
h(x)
k(x)
t(x)
""",
        """
x = torch.normal(0.0, 1.0, (5, 4), generator=seeded(16))
y = x
for _ in range(3):
    y = y * 0.5 + x[:, :1]
show(y)
show(x * 2)
z = x.clone()
z[:, 0] = x.sum(1)
z[:, -1] = 0.5
z[:, 1:3] = torch.tensor([7.0, 8.0])
show(z)
show(x[:, :, None] - x[:, None, :])
show((x * x).sum(1))
""",
    ),
    (
        "assignment by index inside a called function",
        """
dim D = 4
fn placed(r: [D], i: [] i64 Index[D]) -> [D]:
    y = zeros([D])
    y[i] = r[i]
    return y
fn marked(r: [D]) -> [D]:
    y = r * 1.0
    y[r > 0.0] = 0.25
    return y
fn written(r: [D], at: [2] i64 Index[D]) -> [D]:
    y = r * 1.0
    y[at] = r[0]
    return y
x = normal([3 D], seed=17)
fn f(x: [n D], at: [n] i64 Index[D]) -> [n D] = n |> map(i => placed(x[i], at[i]))
fn g(x: [n D]) -> [n D] = x |> map(marked, over=n)
fn h(x: [n D], at: [n 2] i64 Index[D]) -> [n D] = n |> map(i => written(x[i], at[i]))
f(x, [2, 0, 3] to Index[D])
g(x)
h(x, [[0, 1], [3, 2], [1, 2]] to Index[D])
""",
        """
x = torch.normal(0.0, 1.0, (3, 4), generator=seeded(17))
at = torch.tensor([2, 0, 3])
y = torch.zeros(3, 4)
y[torch.arange(3), at] = x[torch.arange(3), at]
show(y)
show(torch.where(x > 0, torch.tensor(0.25), x))
z = x.clone()
for r, p in zip(range(3), [[0, 1], [3, 2], [1, 2]]):
    z[r, p] = x[r, 0]
show(z)
""",
    ),
    (
        "literals and concatenations of elements",
        """
x = [1.0, 2.0, 3.0]
x |> map(v => [v, v * v, 1.0])
x |> map(v => [[v, 0.0], [0.0, v]])
x |> map(a => x |> map(b => [a, b]))
""",
        """
x = torch.tensor([1.0, 2.0, 3.0])
show(torch.stack([x, x * x, torch.ones(3)], 1))
show(torch.diag_embed(x[:, None].expand(3, 2)))
show(torch.stack([x[:, None].expand(3, 3), x.expand(3, 3)], 2))
""",
    ),
    (
        "an element reads the old value",
        """
y = [1.0, 2.0, 3.0]
y = 3 |> map(i => y[i - 1] + 1.0)
y
""",
        """
y = torch.tensor([1.0, 2.0, 3.0])
show(y.roll(1) + 1)
""",
    ),
    (
        "empty chains",
        """
dim D = 3
fn kept(x: [n D]) -> [_ D] = x |> filter(r => sum(r) > 100.0, over=n)
fn after(x: [n D]) -> [_] = x |> filter(r => sum(r) > 100.0, over=n) |> map(r => r @ r + max(r))
fn total(x: [n D]) -> [] = x |> filter(r => sum(r) > 100.0, over=n) |> map(r => sum(r)) |> sum
x = normal([4 D], seed=18)
kept(x)
after(x)
total(x)
""",
        """
show(torch.zeros(0, 3))
show(torch.zeros(0))
show(torch.tensor(0.0))
""",
    ),
    (
        "checks inside lambdas that hold",
        """
dim D = 3
fn f(x: [n D]) -> [n D] = x |> map(r => softmax(r, over=D) to Prob, over=n)
fn g(p: [D] Prob) -> [D] = log(p + 1.0)
fn h(x: [n D]) -> [n D] = x |> map(r => g(r to Prob), over=n)
f([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
h([[0.1, 0.2, 0.3], [0.0, 1.0, 0.5]])
""",
        """
show(torch.softmax(torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), 1))
show(torch.log(torch.tensor([[0.1, 0.2, 0.3], [0.0, 1.0, 0.5]]) + 1))
""",
    ),
]
