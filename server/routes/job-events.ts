import { PassThrough, type Readable } from "node:stream";
import type { Progress } from "../../src/types.ts";
import { HttpError } from "../problem.ts";
import type { Server } from "../server.ts";

/** A comment now and then keeps proxies from closing a quiet stream. */
const QUIET_MS = 15_000;

const ENDED = new Set(["done", "failed", "cancelled"]);

/** The state of a job, its progress, and every change of state until it ends. */
export function eventStream(
  server: Server,
  describe: () => Promise<{ readonly state: string }>,
  id: string,
): Readable {
  const { streams, limits, events } = server;
  if (streams.size >= limits.streams) throw new HttpError("BUSY", "Too many event streams are open.", 5);
  const stream = new PassThrough();
  streams.add(stream);
  const send = (event: string, data: unknown): void => {
    if (stream.writable) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  let turn = Promise.resolve();
  const tell = (): void => {
    turn = turn
      .then(async () => {
        const job = await describe();
        send("state", job);
        if (ENDED.has(job.state)) stream.end();
      })
      .catch(() => {
        stream.end();
      });
  };
  const forget = events.watch(id, (progress: Progress | undefined) => {
    if (progress) send("progress", progress);
    else tell();
  });
  const timer = setInterval(() => stream.writable && stream.write(": quiet\n\n"), QUIET_MS).unref();
  stream.once("close", () => {
    forget();
    clearInterval(timer);
    streams.delete(stream);
  });
  tell();
  return stream;
}
