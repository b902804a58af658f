import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** The versions of Node people have, beside the oldest one. */
export const VERSIONS = [22, 24, 26];
const FOLDER = ".cache/nodes";
const PACKAGE = `node-${process.platform}-${process.arch}`;

const binaryOf = (version: number | string): string =>
  resolve(FOLDER, String(version), "node_modules", PACKAGE, "bin", "node");

/** The binaries that were fetched: version → path. */
export function fetchedNodes(): Readonly<Record<string, string>> {
  const there = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  return Object.fromEntries(
    there.map((version) => [version, binaryOf(version)]).filter(([, path]) => existsSync(path!)),
  );
}

/** Fetches a version unless it is there: packages hold the plain binary, and no script of theirs is run. */
export function fetchNode(version: number): string {
  const path = binaryOf(version);
  if (existsSync(path)) return path;
  const quiet = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel",
    "error",
    "--fetch-retries",
    "1",
  ];
  const words = ["install", ...quiet, "--prefix", join(FOLDER, String(version)), `${PACKAGE}@${version}`];
  execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
  return path;
}
