import fc from "fast-check";
import { expect, test } from "vitest";
import { toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/index.ts";
import type { ModelLike, Target } from "../../src/types.ts";
import { everyPlan, preferred } from "./brute-force.ts";
import { arbitrary, coarse, forest, linear, seeds, smallRows, someGroups } from "./cases.ts";

type Refine = typeof refine;

const kinds = fc.constantFrom("arbitrary", "coarse", "forest", "boosted", "linear");
const targets: Target[] = [
  { class: 1 },
  { above: 0.6 },
  { min: 0.5 },
  { below: 0.3 },
  { min: 0.4, max: 0.6 },
];

function modelOf(kind: string, seed: number, cols: number): ModelLike {
  const random = stream(seed, "model");
  if (kind === "arbitrary") return arbitrary(seed);
  if (kind === "coarse") return coarse(seed, 6);
  if (kind === "linear") return linear(random, cols);
  return forest(random, cols, 8, 3, kind === "boosted" ? "logistic" : "identity");
}

/** Fewest edits, the preferred plan among them, and the right words about it. */
async function minimalIsBruteForce(impl: Refine, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      kinds,
      seeds,
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom(...targets),
      async (kind, seed, cols, target) => {
        const random = stream(seed, "case");
        const model = modelOf(kind, seed, cols);
        const groups = someGroups(random, cols);
        const x = smallRows(random, 3, cols);
        const q = smallRows(random, 3, cols);
        const minMargin = random.next() < 0.3 ? 0.1 : 0;
        const prefer = random.next() < 0.5 ? "near" : "margin";
        const result = await impl({ model, x, q, groups, prefer, goal: { kind: "each", target, minMargin } });
        for (let i = 0; i < 3; i++) {
          const row = toRows(x)[i]!;
          const proposal = toRows(q)[i]!;
          const plans = await everyPlan({ model, x: row, references: [proposal], groups, target, minMargin });
          const best = preferred(plans, Number.POSITIVE_INFINITY, prefer);
          const got = result.rows[i]!;
          if (got.edits.length === 0 && got.status === "ok") {
            expect(got.valid).toBe(true);
            expect(got.after).toBe(got.before);
          } else if (best) {
            expect(got.status).toBe("ok");
            expect(got.proof).toMatchObject({ claim: "optimal" });
            expect([...got.edits].sort((a, b) => a - b)).toEqual(best.players);
            expect(toRows(result.z)[i]).toEqual(best.row);
            expect(got.slack).toBeCloseTo(best.slack, 12);
          } else {
            expect(got).toMatchObject({ status: "infeasible", edits: [], valid: false });
            expect(got.proof).toMatchObject({ claim: "none exists", scope: "references" });
          }
        }
      },
    ),
    { numRuns: runs },
  );
}

test("minimal equals brute force, interactions and grouped players included", async () => {
  await minimalIsBruteForce(refine, 150);
});
