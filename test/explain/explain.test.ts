import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exact } from "../../src/couple/exact.ts";
import type { OwnCoupling } from "../../src/couple/registry.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { type ExplainInput, loadExplainer, loans, prepare, tableToMatrix } from "../../src/index.ts";
import { fromRows, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitForest } from "../../src/train/forest.ts";
import { fitLogistic } from "../../src/train/logistic.ts";
import type { Matrix, Model, Schema } from "../../src/types.ts";

const code = (c: string) => expect.objectContaining({ code: c });
const { table, schema, labels } = loans({ rows: 400 });
const all = tableToMatrix(schema, table);
const encoder = fitEncoder(schema, all);
const encoded = encodeRows(encoder, all);
const classes = ["refused", "granted"];
const logistic = bind(fitLogistic(encoded, labels, { classes }) as Model, encoder);
const forest = bind(fitForest(encoded, labels, { classes, trees: 15 }, stream(1)) as Model, encoder);
const scores = logistic.predict(all) as Float64Array;
const refused = Array.from(scores.keys()).filter((i) => scores[i]! < 0.5);
const granted = Array.from(scores.keys()).filter((i) => scores[i]! > 0.6);
const references = takeRows(all, granted.slice(0, 60));
const input = (rows: readonly number[], rest: Partial<ExplainInput> = {}): ExplainInput => ({
  model: logistic,
  x: takeRows(all, rows),
  references,
  training: all,
  schema,
  goal: { kind: "each", target: { class: "granted" } },
  ...rest,
});
const bytes = (e: Explanation, i: number): string => JSON.stringify({ ...e.rows[i], row: 0 });

describe("one person's plan never depends on other rows", () => {
  const people = refused.slice(0, 8);
  test.each([
    ["logistic", logistic],
    ["forest", forest],
    ["function", (rows: Matrix) => logistic.predict(rows)],
  ] as const)(
    "%s: alone, in halves, permuted and in the whole batch the bytes are the same",
    async (_, model) => {
      const law = async (call: (i: ExplainInput) => Promise<Explanation>): Promise<void> => {
        const goal = {
          kind: "each" as const,
          target: { class: typeof model === "function" ? 1 : "granted" },
        };
        const whole = await call(input(people, { model, goal }));
        for (const [i, person] of people.entries()) {
          expect(bytes(await call(input([person], { model, goal })), 0)).toBe(bytes(whole, i));
        }
        const half = await call(input(people.slice(4), { model, goal }));
        expect(half.rows.map((_row, i) => bytes(half, i))).toEqual(
          half.rows.map((_row, i) => bytes(whole, i + 4)),
        );
        const reversed = await call(input([...people].reverse(), { model, goal }));
        expect(reversed.rows.map((_row, i) => bytes(reversed, 7 - i))).toEqual(
          whole.rows.map((_row, i) => bytes(whole, i)),
        );
      };
      await law(explain);
      await expect(law((i) => explain({ ...i, coupling: "transport" }))).rejects.toThrow();
    },
  );

  test("couplings of the group are labelled as such", async () => {
    expect((await explain(input(people))).method.dependsOnGroup).toBe(false);
    expect((await explain(input(people, { coupling: "transport" }))).method.dependsOnGroup).toBe(true);
    expect((await explain(input(people, { coupling: "nearest" }))).method.dependsOnGroup).toBe(false);
    expect((await explain(input(people, { coupling: "exact" }))).method.dependsOnGroup).toBe(true);
    const pairs = Int32Array.from({ length: references.rows }, (_, j) => j % people.length);
    expect((await explain(input(people, { coupling: "exact", pairs }))).method.dependsOnGroup).toBe(false);
  });

  test("exact without pairs: reference j is that of row j, also where a row before it cannot be read", async () => {
    const whole = await explain(input(people, { coupling: "exact" }));
    expect(whole.rows.map((row) => row.reference)).toEqual(people.map((_, i) => i));
    const broken = takeRows(all, people);
    broken.data[0] = Number.POSITIVE_INFINITY;
    const rest = await explain(input(people, { coupling: "exact", x: broken }));
    expect(rest.rows[0]!.status).toBe("invalid_input");
    for (let i = 1; i < people.length; i++) expect(bytes(rest, i)).toBe(bytes(whole, i));
  });
});

