"""Row 6: a registered type, NumPy's own rational of its tests."""

import numpy as np
from common import main, outcome
from numpy._core._rational_tests import rational

RATIONAL = np.dtype(rational)
CODES = "?bBhHiIlLefdFD"
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
COMPARE = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less, "greater_equal": np.greater_equal}


def array(maker, shape):
    size = int(np.prod(shape))
    draw = maker.random.randint
    values = [rational(draw(-12, 12), draw(1, 9)) for _ in range(size)]
    return np.array(values, RATIONAL).reshape(shape) if size else np.zeros(shape, RATIONAL)


def raw(value):
    return {"s": list(value.shape), "b": value.tobytes().hex()}


def result(value):
    return {"d": "rational" if value.dtype == RATIONAL else value.dtype.str, **raw(value)}


def generate(maker, count):
    for code in CODES:
        dtype = np.dtype(code)
        yield {
            "k": "rules",
            "d": dtype.str,
            "to": [bool(np.can_cast(RATIONAL, dtype, casting)) for casting in CASTINGS],
            "from": [bool(np.can_cast(dtype, RATIONAL, casting)) for casting in CASTINGS],
            "promoted": outcome(lambda: np.promote_types(RATIONAL, dtype).str if np.promote_types(RATIONAL, dtype) != RATIONAL else "rational"),
        }  # fmt: skip
    for _ in range(count):
        shape = maker.shape(2, (0, 1, 2, 3, 5))
        a, b = array(maker, shape), array(maker, shape)
        dtype = np.dtype(maker.random.choice(CODES))
        whole = np.array([maker.random.randint(-100, 100) for _ in range(a.size)], "i8").reshape(shape).astype(dtype.kind == "b" and "?" or "i1")
        yield {
            "k": "array",
            "a": raw(a),
            "b": raw(b),
            "repr": repr(a),
            "to": dtype.str,
            "cast": outcome(lambda: result(a.astype(dtype))),
            "whole": {"d": whole.dtype.str, **raw(whole)},
            "made": result(whole.astype(RATIONAL)),
            "compare": {name: raw(op(a, b)) for name, op in COMPARE.items()},
            "nonzero": [int(v) for v in a.astype("?").reshape(-1)],
            "sorted": raw(np.sort(a.reshape(-1))),
            "argmax": int(a.argmax()) if a.size else None,
            "objects": repr(a.astype(object)),
        }


if __name__ == "__main__":
    main(generate, 500)
