"""Statements: loops, branches, accumulators, functions."""

CASES = [
    (
        "accumulators",
        """
x = normal([20], seed=51)
acc = 0.0
for i in 0..20:
    acc = acc + x[i] * x[i]
acc
row = zeros([3])
m = normal([50 3], seed=52)
for i in 0..50:
    row = row * 0.5 + m[i]
row
""",
        """
x = torch.normal(0.0, 1.0, (20,), generator=seeded(51))
show((x * x).sum())
m = torch.normal(0.0, 1.0, (50, 3), generator=seeded(52))
row = torch.zeros(3)
for r in m:
    row = row * 0.5 + r
show(row)
""",
    ),
    (
        "a recurrence over a long loop",
        """
w = normal([8 8], std=0.2, seed=53)
h = zeros([8])
for step in 0..200:
    h = tanh(w @ h + 0.1)
h
s = zeros([4])
for step in 0..3000:
    s = s * 0.999 + 0.001
s
""",
        """
w = torch.empty(8, 8).normal_(0, 0.2, generator=seeded(53))
h = torch.zeros(8)
for _ in range(200):
    h = torch.tanh(w @ h + 0.1)
show(h)
s = torch.zeros(4)
for _ in range(3000):
    s = s * 0.999 + 0.001
show(s)
""",
    ),
    (
        "branches, while, break and continue",
        """
total = 0
for i in 0..20 by 3:
    if i == 6:
        continue
    if i > 12:
        break
    total = total + i
total
k = 100
while k > 5:
    k = k // 2
k
x = [1.0, -2.0]
if sum(x) > 0.0:
    y = x
elif sum(x) > -2.0:
    y = x * 10.0
else:
    y = x * 100.0
y
t = 1.0
n = 0
while t < 1000.0:
    t = t * 3.0
    n = n + 1
n
t
for i in 5..0 by -2:
    print(i)
""",
        """
total = 0
for i in range(0, 20, 3):
    if i == 6:
        continue
    if i > 12:
        break
    total += i
show(total)
show(3)
show(torch.tensor([10.0, -20.0]))
show(7)
show(2187.0)
for i in range(5, 0, -2):
    say(i)
""",
    ),
    (
        "functions that call functions",
        """
dim D = 4
fn layer(x: [n D], w: [D D], b: [D]) -> [n D] = relu(x @ w + b)
fn net(x: [n D], w: [D D], b: [D]) -> [n D]:
    h = x
    for k in 0..3:
        h = layer(h, w, b) + h
    return h / norm(h)
fn swish(x) = x * sigmoid(x)
fn scaled(x: [n D], k: int = 3, by: float = 0.5) -> [n D] = x * k * by
fn two(x: [n D]) -> ([n], [D]) = (sum(x, over=D), sum(x, over=n))
x = normal([5 D], seed=61)
net(x, normal([D D], std=0.3, seed=62), normal([D], seed=63))
swish(x)
swish(2.0 * x[0, 0])
scaled(x)
scaled(x, by=2.0)
(rows, columns) = two(x)
rows
columns
sum(x) / 5
""",
        """
x = torch.normal(0.0, 1.0, (5, 4), generator=seeded(61))
w = torch.empty(4, 4).normal_(0, 0.3, generator=seeded(62))
b = torch.normal(0.0, 1.0, (4,), generator=seeded(63))
h = x
for _ in range(3):
    h = torch.relu(h @ w + b) + h
show(h / torch.linalg.vector_norm(h))
show(F.silu(x))
show(F.silu(2.0 * x[0, 0]))
show(x * 3 * 0.5)
show(x * 3 * 2.0)
show(x.sum(1))
show(x.sum(0))
show(x.sum() / 5)
""",
    ),
    (
        "sizes as numbers",
        """
dim D = 4
fn mean_of(x: [n D]) -> [n] = sum(x, over=D) / D
fn sizes(x: [n m]) -> [] f32 = (x[0, 0] * 0.0) + n * m
mean_of(normal([3 D], seed=71))
sizes(normal([3 5], seed=72))
arange(D)
arange(2, D)
full([2 D], 0.25)
zeros([2]) to i64
ones([2 2] f64)
""",
        """
show(torch.normal(0.0, 1.0, (3, 4), generator=seeded(71)).sum(1) / 4)
show(torch.tensor(15.0))
show(torch.arange(4))
show(torch.arange(2, 4))
show(torch.full((2, 4), 0.25))
show(torch.zeros(2, dtype=torch.int64))
show(torch.ones(2, 2, dtype=torch.float64))
""",
    ),
    (
        "what is shared is computed once, whatever reads it",
        """
x = normal([40 30], seed=81)
e = exp(x - max(x))
s = sum(e)
p = e / s
q = e * 2.0 + p
sum(p)
sum(q)
e[0]
p[1]
sum(exp(x)) + mean(exp(x))
y = x * x
y = y + y
y = y * y
sum(y)
""",
        """
x = torch.normal(0.0, 1.0, (40, 30), generator=seeded(81))
e = torch.exp(x - x.max())
p = e / e.sum()
q = e * 2 + p
y = x * x
y = y + y
for v in (p.sum(), q.sum(), e[0], p[1], x.exp().sum() + x.exp().mean(), (y * y).sum()):
    show(v)
""",
    ),
]