describe("a coupling of one's own", () => {
  const people = refused.slice(0, 4);
  const last: OwnCoupling = {
    name: "last",
    group: false,
    couple: ({ x, r }) =>
      exact(
        Int32Array.from({ length: x.rows }, () => r.rows - 1),
        r.rows,
      ),
  };

  test("is asked, named, and its references are used", async () => {
    const e = await explain(input(people, { coupling: last }));
    expect(e.method).toMatchObject({ coupling: "last", dependsOnGroup: false });
    expect(e.rows.map((row) => row.reference)).toEqual(people.map(() => references.rows - 1));
    const named = await explain(input(people, { coupling: { ...last, name: "match", group: true } }));
    expect(named.method).toMatchObject({ coupling: "match", dependsOnGroup: true });
    expect(named.rows.map((row) => row.edits)).toEqual(e.rows.map((row) => row.edits));
  });

  test("of another shape is refused", async () => {
    const narrow: OwnCoupling = { ...last, couple: ({ x }) => exact(x.rows) };
    await expect(explain(input(people, { coupling: narrow }))).rejects.toThrow(/4 × 60, but is "4 × 4"/);
  });
});

describe("what comes back", () => {
  test.each(["match", "transport", "nearest", "uniform", "random", "sinkhorn", "coarsened"])(
    "%s: every ok row is legal, valid when re-scored, and made of listed edits",
    async (coupling) => {
      const people = refused.slice(0, 6);
      const e = await explain(input(people, { coupling, seed: 3 }));
      const z = await replay(e);
      const again = logistic.predict(z) as Float64Array;
      e.rows.forEach((row, i) => {
        if (row.status !== "ok") return;
        expect(row.valid).toBe(true);
        expect(again[i]).toBe(row.after);
        expect(again[i]).toBeGreaterThan(0.5);
        expect(row.distance.z).toBeLessThanOrEqual(row.distance.q + 1e-12);
        expect(row.edits.map((edit) => edit.feature)).not.toContain("age");
      });
      expect(e.rows.some((row) => row.status === "ok")).toBe(true);
    },
  );

  /** z rebuilt from x and the listed edits alone. */
  async function replay(e: Explanation): Promise<Matrix> {
    const names = e.schema.features.map((f) => f.name);
    const columns = names.map((name, k) =>
      e.rows.map((row) => row.edits.find((edit) => edit.feature === name)?.to ?? row.x[k]!),
    );
    return tableToMatrix(e.schema, { names, columns, rows: e.rows.length });
  }

  test("it is frozen and survives JSON", async () => {
    const e = await explain(input(refused.slice(0, 2)));
    expect(JSON.parse(JSON.stringify(e))).toEqual(e);
    expect(() => {
      (e.rows as unknown[])[0] = null;
    }).toThrow();
  });

  test("the same input gives the same bytes, another seed or option another hash", async () => {
    const a = await explain(input(refused.slice(0, 3)));
    expect(JSON.stringify(await explain(input(refused.slice(0, 3))))).toBe(JSON.stringify(a));
    expect((await explain(input(refused.slice(0, 3), { seed: 1 }))).runHash).not.toBe(a.runHash);
    expect((await explain(input(refused.slice(0, 3), { prefer: "near" }))).runHash).not.toBe(a.runHash);
    const near = { prefer: "near", limits: { timeMs: 1e6, bytes: 2 ** 30 } } as const;
    const turned = { limits: { bytes: 2 ** 30, timeMs: 1e6 }, prefer: "near" } as const;
    const [one, other] = [
      input(refused.slice(0, 3), near),
      { ...turned, ...input(refused.slice(0, 3), turned) },
    ];
    expect((await explain(one)).runHash).toBe((await explain(other)).runHash);
  });

  test("policies, values and the group goal", async () => {
    for (const policy of ["sample", "top", "greedy", "minimal"]) {
      const e = await explain(input(refused.slice(0, 4), { policy, coupling: "nearest" }));
      expect(e.method.policy).toBe(policy);
      expect(e.totals.edits).toBeLessThanOrEqual(e.totals.editsProposed);
    }
    const mean = await explain(input(refused.slice(0, 4), { coupling: "uniform", value: "average" }));
    expect(mean.rows.every((row) => row.reference === null)).toBe(true);
    const group = await explain(
      input(refused.slice(0, 6), { goal: { kind: "group", divergence: "mean", level: 0.8 } }),
    );
    expect(group.effect.share).toBeGreaterThanOrEqual(0.8);
    expect(group.curve.length).toBeGreaterThan(2);
  });

  test("known pairs are used where there are any, the pool for the others", async () => {
    const people = refused.slice(0, 3);
    const e = await explain(
      input(people, {
        values: "reference",
        pairs: Int32Array.from({ length: 60 }, (_, j) => (j === 7 ? 1 : -1)),
      }),
    );
    expect(e.rows[1]!.reference).toBe(7);
    expect(e.rows[1]!.proof?.references ?? [7]).toEqual([7]);
    expect(bytes(e, 0)).toBe(bytes(await explain(input(people, { values: "reference" })), 0));
  });

  test("alternatives are other plans that reach the goal without one of the edits", async () => {
    const e = await explain(input(refused.slice(0, 6), { alternatives: 2 }));
    expect(e.rows.some((row) => row.alternatives.length > 0)).toBe(true);
    for (const row of e.rows) {
      const own = row.edits
        .map((edit) => edit.feature)
        .sort()
        .join();
      const sets = row.alternatives.map(({ edits }) =>
        edits
          .map((edit) => edit.feature)
          .sort()
          .join(),
      );
      expect(new Set([own, ...sets]).size).toBe(1 + sets.length);
      expect(sets.length).toBeLessThanOrEqual(2);
      for (const plan of row.alternatives) {
        const names = e.schema.features.map((f) => f.name);
        const columns = names.map((name, k) => [
          plan.edits.find((edit) => edit.feature === name)?.to ?? row.x[k]!,
        ]);
        const z = tableToMatrix(e.schema, { names, columns, rows: 1 });
        expect((logistic.predict(z) as Float64Array)[0]).toBeGreaterThan(0.5);
      }
    }
  });

  test("a plan of one edit has as many alternatives as are asked for, none of which holds another", async () => {
    const e = await explain(input(refused.slice(0, 6), { alternatives: 3 }));
    const short = e.rows.filter((row) => row.status === "ok" && row.edits.length === 1);
    expect(short.length).toBeGreaterThan(0);
    expect(Math.max(...short.map((row) => row.alternatives.length))).toBe(3);
    for (const row of e.rows) {
      const sets = [row, ...row.alternatives].map(({ edits }) => edits.map((edit) => edit.feature));
      for (const [a, one] of sets.entries())
        for (const [b, other] of sets.entries())
          if (a !== b) expect(one.every((name) => other.includes(name))).toBe(false);
    }
    const alone = await explain(input(refused.slice(2, 3), { alternatives: 3 }));
    expect(alone.rows[0]!.alternatives).toEqual(e.rows[2]!.alternatives);
  });

  test.each([
    [0.5, false],
    [0.97, true],
  ])("a row without a plan at %d names what must be unlocked, several: %s", async (above, several) => {
    const locked: Schema = {
      features: schema.features.map((f) => (f.name === "guarantor" ? f : { ...f, immutable: true })),
    };
    const goal = { kind: "each", target: { above } } as const;
    const e = await explain(input(refused.slice(0, 4), { schema: locked, goal }));
    const stuck = e.rows.filter((row) => row.status === "infeasible");
    for (const row of stuck) {
      const { feature, and = [] } = row.relaxation!;
      const freeing = (names: readonly string[]): Promise<Explanation> => {
        const features = locked.features.map((f) =>
          names.includes(f.name) ? { ...f, immutable: false } : f,
        );
        return explain(input([refused[row.row]!], { schema: { features }, goal }));
      };
      expect(row.reason).toContain("would allow a plan");
      expect((await freeing([feature, ...and])).rows[0]!.status).toBe("ok");
      if (and.length > 0) expect((await freeing(and)).rows[0]!.status).toBe("infeasible");
    }
    expect(stuck.some((row) => (row.relaxation!.and !== undefined) === several)).toBe(true);
  });

  test("budgets bound the edits", async () => {
    const none = await explain(input(refused.slice(0, 3), { budget: { perRow: 0 } }));
    expect(none.totals.edits).toBe(0);
    const some = await explain(
      input(refused.slice(0, 6), { policy: "top", coupling: "nearest", budget: { total: 2 } }),
    );
    expect(some.totals.edits).toBeLessThanOrEqual(2);
  });
});

