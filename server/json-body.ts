import type { Worker } from "node:worker_threads";
import type { FastifyInstance } from "fastify";
import { startThread } from "../node/thread.ts";
import { HttpError, type HttpProblem } from "./problem.ts";
import { type Place, put } from "./read-body.ts";
import type { Sizes } from "./schemas/body.ts";
import { Packed } from "./schemas/packed.ts";
import { textOfBody } from "./text-fault.ts";

/** Bodies above this many bytes are read in a thread beside the one that answers. */
const LARGE = 2 ** 18;

/** To the thread: a body; from it: what it read, or why it refuses. */
export interface BodyOrder {
  readonly id: number;
  readonly bytes: Uint8Array;
}
export type BodyReply =
  | { readonly id: number; readonly body: unknown; readonly places: readonly Place[] }
  | { readonly id: number; readonly refused: { readonly code: HttpProblem; readonly message: string } };

/** Reads JSON bodies, after a look at the text: an object of a million keys takes seconds to build. */
export function addJsonBody(app: FastifyInstance, limits: Sizes): void {
  const parse = app.getDefaultJsonParser("error", "error");
  const thread = bodyThread(limits);
  app.addHook("onClose", () => thread.close());
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    if (bytes.length > LARGE) {
      thread.read(bytes).then((body) => done(null, body), done);
      return;
    }
    let text: string;
    try {
      text = textOfBody(bytes);
    } catch (error) {
      return done(error as HttpError);
    }
    parse(request, text, done);
  });
}

/** A thread that reads one body after the other; it is started by the first, and again after one that ended it. */
function bodyThread(limits: Sizes): { read(bytes: Uint8Array): Promise<unknown>; close(): Promise<void> } {
  const waiting = new Map<number, (reply: BodyReply | undefined) => void>();
  let thread: Worker | undefined;
  let next = 0;
  const open = (): Worker => {
    const opened = startThread(import.meta.url, "./body-thread", limits);
    opened.unref();
    opened.on("message", (reply: BodyReply) => waiting.get(reply.id)?.(reply));
    opened.on("error", () => {});
    opened.once("exit", () => {
      if (thread === opened) thread = undefined;
      for (const told of waiting.values()) told(undefined);
    });
    return opened;
  };
  return {
    async read(given) {
      thread ??= open();
      const id = next++;
      const bytes = new Uint8Array(given);
      const reply = await new Promise<BodyReply | undefined>((resolve) => {
        waiting.set(id, resolve);
        thread!.postMessage({ id, bytes } satisfies BodyOrder, [bytes.buffer]);
      }).finally(() => waiting.delete(id));
      if (!reply)
        throw new HttpError("BODY_TOO_LARGE", "Reading the body needs more memory than is available.");
      if ("refused" in reply) throw new HttpError(reply.refused.code, reply.refused.message);
      for (const { at, ...place } of reply.places) put(reply.body, at, new Packed(place));
      return reply.body;
    },
    async close() {
      await thread?.terminate();
    },
  };
}
