import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import type { Generated, Task } from "../../src/generate/contract.ts";
import { descend } from "../../src/generate/discount/descend.ts";
import { groupScore } from "../../src/generate/discount/group-score.ts";
import { bootstrapUpper, dkwUpper, drawResamples } from "../../src/generate/discount/limits.ts";
import { narrow } from "../../src/generate/discount/narrow.ts";
import { project, slicesOf } from "../../src/generate/discount/slices.ts";
import { goals, trimmedSorted } from "../../src/generate/discount/transport.ts";
import { discount } from "../../src/generate/discount.ts";
import { movesOf, seenIn } from "../../src/generate/moves.ts";
import { openRun } from "../../src/generate/run.ts";
import { asModel } from "../../src/model/contract.ts";
import { rowOf, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { mean, quantile, sorted } from "../../src/num/stats.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { fitNames, loanTask, setNames } from "../support/generate.ts";
import { checkFound, rangeTask, softmaxTask } from "../support/group.ts";
import {
  dkwMutants,
  goalMutants,
  limitMutants,
  narrowMutants,
  trimMutants,
} from "../support/mutants/group-generators.ts";
import { refuses } from "../support/refuses.ts";
import { hasSet, presetTask } from "../support/set-tasks.ts";

const work = startWork("test");
const BRIEF = { iterations: 15, resamples: 60, projections: 5 };
const run = (task: Task, options: object = BRIEF) => discount(task, options, stream(2, "discount"));

interface Report {
  readonly methods: readonly string[];
  readonly feasible: boolean;
  readonly input: { readonly distance: number; readonly upper: number };
  readonly output: { readonly distance: number; readonly upper: number };
  readonly atTarget: number;
  readonly members: number;
}
const detailsOf = ({ report }: Generated): Report => report.details as unknown as Report;

/** A second, plain reading of the definition: kept values repeated until both sides are as many, then paired. */
function trimmedByHand(a: readonly number[], b: readonly number[], trim: number): number {
  const keep = (values: readonly number[]): number[] => {
    const [low, high] = [quantile(values, trim), quantile(values, 1 - trim)];
    const kept = values.filter((v) => v >= low && v <= high);
    return (kept.length > 0 ? kept : [...values]).sort((p, q) => p - q);
  };
  const [left, right] = [keep(a), keep(b)];
  if (left.length === right.length) return mean(left.map((v, t) => (v - right[t]!) ** 2)) / (1 - 2 * trim);
  const pair = left.flatMap((v) => right.map(() => v));
  const partner = right.flatMap((v) => left.map(() => v));
  return mean(pair.map((v, t) => (v - partner[t]!) ** 2)) / (1 - 2 * trim);
}

/** Eighths: a counterexample is found in few steps. */
const eighths = fc.integer({ min: -72, max: 72 }).map((v) => v / 8);
const samples = fc.array(eighths, { minLength: 1, maxLength: 12 });

describe("trimmed transport on a line", () => {
  const trimLaw = (distance: typeof trimmedSorted): void =>
    fc.assert(
      fc.property(samples, samples, fc.constantFrom(0.05, 0.1, 0.3), (a, b, trim) => {
        const expected = trimmedByHand(a, b, trim);
        expect(Math.abs(distance(sorted(a), sorted(b), trim) - expected)).toBeLessThan(1e-9 * (1 + expected));
      }),
    );

  test("is what the definition says", () => trimLaw(trimmedSorted));
  test.each(Object.entries(trimMutants))("%s is refused", (_, mutant) => refuses(() => trimLaw(mutant)));

  /** Where the optimal plan sends each value: equal ranks, all mass accounted for. */
  const goalLaw = (to: typeof goals): void =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -99, max: 99 }), { minLength: 2, maxLength: 9 }),
        samples,
        (a, b) => {
          const goal = to(Float64Array.from(a), Float64Array.from(b));
          expect(mean(goal)).toBeCloseTo(mean(b), 8);
          const order = [...a.keys()].sort((i, j) => a[i]! - a[j]!);
          const left = order.flatMap((i) => b.map(() => i));
          const right = [...b].sort((p, q) => p - q).flatMap((v) => a.map(() => v));
          const sums = new Map<number, number>();
          left.forEach((i, t) => {
            sums.set(i, (sums.get(i) ?? 0) + right[t]! / b.length);
          });
          for (const [i, sum] of sums) expect(goal[i]).toBeCloseTo(sum, 8);
        },
      ),
    );

  test("goals follow the plan", () => goalLaw(goals));
  test.each(Object.entries(goalMutants))("%s are refused", (_, mutant) => refuses(() => goalLaw(mutant)));
});

