import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { checkPaper, paperKind } from "../../show/check-paper.ts";
import { letterHtml } from "../../show/letter/html.ts";
import { letterOf } from "../../show/letter/letter.ts";
import { letterText } from "../../show/letter/text.ts";
import { explanationLines, explanationOfLines } from "../../show/lines.ts";
import { localeNamed } from "../../show/locales/registry.ts";
import { reportHtml } from "../../show/report/report.ts";
import { certify } from "../../src/certify/certify.ts";
import { readCsv } from "../../src/data/csv.ts";
import { loans } from "../../src/data/loans.ts";
import { encodeCell } from "../../src/data/schema.ts";
import { contentDigest, sealed } from "../../src/digest.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { flatten } from "../../src/flatten/flatten.ts";
import { goalReach } from "../../src/model/target.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { Against } from "../../src/verify/against.ts";
import { answered } from "../../study/answer.ts";
import { digestOf } from "../../study/basis.ts";
import { type CheckName, type CheckParts, checkExplanation } from "../../study/check.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf, readModelSource } from "../../study/model.ts";
import { posed, questionOf, type Study, studyOf } from "../../study/study.ts";

let explanation: Explanation;
let parts: CheckParts;
let certificate: string;
let against: Against;
let study: Study;
const DATE = "2026-05-31";

beforeAll(async () => {
  const bytes = readFileSync("examples/parts/xgboost.json");
  const csv = readFileSync("examples/parts/loans.csv", "utf8");
  const source = await readModelSource("xgboost.json", bytes, { outputs: ["refused", "granted"] });
  const table = { source: "loans.csv", table: readCsv(csv) };
  const data = dataOf({ table, inputs: source.content.model.inputs ?? "all", options: { id: "id" } });
  const model = await modelOf({ model: source }, data, {});
  study = studyOf(data, model, { target: "granted", rows: 8, id: "id", alternatives: 3 });
  const asked = await posed(study, {});
  explanation = await answered(study, await explain(questionOf(study, asked)), {});
  const planned = explanation.rows.flatMap((row, i) => {
    if (!row.valid) return [];
    const x = asked.x.data.slice(i * asked.x.cols, (i + 1) * asked.x.cols);
    const z = x.slice();
    for (const { feature, to } of row.edits) {
      const k = data.schema.features.findIndex(({ name }) => name === feature);
      z[k] = encodeCell(data.schema.features[k]!, to, i);
    }
    return [{ id: row.id!, x, z }];
  });
  const reach = goalReach(model.model, explanation.goal);
  const question = {
    model: model.model,
    constraints: data.constraints,
    reach,
    minMargin: 0,
    table: data.rows,
  };
  certificate = (await certify(question, planned, {})).text;
  against = flatten(bytes.toString())!;
  parts = {
    data,
    model: { model: model.model, digest: digestOf(model) },
    certificate: { text: certificate, against },
  };
}, 60_000);

type Loose = { [key: string]: Loose } & Loose[] & (string | number | boolean | null);

/** A copy that somebody changed; the digest is made anew where they knew how. */
function changed(change: (copy: Loose) => void, knowing = false): Explanation {
  const copy = JSON.parse(JSON.stringify(explanation)) as Loose;
  change(copy);
  return knowing ? sealed(copy as unknown as Explanation) : (copy as unknown as Explanation);
}

const set = (at: readonly (string | number)[], to: (before: never) => unknown) => (copy: Loose) => {
  const place = at.slice(0, -1).reduce((value, key) => value[key as never] as Loose, copy);
  const last = at.at(-1)! as never;
  (place as Record<string, unknown>)[last] = to(place[last] as never);
};

