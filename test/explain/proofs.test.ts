import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ExplainedRow, type Explanation, explain } from "../../src/index.ts";
import { type Fault, faultsOf } from "../support/proofs/check.ts";
import { runStudies } from "../support/proofs/run.ts";
import { drawStudy, PLAIN, type Study } from "../support/proofs/study.ts";

const one = process.env["COLA_STUDY"];
const [from, count] = one ? [Number(one), 1] : [0, process.env["COLA_SOAK"] ? 50_000 : PLAIN];

test("no printed proof is false, no plan misses its goal, no constraint is broken", async () => {
  const { text, faults } = await runStudies(from, count);
  console.log(text);
  expect(faults).toEqual([]);
}, 7_200_000);

test("the checker shares no code with what it checks", () => {
  for (const name of ["check", "columns", "group", "legal"]) {
    const text = readFileSync(`test/support/proofs/${name}.ts`, "utf8");
    const borrowed = [...text.matchAll(/^import (?!type )[^;]*?"(?<from>[^"]*src[^"]*)"/gm)];
    expect(borrowed.map(({ groups }) => groups!["from"])).toEqual([]);
  }
});

type Lie = (row: ExplainedRow, study: Study) => ExplainedRow | undefined;

/** Answers that say something false of a row with a proven plan; undefined where there is nothing to lie about. */
const lies: readonly (readonly [string, Fault["kind"], Lie])[] = [
  [
    "a row with a plan is called one without",
    "false proof",
    ({ proof, ...row }) => ({
      ...{ ...row, status: "infeasible", valid: false, edits: [] },
      proof: { ...over(proof!), claim: "none exists" },
    }),
  ],
  [
    "more edits are said to be needed than suffice",
    "false proof",
    ({ proof, ...row }) => ({
      ...{ ...row, status: "budget", valid: false, edits: [] },
      proof: { ...over(proof!), claim: "at least", edits: row.edits.length + 1 },
    }),
  ],
  [
    "an edit that is needed is left out",
    "invalid plan",
    (row) => ({ ...row, edits: row.edits.slice(1), proof: null }),
  ],
  [
    "a frozen feature is edited",
    "broken constraint",
    (row, { columns }) => {
      const frozen = columns.find(({ feature }) => feature.immutable && feature.kind === "numeric")?.feature;
      if (!frozen) return undefined;
      const edit = { feature: frozen.name, from: 0, to: 1e99, attribution: 0 };
      return { ...row, edits: [...row.edits, edit], proof: null };
    },
  ],
];

/** The proof's own references, or where it speaks of any values those of the row's plan. */
function over({ scope, references }: NonNullable<ExplainedRow["proof"]>) {
  return { scope, ...(references ? { references } : {}) };
}

describe("the checker is not taken in", () => {
  test.each(lies)("%s", async (_, kind, lie) => {
    let told = 0;
    for (let seed = 0; seed < 60; seed++) {
      const study = drawStudy(seed);
      if (study.goal.kind === "group" || study.rules.length > 0) continue;
      const explanation = await explain(study.input).catch(() => undefined);
      const at =
        explanation?.rows.findIndex((row) => row.edits.length > 0 && row.proof?.claim === "optimal") ?? -1;
      const row = at < 0 ? undefined : lie(explanation!.rows[at]!, study);
      if (!row || row.proof?.scope === "model") continue;
      const lied: Explanation = {
        ...explanation!,
        rows: explanation!.rows.map((r, i) => (i === at ? row : r)),
      };
      expect(faultsOf(study, lied).map((fault) => fault.kind)).toContain(kind);
      told++;
    }
    expect(told).toBeGreaterThan(0);
  });

  /** What is said of all legal values besides the number of edits, falsely. */
  const wider: readonly (readonly [string, (row: ExplainedRow) => ExplainedRow])[] = [
    [
      "a feature that helps is called useless",
      (row) => ({ ...row, useless: { features: [row.edits[0]!.feature], edits: row.edits.length } }),
    ],
    [
      "a change is called the least that is not",
      (row) => ({ ...row, change: 4 * row.change!, proof: { ...row.proof!, change: "least" } }),
    ],
    [
      "a range reaches back to the row itself",
      (row) => {
        const { feature, from, to } =
          row.edits.find((edit) => typeof edit.from === "number") ?? row.edits[0]!;
        return { ...row, ranges: [{ feature, from: to, to: from, open: false, known: "certified" }] };
      },
    ],
  ];
  test.each(wider)("%s", async (_, lie) => {
    let caught = 0;
    for (let seed = 0; seed < 60; seed++) {
      const study = drawStudy(seed);
      if (study.goal.kind === "group" || study.rules.length > 0) continue;
      const explanation = await explain(study.input).catch(() => undefined);
      const row = explanation?.rows.find(
        ({ edits, proof }) => edits.length === 1 && proof?.scope === "model" && proof.claim === "optimal",
      );
      if (!row) continue;
      const rows = explanation!.rows.map((r) => (r === row ? lie(row) : r));
      if (faultsOf(study, { ...explanation!, rows }).some(({ kind }) => kind === "false proof")) caught++;
    }
    expect(caught).toBeGreaterThan(3);
  });
});
