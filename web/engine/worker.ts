import { isColaError, messageOf } from "../../src/errors.ts";
import type { WorkOptions } from "../../src/types.ts";
import { calls } from "./calls.ts";
import { inParts } from "./in-parts.ts";
import type { CallName, Failure, FromWorker, ToWorker } from "./protocol.ts";

/** What this file needs of a worker's global scope. */
interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = self as unknown as Scope;
const running = new Map<number, AbortController>();

/** Progress is lastReport at most this often. */
const EVERY_MS = 60;

scope.onmessage = ({ data }) => {
  if ("cancel" in data) running.get(data.id)?.abort();
  else void serve(data.id, data.call, data.argument);
};

async function serve(id: number, name: CallName, argument: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const work = { signal: controller.signal, onProgress: progressSender(id) };
    const call = calls[name] as (argument: unknown, work: WorkOptions) => unknown;
    const { parts, rest } = inParts(await call(argument, work));
    for (const rows of parts) scope.postMessage({ id, rows });
    scope.postMessage({ id, answer: rest });
  } catch (error) {
    scope.postMessage({ id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}

function progressSender(id: number): NonNullable<WorkOptions["onProgress"]> {
  let lastReport = 0;
  return (progress) => {
    const now = performance.now();
    if (now - lastReport < EVERY_MS) return;
    lastReport = now;
    scope.postMessage({ id, progress });
  };
}

function failureOf(error: unknown): Failure {
  return isColaError(error)
    ? { code: error.code, message: error.message }
    : { code: "INTERNAL", message: messageOf(error) };
}
