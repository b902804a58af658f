import { describe, expect, test, vi } from "vitest";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { prepare } from "../../src/prepare.ts";
import { mergeKernel, partOf } from "../../src/run/merge.ts";
import { type Opened, open } from "../../src/run/open.ts";
import type { Matrix, Schema } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import { linesOf } from "../../study/lines.ts";
import { modelOf } from "../../study/model.ts";
import { studyOf } from "../../study/study.ts";

/** What a study makes once, by the module and the function that makes it. */
const counts = vi.hoisted(() => new Map<string, number>());

const counted = vi.hoisted(
  () =>
    (...names: readonly string[]) =>
    async (original: () => Promise<unknown>): Promise<Record<string, unknown>> => {
      const real = (await original()) as Record<string, (...given: unknown[]) => unknown>;
      const wrapped = names.map((name) => [
        name,
        (...given: unknown[]) => {
          counts.set(name, (counts.get(name) ?? 0) + 1);
          return real[name]!(...given);
        },
      ]);
      return { ...real, ...Object.fromEntries(wrapped) };
    },
);

vi.mock("../../src/run/setup.ts", counted("setUp"));
vi.mock("../../src/data/constraints.ts", counted("compileConstraints"));
vi.mock("../../src/data/metric.ts", counted("fitMetric"));
vi.mock("../../src/run/hash.ts", counted("runHash", "digestOf"));
vi.mock("../../src/model/target.ts", counted("goalReach", "reachOf"));
vi.mock("../../src/model/contract.ts", counted("asModel", "openModel"));
vi.mock("../../src/model/scorer.ts", counted("scorer"));
vi.mock("../../src/match/nearest.ts", counted("contentOrder"));

const score = (rows: Matrix): Float64Array =>
  Float64Array.from({ length: rows.rows }, (_, i) => {
    const [a, b, c] = rowOf(rows, i);
    return 1 / (1 + Math.exp(3 - a! - b! * c!));
  });
const x = fromRows([
  [0, 0, 0],
  [0, 1, 1],
  [1, 0, 1],
]);
const references = fromRows([
  [4, 1, 0],
  [2, 2, 1],
  [0, 2, 2],
  [3, 0, 1],
]);
const schema: Schema = { features: ["a", "b", "c"].map((name) => ({ name, kind: "numeric" as const })) };
/** A row that has no plan: what would allow one is looked for. */
const stuck: Schema = { features: schema.features.map((feature) => ({ ...feature, immutable: true })) };

const ONCE = {
  setUp: 1,
  compileConstraints: 1,
  fitMetric: 1,
  runHash: 1,
  digestOf: 2,
  goalReach: 1,
  asModel: 1,
};

async function countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  counts.clear();
  await work();
  const { contentOrder: _, ...rest } = Object.fromEntries(counts) as Record<string, number>;
  return rest;
}