describe("upper limits", () => {
  const TRIM = 0.05;
  const draw = (n: number, shift: number, seed: number): Float64Array => {
    const source = stream(seed, "limits");
    return Float64Array.from({ length: n }, () => shift + source.next());
  };
  /** Uniform samples shifted by 0.5: every quantile lies 0.5 apart. */
  const TRUE = Math.sqrt(0.25 / (1 - 2 * TRIM));

  /** In most of 60 draws the limit is above the true distance, and never below the one measured. */
  const aboveLaw = async (
    upper: (a: Float64Array, b: Float64Array, seed: number) => number | Promise<number>,
  ): Promise<void> => {
    let above = 0;
    for (let seed = 0; seed < 60; seed++) {
      const [a, b] = [draw(80, 0, 2 * seed), draw(80, 0.5, 2 * seed + 1)];
      const limit = await upper(a, b, seed);
      expect(limit).toBeGreaterThanOrEqual(Math.sqrt(trimmedSorted(sorted(a), sorted(b), TRIM)) - 1e-12);
      if (limit >= TRUE) above++;
    }
    expect(above).toBeGreaterThanOrEqual(50);
  };
  const byBootstrap =
    (upper: typeof bootstrapUpper) =>
    async (a: Float64Array, b: Float64Array, seed: number): Promise<number> => {
      const resamples = await drawResamples(a.length, b.length, 100, stream(seed, "bootstrap"), work);
      return upper(a, b, TRIM, 0.1, resamples, work);
    };
  const byBand =
    (upper: typeof dkwUpper) =>
    (a: Float64Array, b: Float64Array): number =>
      upper(a, b, TRIM, 0.1, [0, 1.5]);

  test("by bootstrap", () => aboveLaw(byBootstrap(bootstrapUpper)));
  test("by the Dvoretzky–Kiefer–Wolfowitz band", () => aboveLaw(byBand(dkwUpper)));
  test.each(Object.entries(limitMutants))("%s is refused", (_, mutant) =>
    refuses(() => aboveLaw(byBootstrap(mutant))),
  );
  test.each(Object.entries(dkwMutants))("%s is refused", (_, mutant) =>
    refuses(() => aboveLaw(byBand(mutant))),
  );

  test("a band wider than the trimming knows no limit without bounds, and narrows with n", () => {
    const [a, b] = [draw(80, 0, 1), draw(80, 0.5, 2)];
    expect(dkwUpper(a, b, TRIM, 0.1)).toBe(Number.POSITIVE_INFINITY);
    const many = dkwUpper(draw(5000, 0, 3), draw(5000, 0.5, 4), TRIM, 0.1);
    expect(many).toBeGreaterThan(TRUE);
    expect(many).toBeLessThan(1.2 * TRUE);
  });

  test("resamples hold as many values as the samples", async () => {
    const { left, right, count } = await drawResamples(13, 5, 20, stream(0, "resamples"), work);
    expect([left.length, right.length]).toEqual([count, count]);
    for (const times of left) expect(times.reduce((a, b) => a + b, 0)).toBe(13);
    for (const times of right) expect(times.reduce((a, b) => a + b, 0)).toBe(5);
  });
});

describe("interval narrowing", () => {
  const narrowLaw = (rule: typeof narrow): void => {
    const interval = { low: 0.2, high: 1 };
    const eta = (a: number, b: number): number => rule(interval, a, b, 0.05).eta;
    expect(eta(-0.1, 0.2)).toBe(0.2);
    expect(eta(0.1, -0.2)).toBe(1);
    expect(eta(-0.1, -0.3)).toBeCloseTo(0.2 + 0.75 * 0.8);
    expect(eta(0.1, 0.3)).toBeCloseTo(0.2 + 0.25 * 0.8);
    expect(eta(0, 0)).toBeCloseTo(0.6);
    const up = rule(interval, 0.1, -0.2, 0.05).next;
    expect([up.low, up.high]).toEqual([expect.closeTo(0.24), 1]);
    const down = rule(interval, -0.1, 0.2, 0.05).next;
    expect([down.low, down.high]).toEqual([0.2, expect.closeTo(0.96)]);
    const endless = Number.NEGATIVE_INFINITY;
    expect(rule(interval, 0.1, endless, 0.05)).toEqual({ eta: 0.2, next: interval });
    expect(rule(interval, endless, 0.1, 0.05)).toEqual({ eta: 1, next: interval });
  };

  test("by the table of cases", () => narrowLaw(narrow));
  test.each(Object.entries(narrowMutants))("%s is refused", (_, mutant) => refuses(() => narrowLaw(mutant)));
});

