"""Checks that the PyTorch text of programs is as black and ruff would have it.

    style.py CASES.json

F841 (a variable that is never read) and E741 (a name like l) are the program's own doing, but
for the size of an axis, which the program doesn't bind.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


def tool(name):
    """The command that runs a tool: the one beside this Python, or on the path."""
    beside = pathlib.Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def main(argv):
    black, ruff = tool("black"), tool("ruff")
    if not black or not ruff:
        print("skipped: black or ruff isn't installed")
        return 0
    with open(argv[0], encoding="utf-8") as file:
        cases = json.load(file)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for at, case in enumerate(cases):
            path = pathlib.Path(folder, f"case_{at:04}.py")
            path.write_text(case["python"], encoding="utf-8")
        rules = ["--select", "E,F,W", "--ignore", "F841,E741", "--quiet"]
        commands = [
            [black, "--check", "--diff", "--quiet", folder],
            [ruff, "check", "--isolated", "--no-cache", *rules, folder],
        ]
        for command in commands:
            found = subprocess.run(command, capture_output=True, text=True)
            if found.returncode:
                failed += 1
                print(found.stdout + found.stderr)
        command = [ruff, "check", "--isolated", "--no-cache", "--select", "F841", folder]
        found = subprocess.run([*command, "--output-format", "json"], capture_output=True, text=True)
        for finding in json.loads(found.stdout or "[]"):
            lines = pathlib.Path(finding["filename"]).read_text(encoding="utf-8").splitlines()
            line = lines[finding["location"]["row"] - 1]
            if ".shape" in line:
                failed += 1
                print(f"{finding['filename']}: a size is bound and not read: {line.strip()}")
    print(f"{len(cases)} texts, {'not clean' if failed else 'clean'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
