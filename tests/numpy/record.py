"""Records a fixed, smaller set of every family: recorded/FAMILY.jsonl.gz.

Usage: python record.py [FAMILY...].
"""

import gzip
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent

SIZES = {
    "casts": 225,
    "functions": 40,
    "printing": 500,
    "layouts": 1000,
    "ufunc_types": 0,
    "making": 600,
    "ufunc_calls": 3000,
    "ufunc_values": 100,
    "ufunc_methods": 3000,
    "ufunc_own": 2,
    "ufunc_sums": 400,
    "memory": 2000,
    "overlaps": 1400,
    "iterators": 1200,
    "indexing": 3000,
    "selection": 3000,
    "objects": 1000,
    "products": 1000,
    "rational": 100,
    "scalars": 1200,
    "sorting": 1500,
    "structures": 300,
    "cumulative": 1200,
    "joining": 1500,
    "files": 800,
    "extending": 900,
}
"""Cases that are kept per family."""


def main():
    for family in sys.argv[1:] or SIZES:
        command = [sys.executable, HERE / f"{family}.py", "--count", str(SIZES[family])]
        lines = subprocess.run(command, check=True, capture_output=True).stdout
        target = HERE / "recorded" / f"{family}.jsonl.gz"
        target.write_bytes(gzip.compress(lines, 9, mtime=0))
        print(f"{target.name}: {len(lines.splitlines()) - 1} cases, {target.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
