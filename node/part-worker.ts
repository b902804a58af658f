import { parentPort, workerData } from "node:worker_threads";
import { transportByKernel } from "../src/couple/point-reader.ts";
import { treeKernels } from "../src/model/trees/kernels.ts";
import { loadModel } from "../src/read/load.ts";
import { gridSearch } from "../src/run/grid.ts";
import type { TargetRows } from "../src/run/near.ts";
import { open } from "../src/run/open.ts";
import { withRealism } from "../src/run/realism.ts";
import { nearestReasons } from "../src/run/reasons.ts";
import { sturdyWith } from "../src/run/sturdy.ts";
import type { Matrix } from "../src/types.ts";
import { crossed, crossing } from "./part-errors.ts";
import type { PartReply, PartRequest, PartStudy } from "./part-messages.ts";
import { hashByNode } from "./sha256.ts";

const port = parentPort!;
const reply = (message: PartReply): void => port.postMessage(message);

const { model, sturdy, grid, reasons, usual, options, references, training, rows, hash, realism } =
  workerData as PartStudy;
const others = sturdy && sturdyWith(sturdy.also.map(loadModel), sturdy.judges.map(loadModel));
const parts = { model: loadModel(model), references, ...(training ? { training } : {}) };
const all = {
  ...options,
  ...(grid ? { grid: gridSearch } : {}),
  ...(reasons ? { reasons: nearestReasons } : {}),
  ...(others ? { sturdy: others } : {}),
  ...(usual ? { usual: { ...usual, kernels: treeKernels } } : {}),
};
transportByKernel();
hashByNode();
/** The request that waits for rows at the target: one at a time. */
let waiting: { readonly found: (rows: Matrix) => void; readonly failed: (error: Error) => void } | undefined;
const targetRows: TargetRows = (kind) =>
  new Promise((found, failed) => {
    waiting = { found, failed };
    reply({ wants: kind });
  });
const opened = open({ ...parts, ...all, targetRows }, all);
const question = opened.question(rows, hash);

let running: AbortController | undefined;

port.on("message", (request: PartRequest) => {
  if (request === "abort") running?.abort();
  else if ("target" in request) waiting?.found(request.target);
  else if ("targetError" in request) waiting?.failed(crossed(request.targetError));
  else void answer(request);
});

async function answer({ from, to, limits }: Extract<PartRequest, { from: number }>): Promise<void> {
  running = new AbortController();
  let scored = 0;
  const work = {
    signal: running.signal,
    onProgress: (progress: Extract<PartReply, { progress: unknown }>["progress"]) => reply({ progress }),
    within: {
      charge: (count: number) => {
        scored += count;
      },
    },
    ...(limits ? { limits } : {}),
  };
  try {
    const made = await question.part(from, to, work);
    reply({ made: realism ? withRealism(made, training ?? references, opened.setup.fitted) : made, scored });
  } catch (error) {
    reply({ error: crossing(error), scored });
  }
}
