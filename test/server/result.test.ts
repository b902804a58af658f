import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openFolder } from "../../node/store/blobs.ts";
import { digestOfResult, keepResult, resultOf, typeOf } from "../../server/run/result.ts";
import { explanationLines, MOST_ROWS } from "../../show/lines.ts";
import { madeUpExplanation } from "../support/explanations.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

test("a result of any length is kept whole, as the command line writes it, and read again", async () => {
  const blobs = openFolder(folder);
  for (const [rows, kind] of [
    [2, "json"],
    [MOST_ROWS + 1, "jsonl"],
  ] as const) {
    const made = madeUpExplanation({ rows, cols: 4 });
    const { result: ref } = await keepResult(blobs, made);
    expect(ref.endsWith(`.${kind}`)).toBe(true);
    expect(ref.slice(0, 64)).toBe(digestOfResult(made));
    expect(typeOf(ref)).toBe(kind === "json" ? "application/json" : "application/x-ndjson");
    expect(resultOf(ref, await blobs.get(ref))).toEqual(JSON.parse(JSON.stringify(made)));
    if (kind === "json") continue;
    const hash = createHash("sha256");
    for (const line of explanationLines(made)) hash.update(line);
    expect(ref.slice(0, 64)).toBe(hash.digest("hex"));
  }
});
