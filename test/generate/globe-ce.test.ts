import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { type Bins, binsOf, costOf } from "../../src/generate/bins.ts";
import type { Generated, Task } from "../../src/generate/contract.ts";
import { along, drawDirection, thresholds } from "../../src/generate/globe/direction.ts";
import { greedyCover, type Screened } from "../../src/generate/globe/screen.ts";
import { globeCe } from "../../src/generate/globe-ce.ts";
import { movesOf, seenIn } from "../../src/generate/moves.ts";
import { openRun, type Run } from "../../src/generate/run.ts";
import type { Row } from "../../src/generate/search.ts";
import { asModel } from "../../src/model/contract.ts";
import { fromRows, rowOf, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Schema } from "../../src/types.ts";
import { fitNames, loanTask, plainTask, setNames } from "../support/generate.ts";
import { checkFound, rangeTask, softmaxTask } from "../support/group.ts";
import {
  alongMutant,
  coverAlone,
  directionMutants,
  globeMutants,
  ownLevelStays,
} from "../support/mutants/group-generators.ts";
import { refuses } from "../support/refuses.ts";
import { hasSet, presetTask, productTask } from "../support/set-tasks.ts";

const globe = (task: Task, options: object) => globeCe(task, options, stream(3, "globe"));
const coverage = ({ report }: Generated): number => report.details["coverage"] as number;

/** The run behind a task, and its rows as a search sees them. */
function opened(task: Task): { run: Run; bins: Bins[]; rows: Row[] } {
  const run = openRun("globe-ce", task, {}, {});
  const seen = seenIn(run.constraints, run.references);
  const rows = Array.from({ length: task.x.rows }, (_, i) => {
    const x = rowOf(run.x, i);
    return { x, slack: -1, moves: movesOf(run, seen, x), random: stream(i, "row") };
  });
  return { run, bins: binsOf(run.constraints, run.references, 10), rows };
}

describe("a direction", () => {
  /** Its parts, each at its unit cost, add up to the magnitude, over as many features as asked for. */
  const normLaw = async (draw: typeof drawDirection): Promise<void> => {
    const { run, bins } = opened(await loanTask("mixed", "logistic"));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 6, max: 36 }).map((v) => v / 4),
        fc.nat(1000),
        (features, magnitude, seed) => {
          const { delta } = draw(run, bins, { features, magnitude, power: 1 }, stream(seed, "direction"));
          const norm = delta.reduce((sum, own, k) => {
            const unit = own && own.length > 1 ? 0.5 : 1 / bins[k]!.width;
            return sum + (own?.reduce((s, v) => s + Math.abs(v) * unit, 0) ?? 0);
          }, 0);
          expect(norm).toBeCloseTo(magnitude, 9);
          expect(delta.filter((own) => own).length).toBe(features);
          for (const own of delta)
            if (own && own.length > 1) expect(Math.min(...own)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  };

  test("costs its magnitude over its features", () => normLaw(drawDirection));
  test.each(Object.entries(directionMutants))("%s is refused", (_, mutant) => refuses(() => normLaw(mutant)));

  /** Levels switch exactly at the thresholds: the row before and the row after each differ, and only there. */
  const switchLaw = async (at: typeof thresholds, go: typeof along): Promise<void> => {
    const { run, bins, rows } = opened(await loanTask("levels", "logistic"));
    const nominal = run.constraints.schema.features.map(
      ({ kind }) => kind === "categorical" || kind === "boolean",
    );
    for (let seed = 0; seed < 20; seed++) {
      const direction = drawDirection(
        run,
        bins,
        { features: 4, magnitude: 3, power: 1 },
        stream(seed, "switch"),
      );
      for (const row of rows.slice(0, 5)) {
        const levels = (scalar: number): number[] =>
          Array.from(go(run, direction, row, scalar)).filter((_, k) => nominal[k]);
        const marks = at(run, direction, row).sort((a, b) => a - b);
        for (let scalar = 0.05; scalar < 3; scalar += 0.05) {
          const passed = marks.some((mark) => mark > scalar && mark <= scalar + 0.05);
          if (!passed) expect(levels(scalar + 0.05)).toEqual(levels(scalar));
        }
        const first = marks[0];
        if (first !== undefined) expect(levels(first)).not.toEqual(levels(first * (1 - 1e-6)));
      }
    }
  };

  test("switches levels at its thresholds", () => switchLaw(thresholds, along));
  test("thresholds without the own level are refused", () => refuses(() => switchLaw(ownLevelStays, along)));
  test("going twice as far is refused", () => refuses(() => switchLaw(thresholds, alongMutant)));

  test("keeps out of what is not permitted", () => {
    const schema: Schema = {
      features: [
        { name: "a", kind: "numeric", direction: "up" },
        { name: "b", kind: "integer", min: 0, max: 5 },
        { name: "c", kind: "categorical", categories: ["u", "v", "w"], allowed: ["u", "w"] },
        { name: "d", kind: "numeric", immutable: true },
      ],
    };
    const source = stream(2, "legal");
    const table = (n: number) =>
      fromRows(
        Array.from({ length: n }, () => [source.next() * 9, source.int(9), source.int(3), source.next()]),
      );
    const { run, bins, rows } = opened(plainTask(schema, table(12), table(40), () => 0));
    for (let seed = 0; seed < 50; seed++) {
      const direction = drawDirection(
        run,
        bins,
        { features: 3, magnitude: 9, power: 1 },
        stream(seed, "legal"),
      );
      for (const row of rows) {
        for (const scalar of [0.1, 1, 5]) {
          const z = along(run, direction, row, scalar);
          expect(run.constraints.violations(row.x, z)).toEqual([]);
          expect(z[3]).toBe(row.x[3]);
        }
      }
    }
  });
});