describe("what is done once is done once", () => {
  const group = { kind: "group", divergence: "mean", level: 0.5 } as const;
  const each = { kind: "each", target: { above: 0.5 } } as const;
  const calls = {
    "the goal each": { goal: each, schema },
    "other plans and limits": { goal: each, schema, alternatives: 3, limits: { modelRows: 5000 } },
    "plausible plans": { goal: each, schema, prefer: "plausible" },
    "rows without a plan": { goal: each, schema: stuck },
    "references chosen jointly": { goal: each, coupling: "joint" },
    "a group": { goal: group },
    "a group chosen jointly": { goal: group, coupling: "joint" },
    "a background": { goal: group, background: 2 },
  } as const;
  for (const [name, options] of Object.entries(calls)) {
    test(`one explain of three rows: ${name}`, async () => {
      expect(await countsOf(() => explain({ model: score, x, references, ...options }))).toEqual(ONCE);
    });
  }

  test("a row of a prepared explainer makes nothing but its own hash", async () => {
    const explainer = prepare({ model: score, references, schema, options: { goal: each } });
    await explainer.row(rowOf(x, 0));
    expect(await countsOf(() => explainer.row(rowOf(x, 1)))).toEqual({ runHash: 1 });
    expect(counts.get("contentOrder")).toBe(1); // of x and q, for the ties of this row
  });

  test("questions to an open study share all that is made once, and say what explain says", async () => {
    const options = { goal: each, alternatives: 2 };
    const parts = { model: score, references, schema };
    const asked: [Explanation, Parameters<typeof explain>[0]][] = [];
    const three = async (): Promise<void> => {
      const opened = open(parts, options);
      for (const i of [0, 1, 2]) {
        const rows = { x: fromRows([[...rowOf(x, i)]]), ids: [`person ${i}`] };
        asked.push([await opened.ask(rows), { ...parts, ...options, ...rows }]);
      }
    };
    expect(await countsOf(three)).toEqual({ ...ONCE, runHash: 3 });
    for (const [answer, alone] of asked) expect(answer).toEqual(await explain(alone));
  });

  /** Answered in parts of one, two and three rows, put together again. */
  const inParts = async (
    input: Parameters<typeof explain>[0],
    take: (asking: ReturnType<Opened["question"]>, from: number, to: number) => Promise<Explanation>,
  ): Promise<Explanation> => {
    const asking = open(input, input).question(input);
    const parts: Explanation[] = [];
    for (let from = 0, size = 1; from < input.x.rows; from += size, size++)
      parts.push(await take(asking, from, Math.min(from + size, input.x.rows)));
    const made = mergeKernel(parts.map(partOf), asking.run(), {});
    expect(made.runHash).toBe(asking.hash());
    return made;
  };
  const people = fromRows([...Array(7)].map((_, i) => [i % 3, (i * 2) % 3, i / 9]));
  const study = { model: score, references, schema, goal: each, alternatives: 2, x: people };
  const own = { ...study, pairs: [1, 0, 3, 1], ids: [..."abcdefg"] };

  test.each([
    ["without pairs", study],
    ["with references of its own for some rows", own],
  ])(
    "a question answered in parts opens its study once and is the same to the byte: %s",
    async (_, input) => {
      let made: Explanation | undefined;
      const counts = await countsOf(async () => {
        made = await inParts(input, (asking, from, to) => asking.part(from, to));
      });
      expect(counts).toEqual(ONCE);
      expect(JSON.stringify(made)).toBe(JSON.stringify(await explain(input)));
      const shifted = inParts(input, (asking, from, to) => asking.part(from === 3 ? 2 : from, to));
      await expect(shifted.then((e) => JSON.stringify(e))).rejects.toThrow("merge");
    },
  );

  test("a part has the references of its own rows, whatever rows come before it", async () => {
    const asking = open(own, own).question(own);
    expect([...Array(7)].map((_, i) => Array.from(asking.run().own(i)))).toEqual([
      [1],
      [0, 3],
      [],
      [2],
      [],
      [],
      [],
    ]);
    expect([0, 1, 2].map((i) => Array.from(asking.run({}, 1, 4).own(i)))).toEqual([[0, 3], [], [2]]);
  });
});

test("a study that is asked line by line is opened at its first line, and says what it would say if opened again", async () => {
  const options = { target: "granted" };
  const data = dataOf({ options: {} });
  const model = await modelOf({ model: { train: "logistic" } }, data, {});
  const { names, columns } = data.table;
  const line = (i: number) => ({ names, columns: columns.map((column) => column.slice(i, i + 1)), rows: 1 });
  const study = studyOf(data, model, options);
  await linesOf(study, line(0), {});
  for (const i of [1, 2, 3]) {
    let said: unknown;
    const made = await countsOf(async () => {
      said = await linesOf(study, line(i), {});
    });
    // The generator wraps the model for every call; whatever is fitted, compiled or opened is there already.
    const { asModel, openModel, scorer, reachOf, ...rest } = made;
    expect(rest).toEqual({ runHash: 1, digestOf: 1 });
    expect(said).toEqual(await linesOf(studyOf(data, model, options), line(i), {}));
  }
});

test("a background is drawn once for all rows: φ sums to f(x) − mean f(background), plans stay those of the coupling", async () => {
  const goal = { kind: "each", target: { above: 0.5 } } as const;
  const training = fromRows([...Array(9)].map((_, i) => [i % 3, Math.floor(i / 3), i / 4]));
  const input = { model: score, x, references, training, goal };
  const [coupled, drawn] = [await explain(input), await explain({ ...input, background: 4 })];
  expect(drawn.rows.map((row) => row.edits.map(({ feature, to }) => [feature, to]))).toEqual(
    coupled.rows.map((row) => row.edits.map(({ feature, to }) => [feature, to])),
  );
  const bases = drawn.rows.map((row) => row.base!);
  for (const [i, row] of drawn.rows.entries()) {
    const sum = row.attributions.reduce((total, phi) => total + phi, 0);
    expect(sum + row.base!).toBeCloseTo(row.before!, 12);
    expect(bases[i]).toBeCloseTo(bases[0]!, 12);
    expect(row.base).not.toBeCloseTo(coupled.rows[i]!.base!, 6);
  }
  expect(drawn.runHash).not.toBe(coupled.runHash);
  await expect(explain({ ...input, background: 0 })).rejects.toThrow("background");
});