/** What somebody may change in an explanation, and who notices it although the digest was made anew. */
const KINDS: readonly (readonly [string, (copy: Loose) => void, CheckName])[] = [
  ["a score of a row", set(["rows", 0, "before"], (v: number) => v + 0.01), "scores"],
  ["a score of a plan", set(["rows", 1, "after"], (v: number) => v + 0.01), "scores"],
  ["a planned value", set(["rows", 0, "edits", 0, "to"], (v: number) => v - 1), "rows"],
  [
    "a planned value with its range",
    (copy) => {
      set(["rows", 0, "edits", 0, "to"], (v: number) => v + 2)(copy);
      set(["rows", 0, "ranges", 0, "from"], (v: number) => v + 2)(copy);
    },
    "scores",
  ],
  ["the feature of an edit", set(["rows", 0, "edits", 0, "feature"], () => "age"), "rows"],
  [
    "an edit of a locked feature",
    (copy) => {
      const age = explanation.rows[0]!.x[0] as number;
      (copy as never as { rows: { edits: object[] }[] }).rows[0]!.edits[0] = {
        feature: "age",
        from: age,
        to: age - 9,
        attribution: 0,
      };
    },
    "rows",
  ],
  ["a cell of a person", set(["rows", 2, "x", 1], (v: number) => v + 10), "cells"],
  ["whose row it is", set(["rows", 0, "id"], () => "A999"), "cells"],
  ["a row left out", (copy) => void copy["rows"]!.pop(), "totals"],
  ["a row told twice", (copy) => void copy["rows"]!.push(copy["rows"]![0]!), "totals"],
  ["the number at the goal", set(["totals", "valid"], (v: number) => v - 1), "totals"],
  ["the number of edits", set(["totals", "edits"], (v: number) => v + 1), "totals"],
  ["a status", set(["rows", 0, "status"], () => "infeasible"), "totals"],
  ["whether the goal is reached", set(["rows", 0, "valid"], () => false), "totals"],
  ["the goal", set(["goal", "target", "class"], () => "refused"), "scores"],
  ["the end of a range", set(["rows", 0, "ranges", 0, "to"], () => 79.7), "scores"],
  [
    "another plan",
    set(["rows", 0, "alternatives", 0, "edits"], () => [
      { feature: "duration", from: explanation.rows[0]!.x[4], to: 30, attribution: 0 },
    ]),
    "scores",
  ],
  ["a bound of the schema", set(["schema", "features", 3], (v: object) => ({ ...v, max: 5 })), "rows"],
  ["the digest of the model", set(["basis", "model", "digest"], () => "0".repeat(64)), "model"],
  ["the digest of the table", set(["basis", "table", "digest"], () => "0".repeat(64)), "table"],
  ["a reason", set(["rows", 0, "attributions", 2], (v: number) => v + 0.1), "rows"],
  ["what an edit weighs", set(["rows", 0, "edits", 0, "attribution"], (v: number) => v / 2), "rows"],
  ["the score that reasons start from", set(["rows", 3, "base"], (v: number) => v - 0.05), "rows"],
  [
    "two reasons, the sum as before",
    (copy) => {
      const free = explanation.schema.features.flatMap(({ name }, k) =>
        [...explanation.rows[0]!.edits, ...explanation.rows[0]!.proposal].some((e) => e.feature === name)
          ? []
          : [k],
      );
      set(["rows", 0, "attributions", free[0]!], (v: number) => v + 0.1)(copy);
      set(["rows", 0, "attributions", free[1]!], (v: number) => v - 0.1)(copy);
    },
    "reasons",
  ],
  [
    "a reason and where reasons start",
    (copy) => {
      set(["rows", 0, "attributions", 0], (v: number) => v + 0.1)(copy);
      set(["rows", 0, "base"], (v: number) => v - 0.1)(copy);
    },
    "reasons",
  ],
  ["what is typical at the goal", set(["rows", 0, "typical", 1], (v: number) => v + 1), "reasons"],
  ["how much a plan changes", set(["rows", 0, "change"], (v: number) => v / 2), "changes"],
  [
    "how much another plan changes",
    set(["rows", 0, "alternatives", 0, "change"], (v: number) => v + 1),
    "changes",
  ],
  ["how far a plan is", set(["rows", 1, "distance", "z"], (v: number) => v / 3), "changes"],
  ["how far a counterfactual is", set(["rows", 1, "distance", "q"], (v: number) => v + 1), "changes"],
  ["the seed", set(["seed"], (v: number) => v + 1), "question"],
  ["the seed among the options", set(["options", "seed"], (v: number) => v + 1), "question"],
  ["the method", set(["method", "coupling"], () => "transport"), "question"],
  ["the version", set(["versions", "cola-xai"], () => "newest"), "question"],
  ["the run hash", set(["runHash"], () => "none"), "form"],
  ["the schema", set(["schema", "features"], () => []), "form"],
  ["a proof of something that has a plan", set(["rows", 0, "proof", "claim"], () => "none exists"), "rows"],
];

