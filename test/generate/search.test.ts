import { describe, expect, test } from "vitest";
import type { Generated, Task } from "../../src/generate/contract.ts";
import { diceRandom } from "../../src/generate/dice-random.ts";
import { direct } from "../../src/generate/direct.ts";
import { knn } from "../../src/generate/knn.ts";
import { generate, generators } from "../../src/generate/registry.ts";
import { fromRows, rowOf, takeRows, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model, Progress, Schema } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { counting, plainTask, rowWise } from "../support/generate.ts";

const SCHEMA: Schema = {
  features: [
    { name: "a", kind: "numeric" },
    { name: "b", kind: "integer" },
    { name: "c", kind: "categorical", categories: ["u", "v", "w"] },
  ],
};

function table(rows: number, seed: number): Matrix {
  const source = stream(seed, "search test");
  return fromRows(Array.from({ length: rows }, () => [source.next() * 4, source.int(8), source.int(3)]));
}

const score = (row: Float64Array): number => 0.1 * row[0]! + 0.05 * row[1]! + (row[2] === 2 ? 0.2 : 0) - 0.15;
const task = plainTask(SCHEMA, table(7, 1), table(60, 2), score);
const random = () => stream(4, "test");

/** The counterfactuals of each factual row. */
function byRow({ rows, pairs }: Generated, n: number): number[][][] {
  const all: number[][][] = Array.from({ length: n }, () => []);
  pairs!.forEach((i, t) => {
    all[i]!.push(Array.from(rowOf(rows, t)));
  });
  return all;
}

describe("what becomes of a row", () => {
  test("a row at the target already answers with itself, and the report says so", async () => {
    const x = fromRows([
      [3.9, 7, 2],
      [0.1, 1, 0],
    ]);
    for (const [, { generate: run }] of rowWise.filter(([, g]) => g.needs === "scores")) {
      const generated = await run({ ...task, x }, {}, random());
      expect(generated.report.status).toEqual(["ok", "ok"]);
      expect(generated.report.details["alreadyAtTarget"]).toEqual([0]);
      expect(byRow(generated, 2)[0]).toEqual([[3.9, 7, 2]]);
    }
  });

  test("a row that is not a row of the table spoils only itself", async () => {
    const x = fromRows([
      [Number.POSITIVE_INFINITY, 1, 0],
      [1, 1, 0],
      [1, 1, 7],
    ]);
    const { report, pairs } = await direct({ ...task, x }, {}, random());
    expect(report.status).toEqual(["invalid_input", "ok", "invalid_input"]);
    expect(report.reasons[0]).toContain("a holds Infinity");
    expect(report.reasons[2]).toContain("c holds 7");
    expect([...pairs!]).toEqual([1]);
  });

  test("nothing to find: infeasible, with a reason", async () => {
    const hopeless = { ...task, target: { above: 9 } };
    for (const [name, method] of rowWise) {
      if (method.needs !== "scores") continue;
      const { report, rows } = await method.generate(hopeless, {}, random());
      expect(new Set(report.status), name).toEqual(new Set(["infeasible"]));
      expect(report.reasons[0]!.length).toBeGreaterThan(10);
      expect(rows).toEqual({ data: new Float64Array(0), rows: 0, cols: 3 });
    }
  });

  test("candidates the model fails on are not candidates; if it fails on all, it is the model's error", async () => {
    const failing = (when: (row: Float64Array) => boolean): Task => ({
      ...task,
      model: (rows) =>
        Array.from({ length: rows.rows }, (_, i) => {
          const row = rowOf(rows, i);
          if (when(row)) throw new Error("cannot read this row");
          return score(row);
        }),
    });
    const some = await direct(
      failing((row) => row[2] === 2),
      {},
      random(),
    );
    expect(new Set(some.report.status)).toContain("ok");
    expect(toRows(some.rows).every((row) => row[2] !== 2)).toBe(true);
    const known = new Set(toRows(task.x).map(String));
    const none = await direct(
      failing((row) => !known.has(String(Array.from(row)))),
      {},
      random(),
    );
    expect(none.report.status.filter((s) => s === "model_error").length).toBeGreaterThan(0);
    expect(none.report.reasons.find((r) => r !== "")).toContain("cannot read this row");
  });
});

