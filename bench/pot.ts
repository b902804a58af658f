import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Matrix } from "../src/types.ts";

/** POT (Python Optimal Transport) in a process of its own, one thread. */
export interface Peer {
  /** CPU milliseconds of `ot.emd` on squared Euclidean costs (not counted) with even weights, and its value. */
  emd(x: Matrix, r: Matrix): Promise<{ ms: number; value: number }>;
  stop(): void;
}

const PYTHONS = ["/usr/bin/python3", "python3"];

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
export async function startPot(): Promise<Peer | undefined> {
  const python = PYTHONS.find((name) => spawnSync(name, ["-c", "import ot"]).status === 0);
  if (python === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  const child = spawn(python, ["-c", SERVE], {
    env: { ...process.env, OMP_NUM_THREADS: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async emd(x, r) {
      const task = { x: join(folder, "x"), r: join(folder, "r"), n: x.rows, m: r.rows, d: x.cols };
      writeFileSync(task.x, x.data);
      writeFileSync(task.r, r.data);
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const { value: line, done } = await answers.next();
      if (done) throw new Error("POT ended before it answered.");
      return JSON.parse(line);
    },
    stop() {
      child.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}