const wrong = async (value: unknown, with_ = parts): Promise<CheckName[]> => {
  const { ok, checks } = await checkExplanation(value, with_);
  const found = checks.flatMap((one) => (one.ok === false ? [one.name] : []));
  expect(ok).toBe(found.length === 0);
  return found;
};

describe("an explanation", () => {
  test("as it was written holds in everything, as one text, as lines and in memory", async () => {
    for (const value of [
      explanation,
      JSON.parse(JSON.stringify(explanation)),
      explanationOfLines([...explanationLines(explanation)].map((line) => line.trimEnd())),
    ]) {
      const { ok, checks } = await checkExplanation(value, parts);
      // A question is only answered again by asking it; a file of a model tells no outcomes to be right about.
      const open = checks.filter((one) => one.ok !== true);
      expect(open.map((one) => [one.name, one.ok])).toEqual([
        ["quality", null],
        ["question", null],
      ]);
      expect(ok).toBe(true);
    }
    expect(explanation.rows[0]!.ranges).toHaveLength(1);
    expect(explanation.rows[0]!.alternatives[0]!.edits[0]!.feature).toBe("savings");
  });

  test.each(KINDS)("in which %s was changed is named", async (_, change) => {
    expect(await wrong(changed(change), {})).toContain(
      changed(change).runHash === "none" || _ === "the schema" ? "form" : "content",
    );
  });

  test.each(KINDS)(
    "in which %s and the digest were changed is named against model and table",
    async (_, change, by) => {
      expect(await wrong(changed(change, true))).toContain(by);
    },
  );

  test("what is not at hand is said to be unchecked, not right", async () => {
    const { digest: _, basis: __, ...old } = explanation;
    const { checks } = await checkExplanation(old, {});
    const unchecked = checks.filter((one) => one.ok === null).map(({ name }) => name);
    expect(unchecked).toEqual([
      "content",
      "table",
      "cells",
      "model",
      "scores",
      "changes",
      "reasons",
      "quality",
      "certificate",
      "question",
    ]);
    for (const { why, ok } of checks) if (ok === null) expect(why).toMatch(/^(a|the) /);
    expect(await wrong(42)).toEqual(["form"]);
    expect(await wrong({ schemaVersion: 2, rows: [{}] })).toContain("form");
  });

  test("in which the quality of the model was changed is named where outcomes are at hand", async () => {
    const { table, labels } = loans();
    const outcome = Array.from(labels, (label) => (label ? "granted" : "refused"));
    const labelled = {
      names: [...table.names, "outcome"],
      columns: [...table.columns, outcome],
      rows: table.rows,
    };
    const data = dataOf({ table: { source: "loans", table: labelled }, options: { label: "outcome" } });
    const model = await modelOf({ model: { train: "tree" } }, data, {});
    const asked = studyOf(data, model, { target: "granted", rows: 2 });
    const told = await answered(asked, await explain(questionOf(asked, await posed(asked, {}))), {});
    const against = { data, model: { model: model.model, fitted: model.fitted } };
    const lookedAt = async (value: unknown) =>
      (await checkExplanation(value, against)).checks.find(({ name }) => name === "quality")!.ok;
    expect(told.basis!.model.quality!.trained).toBe(true);
    expect(await lookedAt(told)).toBe(true);
    const copy = JSON.parse(JSON.stringify(told)) as Loose;
    set(["basis", "model", "quality", "accuracy"], () => 0.99)(copy);
    expect(await lookedAt(sealed(copy as unknown as Explanation))).toBe(false);
  });

  test("any one character of its contents is in the digest", () => {
    const seen = new Set(KINDS.map(([, change]) => contentDigest(changed(change))));
    expect(seen.size).toBe(KINDS.length);
    expect(seen.has(explanation.digest!)).toBe(false);
  });
});

describe("a certificate", () => {
  const other = (from: RegExp | string, to: string): CheckParts => {
    expect(certificate).toMatch(from);
    return { ...parts, certificate: { text: certificate.replace(from, to), against } };
  };

  test.each([
    ["its plan", /"z":\[[^\]]*\]/, '"z":[1,2,3]'],
    ["whom it is about", '"id":"A102"', '"id":"A999"'],
    ["what it is", "cola-certificate", "cola-certificat"],
    ["its goal", /"value":0(\.\d+)?/, '"value":-1'],
    ["its end", /.{40}$/, ""],
  ])("in which %s was changed is named", async (_, from, to) => {
    expect(await wrong(explanation, other(from, to))).toEqual(["certificate"]);
  });

  test("that certifies another plan than the one told is named", async () => {
    const lifted = changed((copy) => {
      set(["rows", 0, "edits", 0, "to"], (v: number) => Number((v - 0.1).toFixed(1)))(copy);
      set(["rows", 0, "ranges", 0, "from"], (v: number) => Number((v - 0.1).toFixed(1)))(copy);
    }, true);
    expect(await wrong(lifted)).toContain("certificate");
  });
});

