import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { squaredDistance } from "../../src/data/metric.ts";
import type { Task } from "../../src/generate/contract.ts";
import { type Relaxed, relax } from "../../src/generate/dice/relax.ts";
import { diceGradient } from "../../src/generate/dice-gradient.ts";
import { movesOf, seenIn } from "../../src/generate/moves.ts";
import { openRun } from "../../src/generate/run.ts";
import { rowOf, sameValue } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { editsPerRow, loanTask } from "../support/generate.ts";
import { relaxMutants } from "../support/mutants/generate.ts";
import { refuses } from "../support/refuses.ts";

const random = () => stream(6, "gradient");

async function relaxedRow(task: Task, i: number) {
  const run = openRun("test", task, {}, {});
  const x = rowOf(run.x, i);
  const moves = movesOf(run, seenIn(run.constraints, run.references), x);
  return { run, x, relaxed: relax(run, { x, slack: -0.2, moves, random: random() }) };
}

/** A random point inside the bounds. */
function point(relaxed: Relaxed, seed: number): Float64Array {
  const source = stream(seed, "point");
  const theta = Float64Array.from({ length: relaxed.size }, () => 2 * source.next() - 1);
  relaxed.project(theta);
  return theta;
}

const cases = fc.record({ i: fc.integer({ min: 0, max: 19 }), seed: fc.integer({ min: 0, max: 1e6 }) });

describe("a row made continuous", () => {
  /** Encoding is linear, starts at x, agrees with the encoder on table rows; pulling is its transpose. */
  const relaxLaw = async (change: (relaxed: Relaxed) => Relaxed): Promise<void> => {
    const task = await loanTask("mixed", "logistic");
    await fc.assert(
      fc.asyncProperty(cases, async ({ i, seed }) => {
        const { run, x, relaxed: real } = await relaxedRow(task, i);
        const relaxed = change(real);
        const theta = point(relaxed, seed);
        const zero = new Float64Array(relaxed.size);
        const [at, from] = [rowOf(relaxed.encode([theta, zero]), 0), rowOf(relaxed.encode([theta, zero]), 1)];
        expect([...from]).toEqual([...run.inner.encode({ data: x, rows: 1, cols: x.length }).data]);
        expect(relaxed.row(zero).every((v, k) => sameValue(v, x[k]!))).toBe(true);
        const z = relaxed.row(theta);
        expect(run.constraints.violations(x, z)).toEqual([]);
        // slope · (encoded(θ) − encoded(0)) = θ · pull(slope)
        const source = stream(seed, "slope");
        const slope = at.map(() => source.normal());
        const pulled = new Float64Array(relaxed.size);
        relaxed.pull(slope, 2, pulled);
        const left = slope.reduce((sum, s, c) => sum + 2 * s * (at[c]! - from[c]!), 0);
        expect(pulled.reduce((sum, p, t) => sum + p * theta[t]!, 0)).toBeCloseTo(left, 8);
        const moved = Float64Array.from(theta, (v, p) => v + (p % 3 === 0 ? 5 : -0.1));
        relaxed.project(moved);
        const again = moved.slice();
        relaxed.project(again);
        moved.forEach((v, p) => {
          expect(again[p]).toBeCloseTo(v, 12);
        });
        expect(run.constraints.violations(x, relaxed.row(moved))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  };
  test("is linear, starts at x and pulls by its transpose", () => relaxLaw((relaxed) => relaxed));
  test.each(Object.entries(relaxMutants))("%s is refused", (_, mutant) => refuses(() => relaxLaw(mutant)));

  test("whole moves encode as the encoder does", async () => {
    const task = await loanTask("levels", "logistic");
    const { run, x, relaxed } = await relaxedRow(task, 0);
    for (let p = 0; p < relaxed.size; p++) {
      const theta = new Float64Array(relaxed.size);
      theta[p] = 1;
      relaxed.project(theta);
      const z = relaxed.row(theta);
      if (z.every((v, k) => sameValue(v, x[k]!))) continue;
      const kinds = run.constraints.schema.features.map(({ kind }) => kind);
      if (z.some((v, k) => !sameValue(v, x[k]!) && kinds[k] === "ordinal")) continue;
      const encoded = run.inner.encode({ data: z, rows: 1, cols: z.length });
      rowOf(relaxed.encode([theta]), 0).forEach((v, c) => {
        expect(v).toBeCloseTo(encoded.data[c]!, 9);
      });
    }
  });
});

describe("descent", () => {
  test("reaches the target from every row of a logistic and of a network", async () => {
    for (const fit of ["logistic", "mlp"] as const) {
      const { report } = await diceGradient(await loanTask("mixed", fit), {}, random());
      expect(report.status.filter((s) => s === "ok").length).toBeGreaterThanOrEqual(19);
    }
  });

  test("the price of distance keeps features at x", async () => {
    const task = await loanTask("mixed", "logistic");
    const edits = async (proximityWeight: number): Promise<number> =>
      editsPerRow(
        task,
        await diceGradient(task, { proximityWeight, sparsityWeight: 0, posthoc: "none" }, random()),
      ).reduce((a, b) => a + b);
    expect(await edits(0.9)).toBeLessThan(0.7 * (await edits(0)));
  });

  test("several rows repel each other", async () => {
    const task = await loanTask("numeric", "logistic");
    const { metric } = openRun("test", task, {}, {});
    const apart = async (diversityWeight: number): Promise<number> => {
      const { rows, pairs } = await diceGradient(
        task,
        { count: 3, diversityWeight, posthoc: "none" },
        random(),
      );
      let sum = 0;
      for (let t = 1; t < rows.rows; t++) {
        if (pairs![t] === pairs![t - 1])
          sum += Math.sqrt(squaredDistance(metric, rowOf(rows, t), rowOf(rows, t - 1)));
      }
      return sum;
    };
    expect(await apart(5)).toBeGreaterThan(1.2 * (await apart(0)));
  });
});
