import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { messageOf } from "../src/errors.ts";
import { fetchNode, VERSIONS } from "./nodes.ts";

/**
 * What depends most on the version of Node, as far as it is quick: the core, the command line, the server and its
 * processes, and the reading of tables.
 */
const CHOSEN = [
  "test/core/",
  "test/run/",
  ...[
    "bad-inputs/",
    "commands",
    "json-keys",
    "locale",
    "manners",
    "mistakes",
    "options",
    "parts",
    "real-inputs",
  ].map((name) => `test/cli/${name}`),
  ...["app", "audit", "contract", "quota", "settings", "work"].map((name) => `test/server/${name}.test.ts`),
  "test/node/tables.test.ts",
];

/**
 * Runs tests on the other versions of Node: those chosen above, those of the paths named, or with `--all` the
 * whole suite; `fetch` only gets the binaries. Where the registry does not answer, that is said and nothing is run.
 */
const words = process.argv.slice(2);
const tests = words.includes("--all") ? [] : words.length > 0 ? words : CHOSEN;
const own = process.versions.node.split(".")[0];
const told: string[] = [];
for (const version of VERSIONS.filter((other) => String(other) !== own)) {
  let binary: string;
  try {
    binary = fetchNode(version);
  } catch (error) {
    const why = messageOf(error).split("\n")[0];
    told.push(`Node ${version} is skipped: its package cannot be fetched (${why}).`);
    continue;
  }
  if (words[0] === "fetch") continue;
  console.log(`\nNode ${version}: ${tests.join(", ") || "the whole suite"}`);
  const PATH = `${dirname(binary)}${delimiter}${process.env["PATH"]}`;
  const began = performance.now();
  const { status } = spawnSync(binary, ["node_modules/vitest/vitest.mjs", "run", ...tests], {
    stdio: "inherit",
    env: { ...process.env, PATH },
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  told.push(`Node ${version}: ${status === 0 ? "passed" : "failed"} in ${seconds} s.`);
  if (status !== 0) process.exitCode = 1;
}
for (const line of told) console.log(line);
