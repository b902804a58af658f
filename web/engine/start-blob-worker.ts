import { workerScript } from "virtual:worker-script";

/** The worker of the one-file page: a classic script from a blob, so that nothing is loaded from anywhere. */
export function startWorker(): Worker {
  return new Worker(URL.createObjectURL(new Blob([workerScript], { type: "text/javascript" })));
}
