import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Values of a table above which it is worth the while. */
const MANY = 2_000_000;

/** From version 13 on (Node 24) V8 has a mode that holds less garbage, for a sixth more CPU: too much for small tables. */
const SAVES = Number.parseInt(process.versions.v8, 10) >= 13;

let collect: (() => void) | undefined;

/**
 * Gives back what a table of so many values was read or made from, before the next large thing is made of it: a process
 * that may hold much more sees no reason to.
 */
export function sweepMemory(values: number): void {
  if (values < MANY) return;
  if (!collect) {
    setFlagsFromString("--expose-gc");
    if (SAVES) setFlagsFromString("--memory-saver-mode");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
