import { givenData, guardChild } from "../../node/guard.ts";
import { openBlobs } from "../../node/store/blobs.ts";
import { ColaError } from "../../src/errors.ts";
import type { Progress } from "../../src/types.ts";
import { bytesOf, createCook } from "../run/cook.ts";
import { inspectCounterfactuals, inspectData, inspectModel } from "../run/inspect.ts";
import { reportOf } from "../run/report.ts";
import { type Cooked, type Order, packed, type Reply, type Setting, type Told } from "./messages.ts";

/** Least time between two reports of one stage. */
const EVERY_MS = 100;

/** Computes one order after the other beside the process that answers requests. */
guardChild();
const { files, allowHosts, limits } = givenData<Setting>();
const blobs = openBlobs(files);
const cook = createCook({ blobs, allowHosts }, limits);
let inHand: AbortController | undefined;

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
  if (order.kind === "data") return inspectData(blobs, limits, order.bytes, order.type);
  if (order.kind === "counterfactuals") return inspectCounterfactuals(blobs, limits, order.bytes, order.type);
  if (order.kind === "model") return inspectModel(blobs, order.bytes);
  if (order.kind === "report") return reportOf(blobs, order.result, order.locale);
  const { explanation, model } = await cook(order.recipe, { signal, onProgress: reporter() });
  const { seed, runHash } = explanation;
  return { result: blobs.put(bytesOf(explanation), "json"), model, seed, runHash } satisfies Cooked;
}

process.on("message", (told: Told) => {
  if ("abort" in told) {
    inHand?.abort(new ColaError("ABORTED", "the work is not wanted any more"));
    return;
  }
  inHand = new AbortController();
  perform(told.order, inHand.signal)
    .then(
      (value) => ({ value }),
      (error: unknown) => ({ thrown: packed(error) }),
    )
    .then((message) => {
      inHand = undefined;
      reply(message);
    });
});
reply({ ready: true });
