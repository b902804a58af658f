import { PassThrough, type Readable } from "node:stream";
import type { Progress } from "../../src/types.ts";
import { SHARE } from "../gate.ts";
import { HttpError } from "../problem.ts";
import type { Server } from "../server.ts";

/** How often the store is asked how a job does: its work may be on another machine. */
const LOOK_MS = 1000;
/** A comment now and then keeps proxies from closing a quiet stream. */
const QUIET_MS = 15_000;

const ENDED = new Set(["done", "failed", "cancelled"]);

/** The state of a job, its progress, and every change of state until it ends. */
export function eventStream(
  server: Server,
  describe: () => Promise<{ readonly state: string; readonly progress: Progress | null }>,
  { id, owner, keyed }: { readonly id: string; readonly owner: string; readonly keyed: boolean },
): Readable {
  const { streams, limits, events } = server;
  const own = [...streams.values()].filter((name) => name === owner).length;
  if (streams.size >= limits.streams || (keyed && own >= Math.ceil(limits.streams * SHARE)))
    throw new HttpError("BUSY", "Too many event streams are open.", 5);
  const stream = new PassThrough();
  streams.set(stream, owner);
  const send = (event: string, data: unknown): void => {
    if (stream.writable) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  let turn = Promise.resolve();
  let told = { state: "", progress: "null" };
  const tell = (): void => {
    turn = turn
      .then(async () => {
        const job = await describe();
        const now = { state: job.state, progress: JSON.stringify(job.progress) };
        if (now.state !== told.state) send("state", job);
        else if (now.progress !== told.progress && job.progress) send("progress", job.progress);
        told = now;
        if (ENDED.has(job.state)) stream.end();
      })
      .catch(() => {
        stream.end();
      });
  };
  const forget = events.watch(id, (progress: Progress | undefined) => {
    if (!progress) return tell();
    told = { ...told, progress: JSON.stringify(progress) };
    send("progress", progress);
  });
  const timers = [
    setInterval(() => stream.writable && stream.write(": quiet\n\n"), QUIET_MS).unref(),
    setInterval(tell, LOOK_MS).unref(),
  ];
  stream.once("close", () => {
    forget();
    for (const timer of timers) clearInterval(timer);
    streams.delete(stream);
  });
  tell();
  return stream;
}
