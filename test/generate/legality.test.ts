import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import type { Generator, Task } from "../../src/generate/contract.ts";
import { type GeneratorMethod, generators } from "../../src/generate/registry.ts";
import { sigmoid } from "../../src/model/link.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Feature, Matrix, Model } from "../../src/types.ts";
import { legalityMutants } from "../support/mutants/generate.ts";
import { refuses } from "../support/refuses.ts";

const GRADES = ["a", "b", "c", "d"];
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Constraints any feature may carry; bounds may shut the factual value out. */
const common = { immutable: fc.boolean().map((b) => b || undefined), editMissing: maybe(fc.boolean()) };
const bounds = fc
  .tuple(fc.integer({ min: -4, max: 14 }), fc.integer({ min: 0, max: 8 }))
  .map(([min, width]) => ({ min, max: min + width }));
const direction = maybe(fc.constantFrom("up" as const, "down" as const));
const amount = (name: string, kind: "numeric" | "integer"): fc.Arbitrary<object> =>
  fc.record({
    name: fc.constant(name),
    kind: fc.constant(kind),
    ...common,
    direction,
    range: maybe(bounds),
    step: maybe(kind === "integer" ? fc.constantFrom(1, 2, 3) : fc.constantFrom(0.1, 0.25, 1.5)),
    allowed: fc.option(fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 3 }), {
      nil: undefined,
      freq: 1,
    }),
    tolerance: maybe(fc.constantFrom(0, 0.3)),
  });
const levels = (name: string, kind: "ordinal" | "categorical"): fc.Arbitrary<object> =>
  fc.record({
    name: fc.constant(name),
    kind: fc.constant(kind),
    categories: fc.constant(GRADES),
    ...common,
    direction: kind === "ordinal" ? direction : fc.constant(undefined),
    allowed: maybe(fc.subarray(GRADES)),
    transitions: maybe(fc.dictionary(fc.constantFrom(...GRADES), fc.subarray(GRADES), { maxKeys: 4 })),
  });

/** No keys with the value undefined, and `range` spread into min and max. */
function featureOf(given: object): Feature {
  const { range, ...rest } = given as { range?: { min: number; max: number } };
  return Object.fromEntries(
    Object.entries({ ...rest, ...range }).filter(([, v]) => v !== undefined),
  ) as never;
}

const cell = (max: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max }) },
    { weight: 1, arbitrary: fc.constant(Number.NaN) },
  );
const rows = (min: number, max: number): fc.Arbitrary<Matrix> =>
  fc
    .array(fc.tuple(cell(10), cell(10), cell(3), cell(3), cell(1), fc.constant(0)), {
      minLength: min,
      maxLength: max,
    })
    .map(fromRows);

const tasks = fc
  .record({
    features: fc.tuple(
      amount("p", "numeric"),
      amount("q", "integer"),
      levels("g", "ordinal"),
      levels("h", "categorical"),
      fc.record({ name: fc.constant("b"), kind: fc.constant("boolean"), ...common }),
    ),
    sum: fc.boolean(),
    rules: fc.subarray(["p <= q + 6", "not (h == 'a' and b == 'true')", "g != 'd' or q > 2"]),
    x: rows(1, 5),
    references: rows(3, 25),
    bias: fc.integer({ min: -3, max: 3 }),
    seed: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ features, sum, rules, bias, ...rest }) => {
    const last: Feature = sum
      ? { name: "sum", kind: "numeric", derived: "p + q" }
      : { name: "s", kind: "numeric" };
    const constraints = compileConstraints({ features: [...features.map(featureOf), last], rules });
    return { ...rest, model: modelOf(bias), constraints, target: { class: 1 } };
  });

const WEIGHTS = [0.3, -0.4, 0.8, -0.7, 0.9, 0.05];

/** Missing counts as 3; odd levels of h are worth more, which no straight line can tell. */
function modelOf(bias: number): Model {
  const score = (row: Float64Array): number => {
    const v = (k: number): number => (Number.isNaN(row[k]!) ? 3 : row[k]!);
    return sigmoid(WEIGHTS.reduce((m, w, k) => m + w * v(k), bias / 2) + (v(3) % 2) - 1.2);
  };
  return {
    outputs: ["0", "1"],
    predict: (all, output = 1) =>
      Float64Array.from({ length: all.rows }, (_, i) => {
        const s = score(rowOf(all, i));
        return output === 1 ? s : 1 - s;
      }),
    gradient: (all, output = 1) => ({
      ...all,
      data: all.data.map((_, c) => (output === 1 ? 1 : -1) * WEIGHTS[c % all.cols]!),
    }),
  };
}

const BRIEF = {
  "dice-random": { samples: 40 },
  "dice-genetic": { generations: 6 },
  "dice-gradient": { iterations: 30 },
  ares: { changes: 40 },
  "globe-ce": { samples: 20 },
  discount: { iterations: 5, resamples: 20, projections: 3, trials: 6 },
};

/** Whatever the constraints: only legal rows that reach the target, and a status that fits. */
const legalLaw = (generate: Generator, options: object, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(tasks, async ({ seed, ...task }: Task & { seed: number }) => {
      const { rows: found, pairs, report } = await generate(task, options, stream(seed, "legality"));
      const scores = await (task.model as Model).predict(found, 1);
      const owners = new Set(pairs);
      for (let t = 0; t < found.rows; t++) {
        expect(task.constraints.violations(rowOf(task.x, pairs![t]!), rowOf(found, t))).toEqual([]);
        expect(scores[t]).toBeGreaterThan(0.5);
      }
      report.status.forEach((status, i) => {
        expect(["ok", "infeasible"]).toContain(status);
        expect(owners.has(i)).toBe(status === "ok");
        expect(report.reasons[i] === "").toBe(status === "ok");
      });
    }),
    { numRuns },
  );

describe("whatever the constraints, only legal rows come back", () => {
  test.each(Object.entries<GeneratorMethod>(generators))("%s", (name, { generate }) =>
    legalLaw(generate, BRIEF[name as keyof typeof BRIEF] ?? {}, 120),
  );

  test.each(Object.entries(legalityMutants))("%s is refused", (_, mutant) =>
    refuses(() => legalLaw(mutant, {}, 120)),
  );
});