describe("limits", () => {
  test("a model that never answers: every row is out of budget", async () => {
    slowClock(0); // Only the wait for an answer ends the time.
    const { report } = await diceRandom(
      { ...task, model: () => new Promise(() => {}) },
      { limits: { timeMs: 30 } },
      random(),
    );
    expect(new Set(report.status)).toEqual(new Set(["budget"]));
    expect(report.reasons[0]).toContain("ms");
  });

  test("what was found before the clock ran out is kept", async () => {
    let calls = 0;
    const stuck: Task = {
      ...task,
      model: (rows) => {
        if (++calls > 12) return new Promise(() => {});
        return Array.from({ length: rows.rows }, (_, i) => score(rowOf(rows, i)));
      },
    };
    const { report, rows } = await generators["dice-genetic"].generate(
      stuck,
      { limits: { timeMs: 1500 }, patience: 1000, generations: 1000 },
      random(),
    );
    expect(new Set(report.status)).toEqual(new Set(["ok"]));
    expect(toRows(rows).every((row) => score(Float64Array.from(row)) > 0.5)).toBe(true);
  });

  test("a limit on scored rows is shared evenly, whatever the order of the rows", async () => {
    const limits = { modelRows: 7 + 7 * 20 };
    const { task: counted, calls } = counting(task);
    const straight = await diceRandom(counted, { limits }, random());
    expect(calls.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(limits.modelRows);
    expect(straight.report.evaluations).toBeLessThanOrEqual(limits.modelRows);
    const order = [6, 2, 4, 0, 1, 5, 3];
    const turned = await diceRandom({ ...task, x: takeRows(task.x, order) }, { limits }, random());
    expect(byRow(turned, 7)).toEqual(order.map((i) => byRow(straight, 7)[i]));
    expect(straight.report.status).toContain("ok");
  });

  test("an abort in the middle of a search is heard", async () => {
    slowClock();
    const controller = new AbortController();
    const onProgress = (): void => controller.abort("enough");
    const x = table(60, 3);
    const running = diceRandom(
      { ...task, x, target: { above: 9 } },
      { samples: 20_000, signal: controller.signal, onProgress },
      random(),
    );
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("progress names the generator and ends with all rows", async () => {
    const seen: Progress[] = [];
    await diceRandom(task, { onProgress: (p) => seen.push(p) }, random());
    expect(seen.at(-1)).toEqual({ stage: "generate: dice-random", done: 7, total: 7 });
    const counted = seen.filter(({ stage }) => stage === "generate: dice-random");
    expect(counted.every(({ done, total }) => total === 7 && done <= 7)).toBe(true);
  });
});

describe("rows side by side", () => {
  test("few calls of the model, however many rows", async () => {
    const one = counting({ ...task, x: takeRows(task.x, [0]) });
    const many = counting({ ...task, x: table(200, 5) });
    await generators.nice.generate(one.task, {}, random());
    await generators.nice.generate(many.task, {}, random());
    expect(many.calls.length).toBeLessThanOrEqual(8);
    expect(one.calls.length).toBeGreaterThan(1);
  });

  test("more rows than are searched at a time: each as if alone", async () => {
    const x = table(1500, 6);
    const together = byRow(await knn({ ...task, x }, {}, random()), 1500);
    for (const i of [0, 700, 1499]) {
      const alone = await knn({ ...task, x: takeRows(x, [i]) }, {}, random());
      expect(toRows(alone.rows)).toEqual(together[i]);
    }
  });

  test.each(rowWise.filter(([, g]) => g.needs === "scores"))(
    "%s: tens of thousands of references",
    async (_, method) => {
      const many = { ...task, x: takeRows(task.x, [0]), references: table(30_000, 7) };
      expect((await method.generate(many, {}, random())).report.status).toEqual(["ok"]);
    },
  );

  test("equal rows keep their own streams", async () => {
    const x = fromRows(Array.from({ length: 6 }, () => [0.1, 1, 0]));
    const generated = await diceRandom({ ...task, x }, { samples: 30 }, random());
    expect(new Set(toRows(generated.rows).map(String)).size).toBeGreaterThan(1);
  });
});

describe("targets", () => {
  const softmax: Model = {
    outputs: ["red", "green", "blue"],
    predict: (rows, output = 0) =>
      Float64Array.from({ length: rows.rows }, (_, i) => {
        const [a, b, c] = rowOf(rows, i) as unknown as [number, number, number];
        const e = [a, b / 2, 3 * Number(c === 2)].map(Math.exp);
        return e[output]! / (e[0]! + e[1]! + e[2]!);
      }),
    gradient: (rows, output = 0) => {
      const p = [0, 1, 2].map((o) => softmax.predict(rows, o) as Float64Array);
      const slope = (i: number, o: number): number => p[output]![i]! * (Number(o === output) - p[o]![i]!);
      return {
        ...rows,
        data: rows.data.map((_, c) => {
          const i = Math.floor(c / 3);
          return [slope(i, 0), slope(i, 1) / 2, slope(i, 2) * 1.5][c % 3]!;
        }),
      };
    },
  };
  const best = (rows: Matrix, i: number): string => {
    const scores = softmax.outputs.map((_, o) => (softmax.predict(rows, o) as Float64Array)[i]!);
    return softmax.outputs[scores.indexOf(Math.max(...scores))]!;
  };

  test.each(rowWise)("%s: one class, several, all but one", async (_, method) => {
    const wanted = [
      { target: { class: "green" }, good: ["green"] },
      { target: { class: ["red", "blue"] }, good: ["red", "blue"] },
      { target: { class: "red", not: true }, good: ["green", "blue"] },
    ];
    for (const { target, good } of wanted) {
      const { rows, report } = await method.generate({ ...task, model: softmax, target }, {}, random());
      for (let t = 0; t < rows.rows; t++) expect(good).toContain(best(rows, t));
      expect(report.status.filter((s) => s === "ok").length).toBeGreaterThanOrEqual(6);
    }
  });
});

describe("at the door", () => {
  const refused = (code: string, given: Partial<Task>, options: object = {}, name = "dice-random") =>
    expect(generate(name, { ...task, ...given }, options, 1)).rejects.toMatchObject({ code });

  test("unknown names", async () => {
    await refused("NAME_UNKNOWN", {}, {}, "dice");
    await refused("NAME_UNKNOWN", {}, {}, "toString");
    await refused("OPTION_INVALID", {}, { sampels: 3 });
    await refused("OPTION_INVALID", {}, { count: 0 });
    await refused("OPTION_INVALID", {}, { vary: "a" });
    await refused("CONSTRAINT_INVALID", {}, { vary: ["z"] });
    await refused("TARGET_INVALID", { target: { class: "nobody" } });
  });

  test("tables that do not fit", async () => {
    await refused("INPUT_SHAPE", { x: fromRows([[1, 2]]) });
    await refused("INPUT_EMPTY", { references: { data: new Float64Array(0), rows: 0, cols: 3 } });
    await refused("INPUT_NOT_FINITE", { references: fromRows([[Number.POSITIVE_INFINITY, 1, 1]]) });
    await refused("VALUE_INVALID", { references: fromRows([[1, 1, 1.5]]) });
  });

  test("descent needs a gradient", () => refused("OPTION_INVALID", {}, {}, "dice-gradient"));

  test("a seed is a stream", async () => {
    const rows = async (r: number) => toRows((await generate("dice-random", task, { samples: 20 }, r)).rows);
    expect(await rows(3)).toEqual(await rows(3));
    expect(await rows(3)).not.toEqual(await rows(4));
  });

  test("features to vary", async () => {
    for (const [name, method] of rowWise) {
      if (method.needs !== "scores") continue;
      const { rows, pairs } = await method.generate(task, { vary: ["a", "c"] } as object, random());
      expect(rows.rows, name).toBeGreaterThan(0);
      pairs!.forEach((i, t) => {
        expect(rowOf(rows, t)[1]).toBe(rowOf(task.x, i)[1]);
      });
    }
  });
});
