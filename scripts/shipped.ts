import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A module or its declarations named by a relative path, at its beginning or where it is needed. */
const RELATIVE = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

/** The files that these lead to, themselves included; bundles are whole and lead nowhere. */
export function reachable(entries: readonly string[], bundles: readonly string[]): Set<string> {
  const found = new Set<string>();
  const whole = new Set(bundles.map((path) => normalize(path)));
  const open = entries.map((path) => normalize(path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (whole.has(path)) continue;
    for (const [, other] of readFileSync(path, "utf8").matchAll(RELATIVE))
      open.push(fileOf(path, join(dirname(path), other!)));
  }
  return found;
}

/** Declarations name the source a module was made from; beside them lie its declarations. */
function fileOf(from: string, path: string): string {
  return from.endsWith(".d.ts") ? path.replace(/\.[jt]s$/, ".d.ts") : path;
}

/** Removes every other file below the folder, and folders that are then empty. */
export function keepOnly(folder: string, kept: Iterable<string>): void {
  const keep = new Set([...kept].map((path) => normalize(path)));
  for (const path of keep) if (!existsSync(path)) throw new Error(`${path} was not built`);
  const clear = (at: string): boolean => {
    const left = readdirSync(at, { withFileTypes: true }).filter((entry) => {
      const path = join(at, entry.name);
      if (entry.isDirectory() ? clear(path) : keep.has(path)) return true;
      rmSync(path, { recursive: true });
      return false;
    });
    return left.length > 0;
  };
  clear(folder);
}
