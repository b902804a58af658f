import { readFileSync } from "node:fs";

/** Open files that the store, its processes and what is being read or written need beside connections. */
const OWN_FILES = 256;
const LEAST = 16;

/**
 * So many connections may be open: beyond the files a process may have, the store could not open its own, and whoever
 * opens connections and says nothing would stop all work.
 */
export function mostConnections(wanted: number, files = openFiles()): number {
  return Math.max(LEAST, Math.min(wanted, files - OWN_FILES));
}

/** How many files this process may have open; unknown outside Linux. */
function openFiles(): number {
  try {
    return Number(
      /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity,
    );
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