/** Q falls along a small step of the descent, whatever η. */
test("descent goes down, and not up", async () => {
  const task = await loanTask("mixed", "logistic");
  const opened = openRun("discount", task, {}, {});
  const seen = seenIn(opened.constraints, opened.references);
  const members = Array.from({ length: 8 }, (_, i) => {
    const x = rowOf(opened.x, i);
    return { x, slack: -1, moves: movesOf(opened, seen, x), random: stream(i, "row") };
  });
  const score = await groupScore(opened, 8, undefined);
  const slices = slicesOf(opened.metric, task.references, 6, stream(1, "slices"));
  const points = slices.place(takeRows(task.x, [...members.keys()]));
  const origin = Array.from({ length: 6 }, (_, t) => project(points, slices.directions, t));
  const fixed = { trim: 0.05, alpha: 0.05, bound: "bootstrap" as const, desired: score.desired! };
  const downLaw = async (rate: number): Promise<void> => {
    for (const eta of [0.3, 0.6, 1]) {
      const fresh = members.map((row, i) => ({ ...row, random: stream(i, "row") }));
      const group = { run: opened, members: fresh, score, slices, origin, ...fixed };
      const mover = descend(group, { rate, tau: 1 });
      const first = (await mover(eta)).q;
      for (let t = 0; t < 5; t++) await mover(eta);
      expect((await mover(eta)).q).toBeLessThan(first);
    }
  };
  await downLaw(0.2);
  await refuses(() => downLaw(-0.2));
});