describe("the choice of directions", () => {
  const screens = fc.array(
    fc.array(fc.option(fc.integer({ min: 1, max: 9 }), { nil: Number.POSITIVE_INFINITY }), {
      minLength: 8,
      maxLength: 8,
    }),
    { minLength: 1, maxLength: 8 },
  );
  const screenedOf = (costs: readonly number[][]): Screened[] =>
    costs.map((list) => {
      const cost = Float64Array.from(list);
      const reached = cost.filter(Number.isFinite).length;
      return { direction: { delta: [] }, cost, scalar: cost, reached, meanCost: 1 };
    });

  /** Each direction reaches as many new rows as any other would, and fewer are the first of more. */
  const coverLaw = (cover: typeof greedyCover): void =>
    fc.assert(
      fc.property(screens, (costs) => {
        const screened = screenedOf(costs);
        const chosen = cover(screened, 5);
        const reached = new Set<number>();
        for (const { cost } of chosen) {
          const gain = (c: Float64Array): number =>
            c.filter((v, i) => Number.isFinite(v) && !reached.has(i)).length;
          expect(gain(cost)).toBe(Math.max(...screened.map((s) => gain(s.cost))));
          cost.forEach((v, i) => {
            if (Number.isFinite(v)) reached.add(i);
          });
        }
        expect(cover(screened, 2)).toEqual(chosen.slice(0, 2));
      }),
    );

  test("is greedy cover", () => coverLaw(greedyCover));
  test("directions that each cover most alone are refused", () => refuses(() => coverLaw(coverAlone)));
});

describe("for a model", () => {
  test.each(fitNames.flatMap((fit) => setNames.map((set) => ({ fit, set }))))(
    "$fit · $set: rows are at the target, coverage is what is reported",
    async ({ fit, set }) => {
      const task = await loanTask(set, fit);
      const found = await globe(task, { samples: 60 });
      await checkFound(task, found);
      expect(coverage(found)).toBe(found.rows.rows / task.x.rows);
      expect(coverage(found)).toBeGreaterThan(0.5);
      const { profile, directions } = found.report.details as {
        profile: { cost: number; coverage: number }[];
        directions: { text: string }[];
      };
      expect(profile.at(-1)!.coverage).toBe(coverage(found));
      for (let p = 1; p < profile.length; p++) {
        expect(profile[p]!.cost).toBeGreaterThanOrEqual(profile[p - 1]!.cost);
        expect(profile[p]!.coverage).toBeGreaterThan(profile[p - 1]!.coverage);
      }
      for (const { text } of directions) expect(text.length).toBeGreaterThan(3);
    },
  );

  test("more directions never lower coverage, nor what a covered row costs", async () => {
    for (const fit of fitNames) {
      const task = await loanTask("numeric", fit);
      const bins = binsOf(task.constraints, task.references, 10);
      const costs = ({ rows, pairs }: Generated): Map<number, number> =>
        new Map(
          Array.from(pairs!, (i, t) => [i, costOf(task.constraints, bins, rowOf(task.x, i), rowOf(rows, t))]),
        );
      let before: Generated | undefined;
      for (const directions of [1, 2, 3, 6]) {
        const found = await globe(task, { directions, samples: 60, features: 2 });
        if (before) {
          expect(coverage(found)).toBeGreaterThanOrEqual(coverage(before));
          const now = costs(found);
          for (const [i, cost] of costs(before)) expect(now.get(i)).toBeLessThanOrEqual(cost);
        }
        before = found;
      }
    }
  });

  /** Where the score rises along the direction, a row goes hardly farther than it must. */
  const leastLaw = async (generate: (task: Task, options: object) => Promise<Generated>): Promise<void> => {
    const score = (row: Float64Array): number => (row[0]! + row[1]!) / 40;
    const source = stream(5, "least");
    const table = (n: number, most: number) =>
      fromRows(Array.from({ length: n }, () => [source.next() * most, source.next() * most]));
    const schema: Schema = { features: ["a", "b"].map((name) => ({ name, kind: "numeric" as const })) };
    const task = plainTask(schema, table(20, 6), table(60, 20), score);
    const { rows, pairs } = await generate(task, { directions: 1, samples: 40 });
    expect(rows.rows).toBe(20);
    pairs!.forEach((i, t) => {
      const [x, z] = [rowOf(task.x, i), rowOf(rows, t)];
      // Both sums lie on one line: how far past the edge of 20, as a share of the way there.
      const excess = (z[0]! + z[1]! - 20) / (20 - x[0]! - x[1]!);
      expect(excess).toBeGreaterThan(0);
      expect(excess).toBeLessThan(0.005);
    });
  };

  test("the least scalar", () => leastLaw(globe));
  test.each(Object.entries(globeMutants))("%s is refused", (_, mutant) => refuses(() => leastLaw(mutant)));

  test("classes of three, a class to leave, a range", async () => {
    const tasks = [
      softmaxTask({ class: "green" }),
      softmaxTask({ class: ["red", "blue"] }),
      softmaxTask({ class: "red", not: true }),
      rangeTask({ min: 11, max: 13 }),
    ];
    for (const task of tasks) {
      const found = await globe(task, { samples: 60 });
      await checkFound(task, found);
      expect(coverage(found)).toBeGreaterThan(0.5);
    }
  });

  test("a limit on scored rows: half of it screens, the rest searches; what was seen is kept", async () => {
    const task = await loanTask("mixed", "logistic");
    for (const modelRows of [100, 400, 2000]) {
      const found = await globe(task, { limits: { modelRows } });
      expect(found.report.evaluations).toBeLessThanOrEqual(modelRows);
      await checkFound(task, found);
      for (const status of found.report.status) expect(["ok", "budget", "infeasible"]).toContain(status);
    }
    const enough = await globe(task, { limits: { modelRows: 2000 } });
    expect(enough.report.status).toContain("ok");
  });

  test("costs of features count", async () => {
    const task = await loanTask("numeric", "logistic");
    const { features } = task.constraints.schema;
    const dear = { features: features.map((f, k) => ({ ...f, cost: k === 0 ? 50 : 1 })) };
    const constraints = compileConstraints(dear);
    const bins = binsOf(constraints, task.references, 10);
    const spent = ({ rows, pairs }: Generated): number =>
      Array.from(pairs!, (i, t) => costOf(constraints, bins, rowOf(task.x, i), rowOf(rows, t))).reduce(
        (a, b) => a + b / pairs!.length,
        0,
      );
    const [blind, told] = [await globe(task, {}), await globe({ ...task, constraints }, {})];
    expect(told.report.details["meanCost"]).toBeCloseTo(spent(told));
    expect(spent(told)).toBeLessThan(spent(blind));
  });
});