describe.each(["en", "de"])("a letter (%s)", (name) => {
  const letter = () =>
    letterOf(explanation, explanation.rows[0]!, { date: DATE, locale: localeNamed(name), sender: "Bank" });
  const fault = async (text: string) => checkPaper(text, { explanation, localeNamed });

  test("and a report as they were written hold", async () => {
    const report = await reportHtml(explanation, { locale: localeNamed(name) });
    for (const text of [letterHtml(letter()), letterText(letter())])
      expect(await fault(text)).toEqual({ kind: "letter", ok: true });
    expect(await fault(report)).toEqual({ kind: "report", ok: true });
    const dated = await reportHtml(explanation, { locale: localeNamed(name), date: DATE });
    expect(await fault(dated)).toEqual({ kind: "report", ok: true });
    const alone = letterText(
      letterOf(explanation, explanation.rows[0]!, { date: DATE, locale: localeNamed(name) }),
    );
    expect(await fault(alone)).toEqual({ kind: "letter", ok: true });
    expect(paperKind(JSON.stringify(explanation))).toBeUndefined();
  });

  test.each([
    ["a value of the plan", /18[.,]1/, "19.1"],
    ["a score", /0[.,]317/, "0.417"],
    ["a reason", "avings", "ervings"],
    ["the day in words", "31", "30"],
    ["the day below", "2026-05-31", "2026-06-01"],
    ["whom it is about", "A102", "A103"],
    ["who writes", "Bank", "Benk"],
    ["the code", /([0-9A-Z])(-[0-9A-Z]{4}[.<])/, "$1$1"],
    ["the run", explanationHash, "f".repeat(12)],
  ] as const)("in which %s was changed is named", async (_, from, to) => {
    for (const text of [letterHtml(letter()), letterText(letter())]) {
      const pattern = typeof from === "function" ? from() : from;
      expect(text).toMatch(pattern);
      const checked = await fault(text.replace(pattern, to));
      expect(checked?.ok ?? "no letter any more").not.toBe(true);
      if (checked) expect(checked.why).toMatch(/^it(s code)? /);
    }
  });

  test.each([
    ["a plan", /18[.,]1/, "19.1"],
    ["a count", />8</, ">9<"],
    ["a digest", explanationDigest, "f".repeat(12)],
    ["the data of its rows", /(id="data">.{400})./, "$1/"],
    ["its day", /datetime="2026-05-31"/, 'datetime="2026-06-01"'],
    ["its day in words", /31/, "30"],
    ["its code", /([0-9A-Z]{4})-([0-9A-Z]{4})-/, "$2-$1-"],
    ["its script", /<script>/, "<script>alert(1);"],
  ] as const)("whose report has %s changed is named", async (_, from, to) => {
    const report = await reportHtml(explanation, { locale: localeNamed(name), date: DATE });
    const pattern = typeof from === "function" ? from() : from;
    expect(report).toMatch(pattern);
    expect(await fault(report.replace(pattern, to))).toMatchObject({
      kind: "report",
      ok: false,
      why: expect.any(String),
    });
  });
});

function explanationHash(): string {
  return explanation.runHash.slice(0, 12);
}

function explanationDigest(): string {
  return explanation.digest!.slice(0, 12);
}

test("a letter written from another explanation is named", async () => {
  const fewer = { ...study, options: { ...study.options, seed: 3 } };
  const asked = await posed(fewer, {});
  const some = { ...asked, x: takeRows(asked.x, [0]), ids: [asked.ids[0]!], chosen: [asked.chosen[0]!] };
  const { pairs: _, ...plain } = some;
  const other = await answered(fewer, await explain({ ...questionOf(fewer, plain), seed: 3 }), {});
  const text = letterText(letterOf(other, other.rows[0]!, { date: DATE }));
  expect(await checkPaper(text, { explanation, localeNamed })).toMatchObject({
    ok: false,
    why: expect.stringMatching(/code/),
  });
});