describe("rows that cannot be explained", () => {
  const at: Schema = {
    features: [
      { name: "a", kind: "numeric" },
      { name: "b", kind: "numeric" },
    ],
  };
  const half = (rows: Matrix): number[] =>
    Array.from({ length: rows.rows }, (_, i) => (rows.data[2 * i]! + rows.data[2 * i + 1]!) / 2);
  const simple = (x: Matrix, rest: Partial<ExplainInput> = {}): ExplainInput => ({
    model: half,
    x,
    references: fromRows([[1, 1]]),
    schema: at,
    ...rest,
  });

  test("statuses: at the goal, infeasible, invalid input", async () => {
    const e = await explain(
      simple(
        fromRows([
          [1, 1],
          [0, 0],
          [Number.POSITIVE_INFINITY, 0],
        ]),
        {
          goal: { kind: "each", target: { above: 0.9 } },
          schema: {
            features: [
              { name: "a", kind: "numeric", immutable: true },
              { name: "b", kind: "numeric" },
            ],
          },
        },
      ),
    );
    expect(e.rows.map((row) => row.status)).toEqual(["ok", "infeasible", "invalid_input"]);
    expect(e.rows[0]!.edits).toEqual([]);
    expect(e.rows[1]!.proof).toMatchObject({ claim: "none exists", scope: "references" });
    expect(e.rows[2]!.reason).toContain("Infinity");
  });

  test("x = r, a constant model, one column", async () => {
    const same = await explain(simple(fromRows([[1, 1]]), { goal: { kind: "each", target: { above: 2 } } }));
    expect(same.rows[0]!.status).toBe("infeasible");
    const constant = await explain(
      simple(fromRows([[0, 0]]), { model: (rows) => new Array(rows.rows).fill(0.1) }),
    );
    expect(constant.rows[0]!.status).toBe("infeasible");
    const one = await explain({
      model: (rows) => rows.data,
      x: fromRows([[0]]),
      references: fromRows([[1]]),
    });
    expect(one.rows[0]!.edits.length).toBe(1);
  });

  test("one failing row never takes the others with it", async () => {
    const fussy = (rows: Matrix): number[] => {
      if (rows.data.includes(-7)) throw new Error("minus seven");
      return half(rows);
    };
    const e = await explain(
      simple(
        fromRows([
          [0, 0],
          [-7, 0],
          [0.2, 0.1],
        ]),
        { model: fussy },
      ),
    );
    expect(e.rows.map((row) => row.status)).toEqual(["ok", "model_error", "ok"]);
    expect(e.rows[1]!.reason).toContain("minus seven");
    const clean = await explain(
      simple(
        fromRows([
          [0, 0],
          [0.2, 0.1],
        ]),
      ),
    );
    expect(bytes(e, 0)).toBe(bytes(clean, 0));
    expect(bytes(e, 2)).toBe(bytes(clean, 1));
  });

  test("limits leave partial results", async () => {
    const e = await explain(
      simple(
        fromRows([
          [0, 0],
          [0.1, 0.1],
        ]),
        { limits: { modelRows: 3 } },
      ),
    );
    expect(e.rows.some((row) => row.status === "budget")).toBe(true);
    const never = await explain(
      simple(fromRows([[0, 0]]), { model: () => new Promise<number[]>(() => {}), limits: { timeMs: 30 } }),
    );
    expect(never.rows[0]!.status).toBe("budget");
  });

  test("an abort is heard and says where", async () => {
    const controller = new AbortController();
    const slow = async (rows: Matrix): Promise<number[]> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return half(rows);
    };
    const call = explain(simple(fromRows([[0, 0]]), { model: slow, signal: controller.signal }));
    controller.abort();
    await expect(call).rejects.toThrow(code("ABORTED"));
  });

  test.each<[string, Partial<ExplainInput>]>([
    ["INPUT_EMPTY", { x: { data: new Float64Array(0), rows: 0, cols: 2 } }],
    ["INPUT_EMPTY", { references: { data: new Float64Array(0), rows: 0, cols: 2 } }],
    ["INPUT_SHAPE", { references: fromRows([[1]]) }],
    ["INPUT_SHAPE", { schema: { features: [{ name: "a", kind: "numeric" }] } }],
    ["INPUT_NOT_FINITE", { references: fromRows([[Number.NEGATIVE_INFINITY, 1]]) }],
    ["NAME_UNKNOWN", { coupling: "psychic" }],
    ["NAME_UNKNOWN", { cupling: "transport" } as Partial<ExplainInput>],
    ["NAME_UNKNOWN", { policy: "psychic" }],
    ["BUDGET_INVALID", { budget: { total: -1 } }],
    ["BUDGET_INVALID", { budget: { perRow: 1.5 } }],
    ["TARGET_INVALID", { goal: { kind: "each", target: { class: "x" } } }],
    ["OPTION_INVALID", { coupling: "sinkhorn", epsilon: 0 }],
  ])("bad input is %s", async (expected, rest) => {
    await expect(explain(simple(fromRows([[0, 0]]), rest))).rejects.toThrow(code(expected));
  });
});

