import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { ColaError } from "../../src/errors.ts";
import { scorer } from "../../src/model/scorer.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Matrix } from "../../src/types.ts";

const rows = fromRows([[1], [2], [3], [4]]);
const code = (c: string) => expect.objectContaining({ code: c });

describe("budget", () => {
  test("an abort is heard at the next pause and says what was done", async () => {
    const controller = new AbortController();
    const work = startWork("stage", { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 5);
    const loop = async () => {
      for (let i = 0; ; i++) if (work.due()) await work.pause(i, 1e9);
    };
    await expect(loop()).rejects.toThrow(code("ABORTED"));
    await loop().catch((e: ColaError) => {
      expect(e.details).toMatchObject({ stage: "stage", total: 1e9 });
      expect((e.cause as Error).message).toBe("enough");
    });
  });

  test("wall clock, model rows and bytes run out with their own codes", async () => {
    const work = startWork("s", { limits: { timeMs: 5, modelRows: 3, bytes: 10 } });
    work.charge(3);
    expect(() => work.charge(1)).toThrow(code("LIMIT_MODEL_ROWS"));
    expect(() => work.reserve(11, "a table")).toThrow(code("LIMIT_BYTES"));
    work.reserve(10, "a table");
    await new Promise((r) => setTimeout(r, 10));
    await expect(work.pause(1, 2)).rejects.toThrow(code("LIMIT_TIME"));
    expect(work.remainingMs()).toBeLessThan(0);
  });

  test("progress names the stage", async () => {
    const seen: unknown[] = [];
    const work = startWork("a", { onProgress: (p) => seen.push(p) });
    await work.stage("b").pause(1, 2);
    expect(seen).toEqual([{ stage: "b", done: 1, total: 2 }]);
  });
});

describe("scorer", () => {
  const make = (f: (m: Matrix) => ArrayLike<number> | Promise<ArrayLike<number>>, limits = {}) =>
    scorer(f, startWork("test", { limits }), { batchRows: 2 });

  test("batches do not change the scores", async () => {
    expect(await make((m) => m.data.map((v) => v * 2)).score(rows)).toEqual(Float64Array.of(2, 4, 6, 8));
  });

  test.each<[string, (m: Matrix) => ArrayLike<number> | Promise<ArrayLike<number>>]>([
    [
      "PREDICT_FAILED",
      () => {
        throw new Error("no");
      },
    ],
    ["PREDICT_FAILED", () => Promise.reject(new Error("no"))],
    ["PREDICT_SHAPE", () => [1]],
    ["PREDICT_NAN", (m) => m.data.map(() => Number.NaN)],
    ["PREDICT_NAN", (m) => m.data.map(() => Number.POSITIVE_INFINITY)],
  ])("a bad model is %s", async (expected, f) => {
    await expect(make(f).score(rows)).rejects.toThrow(code(expected));
  });

  test("a model that fails on all is given up soon; one that answers some of the last rows is not", async () => {
    const many = fromRows(Array.from({ length: 10_000 }, (_, i) => [i]));
    for (const first of [10_000, 9000]) {
      let asked = 0;
      const model = (m: Matrix): Float64Array => {
        asked++;
        if (m.data.some((v) => v < first)) throw new Error("no");
        return m.data;
      };
      const { scores, failures } = await scorer(model, startWork("test", {})).scoreEach(many);
      expect(failures.size).toBe(first);
      expect(scores.filter((v) => v >= first)).toHaveLength(10_000 - first);
      if (first === 10_000) expect(asked).toBeLessThan(150);
    }
  });

  test("a model that never settles runs into the time limit", async () => {
    await expect(make(() => new Promise(() => {}), { timeMs: 20 }).score(rows)).rejects.toThrow(
      code("PREDICT_TIMEOUT"),
    );
  });

  test("a model that never settles can be aborted", async () => {
    const controller = new AbortController();
    const s = scorer(() => new Promise(() => {}), startWork("test", { signal: controller.signal }));
    setTimeout(() => controller.abort(), 5);
    await expect(s.score(rows)).rejects.toThrow(code("ABORTED"));
  });

  test("scoreEach isolates the rows the model fails on", async () => {
    const s = make((m) => {
      if (m.data.includes(3)) throw new Error("three");
      return m.data;
    });
    const { scores, failures } = await s.scoreEach(rows);
    expect([...scores]).toEqual([1, 2, Number.NaN, 4]);
    expect([...failures.keys()]).toEqual([2]);
    expect(failures.get(2)).toBeInstanceOf(ColaError);
  });

  test("many failing rows at the start do not take the good ones after them", async () => {
    const many = fromRows(Array.from({ length: 40 }, (_, i) => [i]));
    const s = make((m) => {
      if (m.data.some((v) => v < 30)) throw new Error("small");
      return m.data;
    });
    const { scores, failures } = await s.scoreEach(many);
    expect(failures.size).toBe(30);
    expect([...scores.subarray(30)]).toEqual(Array.from({ length: 10 }, (_, i) => 30 + i));
  });
});
