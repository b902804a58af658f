import { join } from "node:path";

/** Where the bundles of this run of the tests are (`built.ts`). */
export const BUILT = process.env["COLA_TEST_BUILT"];

/** The command `cola` as words for Node: the bundle, or the sources where there is none. */
export const COMMAND: readonly string[] = BUILT
  ? [join(BUILT, "main.js")]
  : ["--import", "tsx", "cli/main.ts"];
