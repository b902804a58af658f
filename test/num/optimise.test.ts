import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kmeans } from "../../src/num/kmeans.ts";
import { minimiseInBox } from "../../src/num/lbfgs.ts";
import { squaredDistance } from "../../src/num/linalg.ts";
import { matrix } from "../../src/num/matrix.ts";
import { type ConvexFunction, newton } from "../../src/num/newton.ts";
import { stream } from "../../src/num/random.ts";
import { finish } from "../../src/num/steps.ts";
import { numMutants } from "../support/mutants/num.ts";
import { refuses } from "../support/refuses.ts";

describe("Newton's method", () => {
  /** Σ_i log(1 + e^(a_i·θ)) − b·θ + ½‖θ‖². */
  const problem = (seed: number): ConvexFunction => {
    const random = stream(seed, "newton");
    const a = Array.from({ length: 12 }, () => [random.normal(), 4 * random.normal()]);
    return function* (theta, first, second) {
      let value = 0;
      theta.forEach((t, p) => {
        value += t ** 2 / 2 - t;
        if (first) first[p]! += t - 1;
        if (second) second[p * 2 + p]! += 1;
      });
      for (const [u, v] of a) {
        const m = u! * theta[0]! + v! * theta[1]!;
        value += Math.max(0, m) + Math.log1p(Math.exp(-Math.abs(m)));
        const s = 1 / (1 + Math.exp(-m));
        if (first) {
          first[0]! += s * u!;
          first[1]! += s * v!;
        }
        if (second) {
          second[0]! += s * (1 - s) * u! * u!;
          second[2]! += s * (1 - s) * u! * v!;
          second[3]! += s * (1 - s) * v! * v!;
        }
        yield [0, 1];
      }
      return value;
    };
  };
  const law = (minimise: (f: ConvexFunction, theta: Float64Array) => Float64Array): void =>
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -30, max: 30 }), (seed, start) => {
        const f = problem(seed);
        const from = Float64Array.of(start, -start);
        const end = minimise(f, from);
        const first = new Float64Array(2);
        finish(f(end, first, new Float64Array(4)));
        expect(Math.max(...first.map(Math.abs))).toBeLessThan(1e-9);
        expect(Array.from(from)).toEqual([start, -start]);
      }),
      { numRuns: 50 },
    );
  test("ends where the gradient is zero, from far away too", () => law(newton));
  test("one step of descent is refused", () => refuses(() => law(numMutants.newton)));
});

describe("L-BFGS in a box", () => {
  /** Rosenbrock's valley; its minimum is (1, 1). */
  function* valley(
    theta: Float64Array,
    gradient: Float64Array,
  ): Generator<readonly [number, number], number> {
    const [a, b] = [theta[0]!, theta[1]!];
    gradient[0] = -2 * (1 - a) - 400 * a * (b - a * a);
    gradient[1] = 200 * (b - a * a);
    yield [0, 1];
    return (1 - a) ** 2 + 100 * (b - a * a) ** 2;
  }
  const minimum = (upper: number[]): Float64Array => {
    const theta = Float64Array.of(-1.2, 1);
    const steps = minimiseInBox(valley, theta, { lower: [-5, -5], upper });
    while (!steps.next().done);
    return theta;
  };

  test("finds the minimum inside", () => {
    const theta = minimum([5, 5]);
    expect(theta[0]).toBeCloseTo(1, 4);
    expect(theta[1]).toBeCloseTo(1, 4);
  });

  test("finds the minimum on the wall", () => {
    // With a ≤ 0.5 the best is a = 0.5, b = a².
    const theta = minimum([0.5, 5]);
    expect(theta[0]).toBe(0.5);
    expect(theta[1]).toBeCloseTo(0.25, 5);
  });
});

describe("k-means", () => {
  test("finds three far-apart clouds, the same for the same seed", () => {
    const random = stream(1, "clouds");
    const x = matrix(90, 2);
    for (let i = 0; i < 90; i++) {
      x.data[2 * i] = 5 + 10 * (i % 3) + 0.1 * random.normal();
      x.data[2 * i + 1] = 5 * (i % 3) ** 2 + 0.1 * random.normal();
    }
    for (let seed = 0; seed < 10; seed++) {
      const centres = kmeans(x, 3, stream(seed));
      expect(centres).toEqual(kmeans(x, 3, stream(seed)));
      const firsts = [0, 1, 2].map((c) => Math.round(centres.data[2 * c]!)).sort((a, b) => a - b);
      expect(firsts).toEqual([5, 15, 25]);
    }
  });

  test("no round makes the sum of squares larger", () => {
    const random = stream(2, "rounds");
    const x = matrix(
      60,
      3,
      Float64Array.from({ length: 180 }, () => random.normal()),
    );
    const cost = (rounds: number): number => {
      const centres = kmeans(x, 5, stream(3), rounds);
      let sum = 0;
      for (let i = 0; i < 60; i++) {
        const gaps = Array.from({ length: 5 }, (_, c) =>
          squaredDistance(x.data, 3 * i, centres.data, 3 * c, 3),
        );
        sum += Math.min(...gaps);
      }
      return sum;
    };
    const costs = [0, 1, 2, 5, 30].map(cost);
    for (let t = 1; t < costs.length; t++) expect(costs[t]).toBeLessThanOrEqual(costs[t - 1]! + 1e-12);
    expect(costs.at(-1)).toBeLessThan(costs[0]!);
  });

  test("equal rows give fewer centres, none of them NaN", () => {
    const centres = kmeans(matrix(8, 2, new Float64Array(16).fill(4)), 3, stream(0));
    expect(centres).toEqual({ data: Float64Array.of(4, 4), rows: 1, cols: 2 });
  });
});