describe("constraints", () => {
  test("law: over random schemas no returned row breaks a constraint and every ok row is valid", async () => {
    const feature = fc.record(
      {
        immutable: fc.boolean(),
        min: fc.constantFrom(-1, 0),
        max: fc.constantFrom(0.5, 2),
        step: fc.constantFrom(0.25, 1),
        direction: fc.constantFrom("up" as const, "down" as const),
      },
      { requiredKeys: [] },
    );
    const cell = fc.integer({ min: -4, max: 8 }).map((v) => v / 4);
    const row = fc.tuple(cell, cell, cell);
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(feature, feature, feature),
        fc.array(row, { minLength: 1, maxLength: 3 }),
        fc.array(row, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("match", "transport", "uniform"),
        fc.boolean(),
        async (features, x, r, coupling, rule) => {
          const s: Schema = {
            features: features.map((f, k) => ({ name: `f${k}`, kind: "numeric" as const, ...f })),
            ...(rule ? { rules: ["f0 + f1 <= 3"] } : {}),
          };
          const model = (rows: Matrix): number[] =>
            Array.from({ length: rows.rows }, (_, i) => {
              const [a, b, c] = rows.data.subarray(3 * i, 3 * i + 3);
              return (a! * b! + c!) / 4;
            });
          const e = await explain({ model, x: fromRows(x), references: fromRows(r), schema: s, coupling });
          for (const told of e.rows) {
            const z = Float64Array.from(told.x as number[]);
            for (const edit of told.edits) z[Number(edit.feature[1])] = edit.to as number;
            if (told.status === "ok") expect(model({ data: z, rows: 1, cols: 3 })[0]).toBeGreaterThan(0.5);
          }
        },
      ),
      { numRuns: process.env["COLA_SOAK"] ? 10_000 : 500, seed: 8 },
    );
  });
});

