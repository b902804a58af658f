import { describe, expect, test } from "vitest";
import { pshap } from "../../src/attribute/index.ts";
import { has, masksOf } from "../../src/attribute/masks.ts";
import { exact } from "../../src/couple/index.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Attribution, Matrix, PredictFunction } from "../../src/types.ts";
import { gaussian } from "../support/couple.ts";
import { wildForest } from "../support/forests.ts";

const N = 6;

/** σ of a random network with 12 hidden units: smooth, with interactions of every order. */
function network(cols: number, seed: number): PredictFunction {
  const random = stream(seed, "network");
  const out = Float64Array.from({ length: 12 }, () => random.normal());
  const weights = Float64Array.from({ length: 12 * cols }, () => (1.5 * random.normal()) / Math.sqrt(cols));
  return ({ data, rows }) => {
    const scores = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      let margin = 0;
      for (let h = 0; h < 12; h++) {
        let sum = 0;
        for (let k = 0; k < cols; k++) sum += weights[h * cols + k]! * data[i * cols + k]!;
        margin += out[h]! * Math.tanh(sum);
      }
      scores[i] = 1 / (1 + Math.exp(-margin));
    }
    return scores;
  };
}

/** ‖found − wanted‖ / ‖wanted‖ of each row. */
function errors(found: Matrix, wanted: Matrix): number[] {
  return Array.from({ length: found.rows }, (_, i) => {
    const [a, b] = [rowOf(found, i), rowOf(wanted, i)];
    return Math.hypot(...a.map((v, k) => v - b[k]!)) / Math.hypot(...b);
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** Share of the values within two standard errors of the true ones. */
function coverage(found: Attribution, wanted: Matrix): number {
  const inside = wanted.data.map((v, at) =>
    Number(Math.abs(found.values.data[at]! - v) <= 2 * found.stderr!.data[at]!),
  );
  return mean(Array.from(inside));
}

async function pairOfRuns(
  cols: number,
  model: PredictFunction,
  maxEvaluations: number,
): Promise<[Attribution, Attribution]> {
  const [x, r] = [gaussian(N, cols, cols, "x"), gaussian(N, cols, cols, "r")];
  return [
    await pshap(model, x, r, exact(N), { maxEvaluations, tolerance: 0 }),
    await pshap(model, x, r, exact(N), { maxEnumeration: 2 ** cols }),
  ];
}

describe("masksOf", () => {
  test.each([2, 3, 5, 8, 33])("%i players: the full set, then different pairs {S, Sᶜ}", (k) => {
    const masks = masksOf(k);
    const count = Math.min(2 ** (k - 1), 200);
    const keys = new Set<string>();
    for (let n = 0; n < count; n++) {
      const mask = masks.next().value;
      const kept = Array.from({ length: k }, (_, u) => Number(has(mask, u)));
      const pair = [kept.join(""), kept.map((v) => 1 - v).join("")].sort().join("|");
      expect(keys.has(pair)).toBe(false);
      keys.add(pair);
      if (n === 0) expect(kept).not.toContain(0);
    }
    expect(keys.size).toBe(count);
  });
});

test("games whose calls take turns have the values of calls one after the other", async () => {
  const [x, r] = [gaussian(2, 13, 1, "x"), gaussian(2, 13, 1, "r")];
  const ask = (): Promise<Attribution> =>
    pshap(network(13, 1), x, r, exact(2), { tolerance: 0, maxEvaluations: 258 });
  const [first, second] = await Promise.all([ask(), ask()]);
  expect(second).toEqual(first);
  expect(await ask()).toEqual(first);
});

describe("sampled p-SHAP", () => {
  test.each([
    [12, 514, 0.009],
    [12, 1026, 0.0024],
    [14, 1026, 0.013],
    [16, 1026, 0.019],
  ])("a smooth network, %i players, %i evaluations: within %f on average", async (k, evaluations, bar) => {
    const [sampled, listed] = await pairOfRuns(k, network(k, 1), evaluations);
    expect(sampled).toMatchObject({ exact: false, evaluations: N * evaluations });
    expect(listed.exact).toBe(true);
    expect(mean(errors(sampled.values, listed.values))).toBeLessThan(bar);
    expect(coverage(sampled, listed.values)).toBeGreaterThan(0.85);
    expect(sampled.residual).toBeLessThan(1e-9);
  });

  test("error bars: 2σ hold for about 95 % of the values and are not idle", async () => {
    const shares: number[] = [];
    const ratios: number[] = [];
    for (const seed of [1, 2, 3, 4]) {
      for (const evaluations of [130, 514]) {
        const [sampled, listed] = await pairOfRuns(12, network(12, seed), evaluations);
        shares.push(coverage(sampled, listed.values));
        const wide = errors(sampled.values, listed.values).map((e, i) => {
          const [sigma, phi] = [rowOf(sampled.stderr!, i), rowOf(listed.values, i)];
          return e / (Math.hypot(...sigma) / Math.hypot(...phi));
        });
        ratios.push(mean(wide));
      }
    }
    expect(mean(shares)).toBeGreaterThan(0.9);
    expect(mean(ratios)).toBeGreaterThan(0.4);
    expect(Math.max(...ratios)).toBeLessThan(1.5);
  });

  test("a parity of seven players, which no prior expects, shows in the error bars", async () => {
    const parity: PredictFunction = (rows) =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        const z = rowOf(rows, i);
        return z.subarray(0, 7).reduce((p, v) => p * Math.sign(v), 1) + 0.1 * z.reduce((s, v) => s + v, 0);
      });
    const [sampled, listed] = await pairOfRuns(12, parity, 514);
    expect(coverage(sampled, listed.values)).toBeGreaterThan(0.75);
  });

  test("games stop one by one when they reach the tolerance", async () => {
    const [x, r] = [gaussian(N, 14, 14, "x"), gaussian(N, 14, 14, "r")];
    const line: PredictFunction = (rows) =>
      Float64Array.from({ length: rows.rows }, (_, i) =>
        rowOf(rows, i).reduce((s, v, k) => s + v * (k - 5), 0),
      );
    const easy = await pshap(line, x, r, exact(N));
    expect(easy.evaluations).toBeLessThan(N * 600);
    const loose = await pshap(network(14, 2), x, r, exact(N), { tolerance: 0.3 });
    const tight = await pshap(network(14, 2), x, r, exact(N), { tolerance: 0.03 });
    expect(loose.evaluations).toBeLessThan(tight.evaluations);
    const listed = await pshap(network(14, 2), x, r, exact(N), { maxEnumeration: 2 ** 14 });
    expect(mean(errors(tight.values, listed.values))).toBeLessThan(0.03);
  });

  test("40 players: near the exact values of a forest", async () => {
    const trees = wildForest(4, { cols: 40, count: 80, depth: 6, tame: true });
    const model = treeModel({ name: "forest", outputs: ["score"], cols: 40, forests: [trees] });
    const [x, r] = [gaussian(N, 40, 1, "x"), gaussian(N, 40, 1, "r")];
    const listed = await pshap(model, x, r, exact(N));
    const sampled = await pshap((rows) => model.predict(rows), x, r, exact(N), { maxEvaluations: 1026 });
    expect(listed.exact).toBe(true);
    expect(mean(errors(sampled.values, listed.values))).toBeLessThan(0.12);
    expect(coverage(sampled, listed.values)).toBeGreaterThan(0.85);
  });
});
