"""Scores tables for commandModel("python examples/score.py"): put your own model where σ(sum) is."""
import json
import math
import sys

# import joblib; model = joblib.load("model.joblib")  # your own file, on your own machine

def score(rows):
    # return model.predict_proba(rows).tolist()  # then name both outputs: { outputs: ["no", "yes"] }
    return [1 / (1 + math.exp(-sum(v or 0 for v in row))) for row in rows]

for line in sys.stdin:
    batch = json.loads(line)  # {"id": 1, "columns": [names, where known], "rows": [[1.5, null], …]}
    print(json.dumps({"id": batch["id"], "scores": score(batch["rows"])}), flush=True)
