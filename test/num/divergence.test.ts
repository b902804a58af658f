import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DivergenceName,
  divergences,
  type RunningDivergence,
  runningDivergence,
} from "../../src/num/divergence.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";
import { forgetsDuplicates, staysWhereItWas, sumsAsItReads } from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";

const NAMES = Object.keys(divergences) as DivergenceName[];
const values = fc.array(
  fc.integer({ min: -20, max: 20 }).map((v) => v / 10),
  { minLength: 1, maxLength: 12 },
);

type Running = (name: DivergenceName, a: ArrayLike<number>, b: ArrayLike<number>) => RunningDivergence;

/** While values of a move one at a time, the running divergence is the one computed afresh. */
function runningIsFresh(running: Running): void {
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), values, values, values, (name, start, b, moves) => {
      const a = [...start];
      const tracked = running(name, a, b);
      expect(tracked.value()).toBeCloseTo(divergences[name](a, b), 11);
      moves.forEach((to, t) => {
        const at = t % a.length;
        tracked.move(a[at]!, to);
        a[at] = to;
        expect(tracked.value()).toBeCloseTo(divergences[name](a, b), 11);
      });
    }),
  );
}

describe("a divergence that follows its sample", () => {
  test("equals the one computed afresh", () => runningIsFresh(runningDivergence));
  test("kills one that stays where it was", () => refuses(() => runningIsFresh(staysWhereItWas)));
  test("kills one that forgets duplicates", () => refuses(() => runningIsFresh(forgetsDuplicates)));
});

type Divergence = (name: DivergenceName, a: readonly number[], b: readonly number[]) => number;

/** A sample is a set: its order changes no bit of D. */
function orderChangesNoBit(divergence: Divergence): void {
  const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), scores, scores, (name, a, b) => {
      expect(divergence(name, a.toReversed(), b.toReversed())).toBe(divergence(name, a, b));
    }),
  );
}

describe("a divergence of two samples", () => {
  test("does not depend on their order", () => orderChangesNoBit((name, a, b) => divergences[name](a, b)));
  test("kills one that sums as it reads", () => refuses(() => orderChangesNoBit(sumsAsItReads)));
});

interface DivergenceFile {
  one_d: {
    name: string;
    a: number[];
    b: number[];
    W1: number;
    W2sq: number;
    MeanD: number;
    MedianD: number;
    mmd: Record<string, { gamma: number; biased: number }>;
  }[];
}

describe.skipIf(!hasFixture("divergences.json"))(
  "divergences.json (needs the reference numbers beside the repository)",
  () => {
    const cases = hasFixture("divergences.json") ? fixture<DivergenceFile>("divergences.json").one_d : [];
    test.each(cases)("$name", ({ a, b, W1, W2sq, MeanD, MedianD, mmd }) => {
      const near = (got: number, want: number): void =>
        expect(Math.abs(got - want)).toBeLessThanOrEqual(1e-14 + 1e-12 * Math.abs(want));
      near(divergences.w1(a, b), W1);
      near(divergences.transport(a, b), W2sq);
      near(divergences.mean(a, b), MeanD);
      near(divergences.median(a, b), MedianD);
      near(divergences.mmd(a, b), mmd["gamma=1.0"]!.biased);
    });
  },
);
