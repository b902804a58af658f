import { startWorker } from "./worker.ts";

/** Starts a worker that is given the work of the first argument, tells its number and waits to be killed. */
const { process: worker } = startWorker({});
const type = process.argv[2]!;
worker.on("message", (reply: object) => {
  if ("progress" in reply || type === "wait") console.log(worker.pid);
  else worker.send({ order: { kind: "data", bytes: new Uint8Array(), type } });
});
