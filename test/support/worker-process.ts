import { guardChild } from "../../node/guard.ts";
import type { Reply, ToWorker } from "../../server/work/messages.ts";

guardChild();
const kept: unknown[] = [];
const reply = (message: Reply): void => {
  process.send!(message);
};
function forever(what: () => unknown): never {
  for (;;) kept.push(what());
}

const does: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  who: () => process.pid,
  echo: (bytes) => bytes,
  grow: () => {
    for (let i = 0; i < 7e5; i++) kept.push([i]);
    return process.pid;
  },
  objects: () => forever(() => new Array(1000).fill(kept.length)),
  numbers: () => forever(() => kept.length + 0.5),
  texts: () => forever(() => `text ${kept.length}`),
  buffers: () => {
    for (let i = 0; i < 1000; i++) kept.push(new Float64Array(1e5).fill(1));
    return process.pid;
  },
  spin: () => forever(() => kept.splice(0)),
  hang: () => new Promise(() => {}),
  die: () => process.exit(7),
  crash: () => process.kill(process.pid, "SIGSEGV"),
  throw: () =>
    new Promise(() =>
      setImmediate(() => {
        throw new Error("secretcell");
      }),
    ),
};

process.on("message", async (message: ToWorker) => {
  if (!("order" in message) || message.order.kind !== "data") return;
  const { type, bytes } = message.order;
  reply({ progress: { stage: type, done: 0, total: 1 } });
  reply({ value: await does[type]!(bytes) });
});
reply({ ready: true });
