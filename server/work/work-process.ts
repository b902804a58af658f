import { givenData, guardChild } from "../../node/guard.ts";
import { hashByNode } from "../../node/sha256.ts";
import { DATABASE, openFiles } from "../../node/store/store.ts";
import { ColaError } from "../../src/errors.ts";
import type { Progress } from "../../src/types.ts";
import { createCompute } from "../run/compute.ts";
import { inspectCounterfactuals, inspectData, inspectModel } from "../run/inspect.ts";
import { cardFrom, letterFrom, reportOf } from "../run/report.ts";
import { keepResult } from "../run/result.ts";
import { keepShard, mergeShards } from "../run/shards.ts";
import { type Computed, type Order, packed, type Reply, type Setting, type ToWorker } from "./messages.ts";

/** Least time between two reports of one stage. */
const EVERY_MS = 100;

/** Computes one order after the other beside the process that answers requests. */
guardChild();
hashByNode();
const { files, allowHosts, tokens, limits } = givenData<Setting>();
const blobs = await openFiles(files, process.env[DATABASE] ?? "");
const compute = createCompute({ blobs, allowHosts, tokens }, limits);
let running: AbortController | undefined;

const reply = (message: Reply): void => {
  process.send!(message, () => {});
};

function reporter(): (progress: Progress) => void {
  let [stage, at] = ["", 0];
  return (progress) => {
    const now = performance.now();
    if (progress.stage === stage && now - at < EVERY_MS) return;
    [stage, at] = [progress.stage, now];
    reply({ progress });
  };
}

async function perform(order: Order, signal: AbortSignal): Promise<unknown> {
  if (order.kind === "data") return inspectData(blobs, limits, order);
  if (order.kind === "counterfactuals") return inspectCounterfactuals(blobs, limits, order);
  if (order.kind === "model") return inspectModel(blobs, order.bytes);
  if (order.kind === "report") return reportOf(blobs, order.result, order.asked);
  if (order.kind === "letter") return letterFrom(blobs, order.result, order.asked);
  if (order.kind === "card") return cardFrom(blobs, order.result, order.asked);
  if (order.kind === "merge") return mergeShards(blobs, compute, order);
  const watch = { signal, onProgress: reporter() };
  if (order.kind === "shard") {
    const { job, number, recipe, plan, limitMs } = order;
    const part = await compute.shard(recipe, plan, number, { ...watch, limits: { timeMs: limitMs } });
    return keepShard(blobs, { job, number, from: number * plan.size }, part);
  }
  const { recipe } = order;
  const made =
    order.kind === "begin"
      ? await compute.begin(recipe, order.size, watch)
      : await compute.whole(recipe, watch);
  if (!("explanation" in made)) return { plan: made };
  return { ...(await keepResult(blobs, made.explanation)), model: made.model } satisfies Computed;
}

process.on("message", (message: ToWorker) => {
  if ("abort" in message) {
    running?.abort(new ColaError("ABORTED", "nobody is waiting for the work any more"));
    return;
  }
  running = new AbortController();
  perform(message.order, running.signal)
    .then(
      (value) => ({ value }),
      (error: unknown) => ({ thrown: packed(error) }),
    )
    .then((message) => {
      running = undefined;
      reply(message);
    });
});
reply({ ready: true });
