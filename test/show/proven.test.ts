import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { de } from "../../show/locales/de.ts";
import { en } from "../../show/locales/en.ts";
import { reportHtml } from "../../show/report/report.ts";
import { provenRows } from "../../show/saved.ts";
import { proofSentence } from "../../show/sentences.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Proof } from "../../src/types.ts";
import { loansExplanation } from "../support/explanations.ts";

const made = await loansExplanation(6);

/** The explanation with these proofs, row by row. */
function withProofs(proofs: readonly (Proof | null)[]): Explanation {
  return { ...made, rows: made.rows.map((row, i) => ({ ...row, valid: i !== 5, proof: proofs[i] ?? null })) };
}

const any: Proof = { claim: "optimal", edits: 1, scope: "model" };
const among: Proof = { claim: "optimal", edits: 2, scope: "references", references: [3, 4] };
const bound: Proof = { claim: "at least", edits: 2, scope: "model" };

test("what holds among references is not part of what holds for any legal values", async () => {
  const explanation = withProofs([any, among, any, among, among, any]);
  // The last row has no valid plan.
  expect(provenRows(explanation)).toEqual({ any: 2, among: 3 });
  const tile = (name: string, count: number, all: string): RegExp =>
    new RegExp(`<dt>${name}</dt><dd class="value">${count} <small>${all}</small>`);
  const english = await reportHtml(explanation);
  expect(english).toMatch(tile(en.words.proven, 2, "of 6"));
  expect(english).toMatch(tile(en.words.provenAmong, 3, "of 6"));
  const german = await reportHtml(explanation, { locale: de });
  expect(german).toMatch(tile(de.words.proven, 2, "von 6"));
  expect(german).toMatch(tile(de.words.provenAmong, 3, "von 6"));
});

test("a bound counts for neither", async () => {
  const explanation = withProofs([bound, bound]);
  expect(provenRows(explanation)).toEqual({ any: 0, among: 0 });
  expect(await reportHtml(explanation)).not.toContain(`<dt>${en.words.proven}</dt>`);
});

test("each sentence names its own set", () => {
  const over = (proof: Partial<Proof>): Proof => ({ claim: "none exists", scope: "references", ...proof });
  for (const locale of [en, de]) {
    const told = [
      over({ scope: "model" }),
      over({}),
      over({ references: [1] }),
      over({ references: [1, 2] }),
    ].map((proof) => proofSentence(proof, locale));
    expect(new Set(told).size).toBe(4);
    expect(told.join(" ")).not.toContain("0");
  }
});

test("docs/PROOFS.md has every sentence there is", () => {
  const sets = ["References", "Reference", "Proposal", "Model", "Near", "Grid"] as const;
  const claims = ["optimal", "cheapest", "atLeast", "none"] as const;
  const wide = ["Model", "Near", "Grid"] as const;
  const sentences = [
    ...claims.flatMap((claim) => sets.map((set) => en[`${claim}${set}`])),
    ...(["least", "slightest"] as const).flatMap((claim) => wide.map((set) => en[`${claim}${set}`])),
  ];
  const listed = [...readFileSync("docs/PROOFS.md", "utf8").matchAll(/^\| (.+?) \| .+ \|$/gm)].map(
    (m) => m[1]!,
  );
  const plain = sentences.map((text) => text.replace("{edits|edit is|edits are}", "edits are"));
  expect(listed.slice(1).sort()).toEqual(plain.sort());
});
