import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../src/errors.ts";
import type { BodyOrder, BodyReply } from "./json-body.ts";
import { HttpError } from "./problem.ts";
import { readBody } from "./read-body.ts";
import type { Sizes } from "./schemas/body.ts";

const port = parentPort!;
const limits = workerData as Sizes;

/** One body after the other; bytes are handed over, not copied. */
port.on("message", ({ id, bytes }: BodyOrder) => {
  readBody(bytes, limits).then(
    (read) =>
      port.postMessage(
        { id, ...read } satisfies BodyReply,
        read.places.map((place) => place.bytes.buffer as ArrayBuffer),
      ),
    (error: unknown) => {
      const code = error instanceof HttpError ? error.code : "REQUEST_INVALID";
      port.postMessage({ id, refused: { code, message: messageOf(error) } } satisfies BodyReply);
    },
  );
});