describe("for a group", () => {
  const methods = (fit: string): string[] => (fit === "forest" ? ["search"] : ["gradient", "search"]);
  const grid = fitNames.flatMap((fit) =>
    setNames.flatMap((set) => methods(fit).map((method) => ({ fit, set, method }))),
  );

  test.each(grid)(
    "$fit · $set by $method: rows are at the target, the others say why",
    async ({ fit, set, method }) => {
      const task = await loanTask(set, fit);
      const found = await run(task, { ...BRIEF, method });
      await checkFound(task, found);
      const details = detailsOf(found);
      expect(details.methods).toEqual([method]);
      expect(details.members).toBe(task.x.rows);
      expect(details.atTarget).toBe(found.rows.rows);
      expect(details.atTarget).toBeGreaterThan(0);
      const why = details.feasible ? "the group's distribution is matched" : "the group's limits do not hold";
      found.report.reasons.forEach((reason, i) => {
        if (found.report.status[i] !== "ok") expect(reason).toBe(`${why}, this row is not at the target`);
      });
    },
  );

  test("the whole group on request: rows that are not at the target are there, and say so", async () => {
    const task = await loanTask("mixed", "forest");
    const options = { ...BRIEF, iterations: 4, trials: 4 };
    const [some, all] = [await run(task, options), await run(task, { ...options, returns: "all" })];
    expect(all.rows.rows).toBe(task.x.rows);
    expect(some.rows.rows).toBeLessThan(task.x.rows);
    expect(all.report.status).toEqual(some.report.status);
    expect(all.report.reasons).toEqual(some.report.reasons);
    all.pairs!.forEach((i, t) => {
      expect(task.constraints.violations(rowOf(task.x, i), rowOf(all.rows, t))).toEqual([]);
    });
  });

  test("a tight input limit keeps the rows nearer to x than a loose one", async () => {
    const task = await loanTask("numeric", "logistic");
    const loose = detailsOf(await run(task, { ...BRIEF, inputLimit: 5, low: 1 }));
    const tight = detailsOf(await run(task, { ...BRIEF, inputLimit: 0.1 }));
    expect(tight.input.distance).toBeLessThan(loose.input.distance);
  });

  test("genetic candidates, and limits by the band", async () => {
    const task = await loanTask("mixed", "forest");
    const genetic = await run(task, { ...BRIEF, search: "genetic" });
    await checkFound(task, genetic);
    expect(detailsOf(genetic).atTarget).toBeGreaterThan(5);
    const banded = await run(task, { ...BRIEF, bound: "dkw" });
    expect(detailsOf(banded)).toMatchObject({ feasible: false, input: { upper: null } });
    await checkFound(task, banded);
  });

  test("where descent leaves a limit broken, search goes on", async () => {
    const task = await loanTask("levels", "mlp");
    const found = await run(task, { ...BRIEF, iterations: 3, rate: 1e-6 });
    expect(detailsOf(found).methods).toEqual(["gradient", "search"]);
    expect(detailsOf(found).atTarget).toBeGreaterThan(0);
  });

  test("classes of three, a class to leave, a range, given scores", async () => {
    const tasks: [Task, object][] = [
      [softmaxTask({ class: "green" }), {}],
      [softmaxTask({ class: ["red", "blue"] }), {}],
      [softmaxTask({ class: "red", not: true }), {}],
      [rangeTask({ min: 11, max: 13 }), {}],
      [rangeTask({ above: 12 }), { desired: [13, 14, 15] }],
    ];
    for (const [task, options] of tasks) {
      const found = await run(task, { ...BRIEF, ...options });
      await checkFound(task, found);
      expect(found.rows.rows).toBeGreaterThan(task.x.rows / 2);
    }
    const far = await run(rangeTask({ above: 1000 }), BRIEF);
    expect(far.report.reasons[0]).toContain("no reference row is at the target");
  });

  test("a model that fails on one row costs this row alone", async () => {
    const task = await loanTask("mixed", "logistic");
    const model = asModel(task.model);
    const poison = String(rowOf(task.x, 2));
    const predict: Model["predict"] = (rows, output) => {
      for (let t = 0; t < rows.rows; t++) if (String(rowOf(rows, t)) === poison) throw new Error("poison");
      return model.predict(rows, output);
    };
    const found = await run({ ...task, model: { ...model, predict } });
    expect(found.report.status[2]).toBe("model_error");
    expect(found.report.status.filter((s) => s === "ok").length).toBeGreaterThan(10);
  });

  test("a limit leaves the group where it is: rows at the target ok, the others out of budget", async () => {
    const task = await loanTask("mixed", "forest");
    const found = await run(task, { ...BRIEF, limits: { modelRows: 1000 } });
    expect(new Set(found.report.status)).toEqual(new Set(["ok", "budget"]));
    expect(found.report.evaluations).toBeLessThanOrEqual(1000);
    await checkFound(task, found);
  });

  test("options and models that do not fit are refused", async () => {
    const task = await loanTask("levels", "forest");
    for (const wrong of [{ method: "gradient" }, { trim: 0.5 }, { desired: [] }, { count: 3 }]) {
      await expect(run(task, wrong)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    }
  });
});

/** Distances and limits once more, from nothing but the rows: plain resampling, its own draws. */
function checkByHand(before: Matrix, after: Matrix, scores: Float64Array, directions: readonly number[][]) {
  const source = stream(99, "by hand");
  const [trim, alpha, count] = [0.05, 0.05, 100];
  const pick = (values: readonly number[]): number[] => values.map(() => values[source.int(values.length)]!);
  const upper = (a: readonly number[], b: readonly number[], level: number): number => {
    const measured = trimmedByHand(a, b, trim);
    const gaps = Array.from({ length: count }, () => trimmedByHand(pick(a), pick(b), trim) - measured);
    return Math.max(measured, measured - quantile(gaps, level / 2));
  };
  const along = (m: Matrix, theta: readonly number[]): number[] =>
    Array.from({ length: m.rows }, (_, i) => rowOf(m, i).reduce((sum, v, k) => sum + v * theta[k]!, 0));
  const squares = directions.map((theta) =>
    upper(along(after, theta), along(before, theta), alpha / directions.length),
  );
  const wanted = Array.from(scores, () => 1);
  return { input: Math.sqrt(mean(squares)), output: Math.sqrt(upper([...scores], wanted, alpha)) };
}

describe.skipIf(!hasSet("german"))(
  "German Credit under the DNN with the paper's settings (skipped without its file)",
  () => {
    test.each(["gradient", "search"] as const)(
      "by %s: ends feasible, and both limits hold by an independent bootstrap",
      async (method) => {
        const task = presetTask("german", "dnn", 100);
        const found = await discount(task, { method, returns: "all" }, stream(1, "german"));
        const details = detailsOf(found);
        expect(details.feasible).toBe(true);
        expect(details.methods).toEqual([method]);
        expect(found.rows.rows).toBe(100);
        const scores = await asModel(task.model).predict(found.rows, 0);
        // Columns in units of their sd, as the metric has them; directions of the test's own.
        const source = stream(5, "directions");
        const scale = Array.from({ length: 9 }, (_, k) => {
          const column = Array.from(
            { length: task.references.rows },
            (__, i) => task.references.data[i * 9 + k]!,
          );
          return Math.sqrt(mean(column.map((v) => v * v)) - mean(column) ** 2);
        });
        const directions = Array.from({ length: 5 }, () => {
          const theta = Array.from({ length: 9 }, () => source.normal());
          const norm = Math.hypot(...theta);
          return theta.map((v, k) => v / norm / scale[k]!);
        });
        const limits = checkByHand(takeRows(task.x, found.pairs!), found.rows, scores, directions);
        expect(limits.input).toBeLessThanOrEqual(0.4);
        expect(limits.output).toBeLessThanOrEqual(0.3);
        expect(Math.abs(limits.output - details.output.upper)).toBeLessThan(0.05);
        const start = await asModel(task.model).predict(task.x, 0);
        const before = checkByHand(task.x, task.x, start, []);
        expect(before.output).toBeGreaterThan(0.3);
      },
    );
  },
);
