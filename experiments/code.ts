import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

/** Static and dynamic imports of files beside a module. */
const IMPORTS = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** Imports that leave nothing in the running program. */
const TYPES = /^(?:import|export) type [^;]*;/gm;

/** Digest of a program: the text of a module and of every file it imports, directly or not; types are not part of it. */
export function codeDigest(entry: string): string {
  const texts = new Map<string, string>();
  const open = [resolve(entry)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (texts.has(path) || !existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    texts.set(path, text);
    for (const [, next] of text.replace(TYPES, "").matchAll(IMPORTS))
      open.push(resolve(dirname(path), next!));
  }
  const hash = createHash("sha256");
  const named = [...texts].map(([path, text]) => [relative(dirname(entry), path), text] as const);
  for (const part of named.sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(JSON.stringify(part));
  return hash.digest("hex").slice(0, 16);
}
