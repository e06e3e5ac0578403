"""Row 23's second table: clip against NumPy, the language's functions against PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F
from common import main, plain

FUNCTIONS = {
    "erf": torch.erf,
    "gelu": F.gelu,
    "relu": torch.relu,
    "rsqrt": torch.rsqrt,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "softplus": F.softplus,
}
EDGES = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 30.0, -30.0, 1e-3, -1e-3, 90.0, -90.0]


def generate(maker, count):
    for _ in range(count):
        for name, function in FUNCTIONS.items():
            for dtype in ("<f4", "<f8"):
                drawn = [maker.random.uniform(-6, 6) for _ in range(40)]
                x = np.array(EDGES + drawn, dtype)
                # In f64, rounded: the reference of a function that is computed in f32.
                exact = function(torch.from_numpy(x.astype(np.float64))).numpy()
                yield {"u": name, "in": [plain(x)], "v": plain(exact.astype(dtype))}
        for code in "bBhHiIlLefdFD":
            arrays = [maker.values(60, np.dtype(code)) for _ in range(3)]
            yield {"u": "clip", "in": [plain(a) for a in arrays], "v": plain(np.clip(*arrays))}


if __name__ == "__main__":
    main(generate, 20)
