import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Values of a table above which it is worth the while. */
const MANY = 2_000_000;

let collect: (() => void) | undefined;

/**
 * Gives back what a table of so many values was read or made from, before the next large thing is made of it: a process
 * that may hold much more sees no reason to.
 */
export function sweepMemory(values: number): void {
  if (values < MANY) return;
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
