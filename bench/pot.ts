import type { Matrix } from "../src/types.ts";
import { startPeer } from "./peer.ts";

/** POT (Python Optimal Transport) in a process of its own, one thread. */
export interface Pot {
  /** CPU milliseconds of `ot.emd` on squared Euclidean costs (not counted) with even weights, and its value. */
  emd(x: Matrix, r: Matrix): Promise<{ ms: number; value: number }>;
  stop(): void;
}

const SERVE = `
import sys, json, time, numpy as np, ot
for line in sys.stdin:
    task = json.loads(line)
    x = np.fromfile(task["x"]).reshape(task["n"], task["d"])
    r = np.fromfile(task["r"]).reshape(task["m"], task["d"])
    cost = ot.dist(x, r)
    a = np.full(task["n"], 1 / task["n"])
    b = np.full(task["m"], 1 / task["m"])
    start = time.process_time()
    plan = ot.emd(a, b, cost, numItermax=10**8)
    ms = 1000 * (time.process_time() - start)
    print(json.dumps({"ms": ms, "value": float((plan * cost).sum())}), flush=True)
`;

/** Starts the peer where some Python here has POT; undefined where none has. */
export async function startPot(): Promise<Pot | undefined> {
  const peer = startPeer<unknown, { ms: number; value: number }>("numpy, ot", SERVE);
  return (
    peer && {
      emd: (x, r) =>
        peer.ask({ x: peer.give("x", x.data), r: peer.give("r", r.data), n: x.rows, m: r.rows, d: x.cols }),
      stop: peer.stop,
    }
  );
}
