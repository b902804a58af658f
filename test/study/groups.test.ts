import { beforeAll, describe, expect, test } from "vitest";
import { confinedTexts, groupsText, groupTables } from "../../show/groups.ts";
import { de } from "../../show/locales/de.ts";
import { reportHtml } from "../../show/report/report.ts";
import { loanClasses, loanSchema, loans } from "../../src/data/loans.ts";
import { hasLevels, levelsOf } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { MEASURES, type MeasureName } from "../../src/group-audit.ts";
import { figuresOf, gapsOf } from "../../src/groups/figures.ts";
import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Cell } from "../../src/types.ts";
import { answered } from "../../study/answer.ts";
import { byOf } from "../../study/by.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf } from "../../study/model.ts";
import type { Given } from "../../study/options.ts";
import { posed, questionOf, type Study, studyOf } from "../../study/study.ts";

const SAMPLES = 10_000;

/** The embedded applications, with a locked column that half decides the outcome, and one that is not a feature. */
function applications() {
  const { table, labels } = loans({ rows: 400 });
  const random = stream(3, "groups");
  const region = Array.from(
    labels,
    (label): Cell => (label === 1 || random.next() < 0.5 ? "north" : "south"),
  );
  const team = Array.from(labels, (): Cell => (random.next() < 0.5 ? "red" : "blue"));
  const outcome = Array.from(labels, (label, i): Cell => loanClasses[region[i] === "south" ? 0 : label]!);
  const id = Array.from(labels, (_, i): Cell => `A${i}`);
  return {
    names: [...table.names, "region", "team", "outcome", "id"],
    columns: [...table.columns, region, team, outcome, id],
    rows: table.rows,
  };
}

async function studied(options: Given, model = "tree"): Promise<{ study: Study; explanation: Explanation }> {
  const region = {
    name: "region",
    kind: "categorical" as const,
    categories: ["north", "south"],
    immutable: true,
  };
  const schema = { features: [...loanSchema.features, region] };
  const roles = {
    label: "outcome",
    id: "id",
    ...(options.by ? { by: options.by } : {}),
    vary: ["amount", "duration"],
  };
  const data = dataOf({ table: { source: "t", table: applications() }, schema, options: roles });
  const study = studyOf(data, await modelOf({ model: { train: model } }, data, {}), {
    target: "granted",
    rows: 120,
    ...roles,
    ...options,
  });
  const made = await explain(questionOf(study, await posed(study, {})));
  return { study, explanation: await answered(study, made, {}) };
}

let study: Study;
let explanation: Explanation;
beforeAll(async () => {
  ({ study, explanation } = await studied({ by: ["region", "age:30", "45", "team", "housing"] }));
}, 120_000);

/** Which group a row is in, told without the library. */
function groupOf(row: ExplainedRow, attribute: string): string | undefined {
  const k = explanation.schema.features.findIndex(({ name }) => name === attribute);
  const table = applications();
  const cell =
    k < 0 ? table.columns[table.names.indexOf(attribute)]![Number(String(row.id).slice(1))]! : row.x[k]!;
  if (cell === null) return undefined;
  if (attribute !== "age") return String(cell);
  return Number(cell) < 30 ? "< 30" : Number(cell) < 45 ? "30 – < 45" : "≥ 45";
}

const plainly: Readonly<Record<MeasureName, (rows: readonly ExplainedRow[]) => number>> = {
  within1: (rows) => rows.filter((row) => row.valid && row.edits.length <= 1).length / rows.length,
  within2: (rows) => rows.filter((row) => row.valid && row.edits.length <= 2).length / rows.length,
  within3: (rows) => rows.filter((row) => row.valid && row.edits.length <= 3).length / rows.length,
  none: (rows) =>
    rows.filter((row) => row.proof?.claim === "none exists" && row.proof.scope === "model").length /
    rows.length,
  edits: (rows) => average(rows.filter(({ valid }) => valid).map((row) => row.edits.length)),
  change: (rows) => average(rows.filter(({ valid }) => valid).map((row) => row.change!)),
};
const average = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

