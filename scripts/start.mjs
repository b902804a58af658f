import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The command line from a bundle of the sources, made at the first start and again when they have changed: a start from
 * the sources themselves takes thrice as long. The words behind this file are those of `cola`.
 */
const KEPT = join(".cache", "cola");
/** What the bundle is made of, by content: names and times say nothing. */
const MADE_OF = [
  ...["cli", "experiments", "formats", "node", "scripts", "server", "show", "src", "study"],
  ...["package.json", "package-lock.json"],
];
/** Bundles of other sources stay for a week: something may still run from them. */
const WEEK_MS = 7 * 86_400_000;

function filesOf(place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place)
    .sort()
    .flatMap((name) => filesOf(join(place, name)));
}

function digestOfSources() {
  const digest = createHash("sha256");
  for (const path of MADE_OF.flatMap(filesOf)) {
    const bytes = readFileSync(path);
    digest.update(`${path}\n${bytes.length}\n`).update(bytes);
  }
  return digest.digest("hex").slice(0, 16);
}

function bundleTo(folder) {
  const making = `${folder}.${process.pid}`;
  const words = ["--import", "tsx", "scripts/bundle.ts", making];
  const { status } = spawnSync(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
  try {
    renameSync(making, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(making, { recursive: true }); // another start was faster
  }
  for (const name of readdirSync(KEPT)) {
    const other = join(KEPT, name);
    if (Date.now() - statSync(other).mtimeMs > WEEK_MS) rmSync(other, { recursive: true, force: true });
  }
}

const folder = join(KEPT, digestOfSources());
if (!existsSync(folder)) bundleTo(folder);
await import(pathToFileURL(resolve(folder, "main.js")).href);
