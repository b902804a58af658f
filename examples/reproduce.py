"""Runs one experiment of the paper through the command line's JSON and prints a small table.

    python3 examples/reproduce.py german-forest-knn
"""
import json
import os
import shlex
import subprocess
import sys

scenario = sys.argv[1] if len(sys.argv) > 1 else "loans-logistic-knn"
out = sys.argv[2] if len(sys.argv) > 2 else "out/python"
cola = shlex.split(os.environ.get("COLA", "npx cola"))  # or: COLA="node dist/cli/main.js"


def reproduce(*words):
    """The parsed answer of `cola reproduce …`; an error of the command line is raised with its message."""
    command = [*cola, "reproduce", *words, "--out", out, "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    if "error" in answer:
        raise SystemExit(f"{answer['error']['code']}: {answer['error']['message']}")
    return answer


results = reproduce("table", "--scenarios", scenario, "--runs", "20", "--workers", "1")
print(f"cola-xai {results['version']}, preset {results['preset']}, {results['runs']} runs")
for row in results["table"]:
    cell = next(c for c in row["cells"] if c["rule"] == "first-hit" and c["level"] == 0.8)
    edits = "-" if cell["edits"] is None else f"{cell['edits']:.2f}"
    print(f"{row['data']:8} {row['method']:16} {edits:>6} edits per row for 80 % of the effect")
