import { describe, expect, test } from "vitest";
import { isColaError } from "../../src/errors.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { loadModel } from "../../src/read/load.ts";
import { type ModelEntry, type ModelName, models } from "../../src/train/registry.ts";
import type { FitOptions } from "../../src/train/training.ts";
import { sampleClasses } from "../support/classes.ts";

const RUNS = process.env["COLA_SOAK"] ? 10_000 : 500;
const SMALL: Readonly<Partial<Record<ModelName, object>>> = {
  mlp: { hidden: [4], epochs: 2 },
  rbf: { units: 4 },
  forest: { trees: 2 },
  bagging: { trees: 2 },
  gradboost: { trees: 2 },
  xgboost: { trees: 2 },
  lightgbm: { trees: 2 },
  adaboost: { trees: 2 },
};
const [two, three] = [sampleClasses(30, 2, 2, 1), sampleClasses(30, 2, 3, 1)];
const entries = Object.entries<ModelEntry>(models) as [ModelName, ModelEntry][];

/** Values nobody saved. */
const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  0.5,
  1e9,
  1e308,
  -1e-300,
  2 ** 31,
  "",
  "x",
  [],
  {},
  [[]],
  [null],
  { length: 3 },
  ["__proto__"],
];

/** A copy with one thing, somewhere, made wrong. */
function damage(json: unknown, random: Random): unknown {
  if (typeof json !== "object" || json === null || random.next() < 0.1) return ODD[random.int(ODD.length)];
  const copy: unknown[] | Record<string, unknown> = Array.isArray(json) ? [...json] : { ...json };
  const keys = Object.keys(copy);
  if (keys.length === 0) return 1;
  const key = keys[random.int(keys.length)]!;
  const inside = copy as Record<string, unknown>;
  const way = random.int(5);
  if (way === 0) delete inside[key];
  else if (way === 1 && Array.isArray(copy)) copy.length = random.int(copy.length);
  else if (way === 2 && Array.isArray(copy)) copy.push(copy[0]);
  else inside[key] = damage(inside[key], random);
  return copy;
}

describe.each(entries)("a saved %s", (name, entry) => {
  const saved = [two, three].map(({ x, y }) =>
    entry.fit(x, y, (SMALL[name] ?? {}) as FitOptions, 1).toJSON!(),
  );

  test("opens from its text and from its value", () => {
    const scores = loadModel(JSON.stringify(saved[0])).predict(two.x);
    expect(scores).toEqual(loadModel(saved[0]).predict(two.x));
  });

  test("never opens into something that breaks: damaged files are refused or score", () => {
    const random = stream(1, "damage", name);
    let refused = 0;
    for (let run = 0; run < RUNS; run++) {
      const text = JSON.stringify(damage(JSON.parse(JSON.stringify(saved[run % 2])), random)) ?? "null";
      try {
        const model = loadModel(text);
        model.predict(two.x, model.outputs.length - 1);
      } catch (error) {
        expect(isColaError(error), `${String(error)} for ${text.slice(0, 300)}`).toBe(true);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(RUNS / 4);
  });

  test("is refused without any one of its parts", () => {
    for (const key of Object.keys(saved[0] as object)) {
      const { [key]: _, ...rest } = saved[0] as Record<string, unknown>;
      expect(() => loadModel(rest), key).toThrowError(
        expect.objectContaining({ code: "MODEL_FILE_INVALID" }) as Error,
      );
    }
  });
});

describe("loadModel refuses", () => {
  const refused = (json: unknown, says: RegExp): void => {
    expect(() => loadModel(json)).toThrowError(
      expect.objectContaining({ code: "MODEL_FILE_INVALID" }) as Error,
    );
    expect(() => loadModel(json)).toThrowError(says);
  };

  test("what is not a saved model", () => {
    refused(null, /must be an object/);
    refused([], /must be an object/);
    refused("{", /not complete JSON/);
    refused({}, /no "type"/);
    refused({ type: "oracle", version: 1 }, /must be one of logistic, svm/);
    refused({ type: "logistic", version: 2 }, /version 1/);
  });

  test("names and parts inherited from elsewhere", () => {
    refused(JSON.parse('{"__proto__":{"type":"logistic","version":1,"outputs":["a","b"]}}'), /no "type"/);
    refused({ type: "constructor", version: 1 }, /must be one of/);
    refused(Object.create(models.logistic.fit(two.x, two.y).toJSON!() as object), /no "type"/);
  });

  test("sizes that lie, before anything of that size is made", () => {
    const mlp = { type: "mlp", version: 1, outputs: ["a", "b"], activation: "relu" };
    refused(
      { ...mlp, sizes: [1e6, 1e6, 1], parameters: [1] },
      /"parameters" must have 1000002000001 entries/,
    );
    const qda = { type: "qda", version: 1, outputs: ["a", "b"], cols: 1e5 };
    const part = { mean: [1], factor: [1], constant: 0 };
    refused({ ...qda, classes: [part, part] }, /"factor" must have 10000000000 entries/);
    const gp = { type: "gp", version: 1, outputs: ["a", "b"], constant: 1, length: 1, cols: 1 };
    const many = new Array(9000).fill(0);
    refused({ ...gp, rows: many, pulls: many, root: many }, /1 … 8192/);
    refused(`${"[".repeat(1e6)}`, /./);
  });
});