describe("prepare", () => {
  const options = { goal: { kind: "each" as const, target: { class: "granted" } } };

  test("row answers what rows and explain answer", async () => {
    const explainer = prepare({ model: forest, references, schema, training: all, options });
    const whole = await explainer.rows(takeRows(all, refused.slice(0, 3)));
    expect({ ...(await explainer.row(takeRows(all, [refused[2]!]).data)), row: 2 }).toEqual(whole.rows[2]);
  });

  test("its state is JSON; a function model has to be given again", async () => {
    const explainer = prepare({
      model: (rows) => logistic.predict(rows),
      references,
      schema,
      training: all,
      options: { goal: { kind: "each", target: { above: 0.5 } } },
    });
    const state = JSON.parse(JSON.stringify(explainer));
    expect(() => loadExplainer(state)).toThrow(code("OPTION_INVALID"));
    const person = takeRows(all, [refused[0]!]).data;
    const again = loadExplainer(state, (rows) => logistic.predict(rows));
    expect(await again.row(person)).toEqual(await explainer.row(person));
  });

  test("constraints are laid over the schema", async () => {
    const locked = prepare({
      model: logistic,
      references,
      schema,
      training: all,
      options,
      constraints: { features: { income: { immutable: true }, amount: { immutable: true } } },
    });
    const row = await locked.row(takeRows(all, [refused[1]!]).data);
    expect(row.edits.map((edit) => edit.feature)).not.toContain("income");
    expect(row.edits.map((edit) => edit.feature)).not.toContain("amount");
  });
});