describe("the comparison", () => {
  test("equals a plain recomputation, group by group, with intervals around it", () => {
    const { attributes } = explanation.groups!;
    expect(attributes.map(({ name }) => name)).toEqual(["region", "age", "team", "housing"]);
    for (const { name, groups } of attributes) {
      let all = 0;
      for (const figures of groups) {
        const rows = explanation.rows.filter((row) => groupOf(row, name) === figures.group);
        all += rows.length;
        expect(figures.rows, `${name} ${figures.group}`).toBe(rows.length);
        for (const measure of MEASURES) {
          const value = plainly[measure](rows);
          const told = figures[measure];
          if (Number.isNaN(value)) expect(told).toBeNull();
          else {
            expect(told!.value).toBeCloseTo(value, 12);
            expect(told!.low ?? value).toBeLessThanOrEqual(value + 1e-12);
            expect(told!.high ?? value).toBeGreaterThanOrEqual(value - 1e-12);
          }
        }
      }
      expect(all).toBe(explanation.rows.filter((row) => groupOf(row, name) !== undefined).length);
    }
  });

  test("has intervals as wide as the theory of a share says", () => {
    const rows = explanation.rows.map((row, i) => ({
      ...row,
      valid: i % 4 === 0,
      edits: row.edits.slice(0, 1),
      status: "ok" as const,
    }));
    const [figures] = figuresOf(rows, { name: "all", groups: ["all"], of: new Int32Array(rows.length) }, 0);
    const share = rows.filter(({ valid }) => valid).length / rows.length;
    const wide = 2 * 1.96 * Math.sqrt((share * (1 - share)) / rows.length);
    const { low, high } = figures!.within1!;
    expect((high! - low!) / wide).toBeGreaterThan(0.8);
    expect((high! - low!) / wide).toBeLessThan(1.2);
  });

  test("claims no certainty of groups of few rows, and counts rows in no group", () => {
    const rows = explanation.rows.filter(({ valid }) => valid).slice(0, 7);
    const of = Int32Array.from([0, 1, 1, 1, 1, 1, -1]);
    const [one, five, none] = figuresOf(rows, { name: "few", groups: ["a", "b", "c"], of }, 0);
    expect(one).toMatchObject({ rows: 1, edits: { low: null, high: null } });
    // Wilson: of one row of one at least 1 / (1 + 1.96²), of five of five at least 5 / (5 + 1.96²).
    expect(one!.within3!.low).toBeCloseTo(1 / (1 + 1.959964 ** 2), 5);
    expect(five!.within3!.low).toBeCloseTo(5 / (5 + 1.959964 ** 2), 5);
    expect(five!.change!.low).toBeLessThan(five!.change!.value);
    expect(none).toMatchObject({ rows: 0, within1: null, none: null, edits: null, features: [] });
    const attributes = [{ name: "few", groups: [one!, five!, none!], unknown: 1 }];
    const told = { ...explanation, groups: { ...explanation.groups!, attributes } };
    const [{ rows: cells, note }] = groupTables(told) as [ReturnType<typeof groupTables>[number]];
    expect(note).toContain("1 row is in no group");
    expect(cells[2]!.slice(2)).toEqual(Array(7).fill("–"));
    expect(cells[0]!.join(" ")).not.toMatch(/100 % \(100|NaN|null/);
    expect(gapsOf(rows, [{ name: "few", groups: ["a", "b", "c"], of }], 0).every(({ p }) => p > 0.05)).toBe(
      true,
    );
    expect(gapsOf(rows, [{ name: "one", groups: ["a"], of: new Int32Array(7) }], 0)).toEqual([]);
    expect(gapsOf(rows, [{ name: "none", groups: ["a", "b"], of: new Int32Array(7).fill(-1) }], 0)).toEqual(
      [],
    );
  });

  test("finds a gap that is there, and none among groups drawn at random, corrected for all looked at", () => {
    const n = 120;
    const rows = Array.from({ length: n }, (_, i) => ({
      ...explanation.rows[0]!,
      status: "ok" as const,
      valid: i % 2 === 0 || i % 10 === 1,
    }));
    const real = { name: "real", groups: ["a", "b"], of: Int32Array.from(rows, (_, i) => i % 2) };
    const random = stream(1, "noise");
    const noise = { name: "noise", groups: ["a", "b"], of: Int32Array.from(rows, () => random.int(2)) };
    const gaps = gapsOf(rows, [real, noise], 0);
    const of = (attribute: string) =>
      gaps.find((gap) => gap.attribute === attribute && gap.measure === "within1")!;
    expect(of("real")).toMatchObject({ most: "a", least: "b" });
    expect(of("real").difference).toBeCloseTo(0.8, 12);
    expect(of("real").holm).toBeLessThan(0.05);
    expect(of("noise").holm).toBeGreaterThan(0.05);
    let top = 0;
    for (const [rank, { p, holm }] of gaps.entries()) {
      top = Math.max(top, Math.min(1, (gaps.length - rank) * p));
      expect(holm).toBeCloseTo(top, 12);
      expect(p).toBeGreaterThanOrEqual(0.001);
    }
  });

  test("is never in a plan, and the same again", async () => {
    const locked = new Set(["region", "age", "housing"]);
    expect(explanation.rows.flatMap(({ edits }) => edits).some(({ feature }) => locked.has(feature))).toBe(
      false,
    );
    expect(explanation.schema.features.find(({ name }) => name === "housing")).toMatchObject({
      immutable: true,
    });
    expect((await studied({ by: ["region", "age:30", "45", "team", "housing"] })).explanation.groups).toEqual(
      explanation.groups,
    );
  });
});

/** Does a row of codes reach the goal, by the model? */
async function reached(rows: readonly Float64Array[]): Promise<boolean[]> {
  const cols = rows[0]!.length;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    data.set(row, i * cols);
  });
  const scores = await study.model.model.predict(
    matrix(rows.length, cols, data),
    study.model.model.outputs.indexOf("granted"),
  );
  return Array.from(scores, (score) => score > 0.5);
}

