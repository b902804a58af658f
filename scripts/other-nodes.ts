import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { messageOf } from "../src/errors.ts";
import { fetchNode, VERSIONS } from "./nodes.ts";

/**
 * `fetch` gets the other versions of Node; without a word the tests that depend on the version are run on each: the
 * core, opening and asking, and the processes that work for the server and read tables. Where the registry does not answer, that is said and nothing is run.
 */
const TESTS = ["test/core/", "test/run/", "test/server/work.test.ts", "test/node/tables.test.ts"];

const onlyFetch = process.argv[2] === "fetch";
const own = process.versions.node.split(".")[0];
let failed = false;
for (const version of VERSIONS.filter((other) => String(other) !== own)) {
  let binary: string;
  try {
    binary = fetchNode(version);
  } catch (error) {
    console.log(
      `Node ${version} is skipped: its package cannot be fetched (${messageOf(error).split("\n")[0]}).`,
    );
    continue;
  }
  if (onlyFetch) continue;
  console.log(`\nNode ${version}: ${TESTS.join(", ")}`);
  const words = ["node_modules/vitest/vitest.mjs", "run", ...TESTS];
  const PATH = `${dirname(binary)}${delimiter}${process.env["PATH"]}`;
  const { status } = spawnSync(binary, words, { stdio: "inherit", env: { ...process.env, PATH } });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
