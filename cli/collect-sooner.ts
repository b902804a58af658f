import { setFlagsFromString } from "node:v8";

/** How much more than what is in use a heap may hold before garbage is looked for, in percent. V8 waits for up to 300. */
const SURPLUS = 60;

/**
 * Keeps V8 from holding garbage of long tables: of 1.1 GB that a million rows took, a quarter was in use. Looking for it more
 * often takes no more CPU, as less memory is touched for the first time. It holds for all threads of the process. V8 no longer
 * listens to it from version 13 on (Node 24): there `sweepMemory` does what can be done.
 */
export function collectSooner(): void {
  setFlagsFromString(`--heap-growing-percent=${SURPLUS}`);
}