const ends = new Map<number, readonly [number, number]>();

/** Ends of the legal values of a numeric feature. */
function endsOf(k: number): readonly [number, number] {
  const { min, max } = study.data.schema.features[k]!;
  const { rows, cols, data } = study.data.rows;
  const column = Array.from({ length: rows }, (_, i) => data[i * cols + k]!).filter(Number.isFinite);
  return [min ?? Math.min(...column), max ?? Math.max(...column)];
}

/** A legal value of an editable feature, from anywhere in its range. */
function legalValue(k: number, random: ReturnType<typeof stream>): number {
  const feature = study.data.schema.features[k]!;
  if (hasLevels(feature)) return random.int(levelsOf(feature).length);
  if (!ends.has(k)) ends.set(k, endsOf(k));
  const [low, high] = ends.get(k)!;
  const step = feature.kind === "integer" ? 1 : 0.1;
  return Number((Math.round((low + random.next() * (high - low)) / step) * step).toFixed(6));
}

describe("what is certified", () => {
  test("of rows without any plan has no counterexample among 10,000 samples of each group", async () => {
    const random = stream(9, "counterexamples");
    const none = explanation.rows.filter(
      ({ proof }) => proof?.claim === "none exists" && proof.scope === "model",
    );
    expect(none.length).toBeGreaterThan(10);
    const groups = explanation.groups!.attributes.flatMap(({ name, groups: all }) =>
      all.map(({ group }) => ({ group, own: none.filter((row) => groupOf(row, name) === group) })),
    );
    expect(groups.filter(({ own }) => own.length > 0).length).toBeGreaterThan(5);
    for (const { group, own } of groups) {
      if (own.length === 0) continue;
      const rows = Array.from({ length: SAMPLES }, () => {
        const member = own[random.int(own.length)]!;
        return Float64Array.from(study.data.schema.features, (feature, k) => {
          const cell = member.x[k]!;
          if (!feature.immutable && cell !== null) return legalValue(k, random);
          return cell === null
            ? Number.NaN
            : hasLevels(feature)
              ? levelsOf(feature).indexOf(String(cell))
              : Number(cell);
        });
      });
      expect((await reached(rows)).filter(Boolean), group).toEqual([]);
    }
  });

  test("of confined conditions has none either, whoever meets them", async () => {
    const { confined } = explanation.groups!;
    expect(confined!.length).toBeGreaterThan(0);
    expect(confined!.some(({ where }) => where.some(({ level }) => level === "south"))).toBe(true);
    const random = stream(10, "confined");
    const { rows: n, cols, data } = study.data.rows;
    for (const { where, rows: count } of confined!) {
      expect(count).toBeGreaterThanOrEqual(5);
      const rows = Array.from({ length: SAMPLES }, () => {
        const own = Float64Array.from({ length: cols }, (_, k) => {
          const feature = study.data.schema.features[k]!;
          const part = where.find((one) => one.feature === feature.name);
          if (part?.level !== undefined) return levelsOf(feature).indexOf(part.level);
          for (;;) {
            const value = feature.immutable ? data[random.int(n) * cols + k]! : legalValue(k, random);
            const inside = !part || (value >= (part.from ?? -1e9) && value < (part.to ?? 1e9));
            if (inside && !Number.isNaN(value)) return value;
          }
        });
        return own;
      });
      expect((await reached(rows)).filter(Boolean), JSON.stringify(where)).toEqual([]);
    }
  }, 60_000);

  test("is told as unknown of a model without bounds", async () => {
    const { explanation: other } = await studied({ by: ["region"], rows: 4, seed: 1 }, "gp");
    expect(other.groups!.confined).toBeNull();
    expect(confinedTexts(other, de)).toEqual([de.papers.groupsConfinedUnknown]);
  }, 60_000);
});

test("rules for whole groups stand beside, of both methods", () => {
  const { rules } = explanation.groups!;
  expect(new Set(rules.map(({ generator }) => generator))).toEqual(new Set(["ares", "globe-ce"]));
  for (const { coverage, rows } of rules) {
    expect(coverage).toBeGreaterThanOrEqual(0);
    expect(coverage).toBeLessThanOrEqual(1);
    expect(rows).toBeGreaterThanOrEqual(10);
  }
});

test("the report and the terminal tell it in both languages", async () => {
  const page = await reportHtml(explanation, { locale: de });
  expect(page).toContain('<section id="groups"');
  expect(page).toContain(de.papers.groupsConfined);
  const text = groupsText(explanation);
  for (const { caption } of groupTables(explanation)) expect(text).toContain(caption);
  expect(text).toContain("south");
});

test("attributes are read as they are typed, and what cannot be compared is refused", async () => {
  expect(byOf(["sex", "age:45", "25", "region"])).toEqual([
    { name: "sex", cuts: [] },
    { name: "age", cuts: [25, 45] },
    { name: "region", cuts: [] },
  ]);
  for (const by of [["nobody"], ["age"], ["region:3"]])
    await expect(studied({ by, rows: 2 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