test.skipIf(!hasSet("german"))(
  "German Credit in the right direction (skipped without its file)",
  async () => {
    const task = productTask("german", "forest", 60);
    const found = await globe(task, {});
    await checkFound(task, found);
    expect(coverage(found)).toBeGreaterThan(0.9);
    expect(found.report.details["meanCost"]).toBeLessThan(3);
  },
);

describe("the authors' variant", () => {
  test("moves rows at the target along one direction, unscaled, and returns every one of them", async () => {
    const task = await loanTask("mixed", "forest");
    const x = takeRows(
      task.references,
      Array.from({ length: 60 }, (_, i) => i),
    );
    const model = asModel(task.model);
    const granted = (await model.predict(x, 1)).map((s) => Number(s > 0.5));
    const found = await globeCe({ ...task, x }, { preset: "authors" }, stream(1, "authors"));
    const affected = granted.reduce((a, b) => a + b, 0);
    expect(found.report.details).toMatchObject({ affected, directionsTried: 60 });
    expect(found.rows.rows).toBe(affected);
    const left = (await model.predict(found.rows, 1)).filter((s) => s <= 0.5).length;
    expect(left / affected).toBeCloseTo(coverage(found));
    expect(coverage(found)).toBeGreaterThan(0);
    found.report.status.forEach((status, i) => {
      expect(status).toBe(granted[i] ? "ok" : "infeasible");
    });
  });

  const settings = { preset: "authors", features: 5, magnitude: 2, samples: 1000 };

  test.skipIf(!hasSet("heloc"))("covers 12 % of HELOC (skipped without its file)", async () => {
    const task = presetTask("heloc", "forest", 146, { atTarget: true, trees: 50 });
    expect(coverage(await globe(task, settings))).toBeGreaterThanOrEqual(0.12);
  });

  test.skipIf(!hasSet("compas"))("covers 31 % of COMPAS (skipped without its file)", async () => {
    const task = { ...productTask("compas", "forest", 60, { trees: 50 }), target: { class: 0 } };
    expect(coverage(await globe(task, settings))).toBeGreaterThanOrEqual(0.31);
  });
});

test("options out of range are refused", async () => {
  const task = await loanTask("levels", "logistic");
  for (const wrong of [{ directions: 0 }, { magnitude: 0 }, { features: 1.5 }, { preset: "theirs" }]) {
    await expect(globe(task, wrong)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  }
});
