import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../node/store/blobs.ts";
import { fetchedNodes } from "../../scripts/nodes.ts";
import { STUDIES } from "../support/studies.ts";

const others = fetchedNodes();
const none = Object.keys(others).length === 0;

/** The digest of every file that the studies write under this binary. */
function digests(node: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "cola-nodes-"));
  try {
    execFileSync(node, ["--import", "tsx", "test/support/studies.ts", folder], { stdio: "pipe" });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const paths = files.map((file) => join(file.parentPath, file.name)).sort();
    return Object.fromEntries(paths.map((path) => [path.slice(folder.length), sha256(readFileSync(path))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(none)(
  "the same bytes on every Node (skipped before tsx scripts/other-nodes.ts fetch)",
  () => {
    let here: Record<string, string>;
    test("the studies write explanations, reports and tables", () => {
      here = digests(process.execPath);
      for (const name of Object.keys(STUDIES)) expect(here).toHaveProperty([`/${name}/explanation.json`]);
      expect(new Set(Object.values(here)).size).toBeGreaterThan(4 * Object.keys(STUDIES).length);
    }, 300_000);

    test.each(Object.entries(others))(
      "Node %s",
      (version, node) => {
        expect(execFileSync(node, ["--version"], { encoding: "utf8" })).toMatch(
          new RegExp(`^v${version}\\.`),
        );
        expect(digests(node)).toEqual(here);
      },
      300_000,
    );
  },
);
