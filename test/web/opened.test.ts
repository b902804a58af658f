import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { letterHtml } from "../../show/letter/html.ts";
import { letterOf } from "../../show/letter/letter.ts";
import { letterText } from "../../show/letter/text.ts";
import { de } from "../../show/locales/de.ts";
import { en } from "../../show/locales/en.ts";
import { reportHtml } from "../../show/report/report.ts";
import { readCsv } from "../../src/data/csv.ts";
import { sealed } from "../../src/digest.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { answered } from "../../study/answer.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf, readModelSource } from "../../study/model.ts";
import { posed, questionOf, studyOf } from "../../study/study.ts";
import { calls } from "../../web/engine/calls.ts";
import type { FileKind, GivenFile } from "../../web/engine/protocol.ts";
import { kindOf } from "../../web/engine/sort.ts";
import { defaultChoices } from "../../web/settings.ts";
import { type VerdictOf, verdictOf } from "../../web/state/verdict.ts";
import { certificateOf } from "../support/certificate-of.ts";

const part = (name: string): GivenFile => ({
  name,
  bytes: new Uint8Array(readFileSync(`examples/parts/${name}`)),
});
const fileOf = (name: string, content: unknown): GivenFile => ({
  name,
  bytes: new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content)),
});
const settings = { ...defaultChoices, model: "file", overlay: {} };
const work = {};
let run: Explanation;
let certificate: string;

beforeAll(async () => {
  const source = await readModelSource("xgboost.json", part("xgboost.json").bytes, {
    outputs: ["refused", "granted"],
  });
  const table = { source: "loans.csv", table: readCsv(new TextDecoder().decode(part("loans.csv").bytes)) };
  const data = dataOf({ table, inputs: source.content.model.inputs ?? "all", options: { id: "id" } });
  const model = await modelOf({ model: source }, data, {});
  const study = studyOf(data, model, { target: "granted", rows: 6, id: "id", alternatives: 2 });
  const asked = await posed(study, {});
  run = await answered(study, await explain(questionOf(study, asked)), {});
  certificate = await certificateOf(run, data, model.model);
}, 60_000);

/** Opens a file of a run as the page does, with table and model of the loans beside it unless told otherwise. */
async function verdict(
  file: GivenFile,
  beside: { table?: string; model?: boolean; certificate?: string; settings?: object } = {},
): Promise<{ verdict: VerdictOf; wrong: string[]; open: string[] }> {
  const { table = new TextDecoder().decode(part("loans.csv").bytes), model = true } = beside;
  if (table === "") await calls.embedded({}, work);
  else await calls.open({ ...fileOf("loans.csv", table), id: "id" }, work);
  if (model) {
    await calls.model({ ...part("xgboost.json"), overlay: {} }, work);
    await calls.match({ overlay: {}, outputs: ["refused", "granted"] }, work);
  }
  await calls.restore(file, work);
  const given = beside.certificate ? { certificate: fileOf("certificate.json", beside.certificate) } : {};
  const { checks } = await calls.check({ ...settings, ...beside.settings, ...given }, work);
  const named = (ok: boolean | null) => checks.filter((one) => one.ok === ok).map(({ name }) => name);
  return { verdict: verdictOf(checks), wrong: named(false), open: named(null) };
}

type Rows = { rows: { edits: object[]; x: object }[] };
const changed = (change: (copy: never) => void, knowing = false): GivenFile => {
  const copy = JSON.parse(JSON.stringify(run)) as Explanation;
  change(copy as never);
  return fileOf("explanation.json", knowing ? sealed(copy) : copy);
};
const KINDS: readonly (readonly [string, (copy: Explanation & Rows) => void, string])[] = [
  ["a score", ({ rows }) => Object.assign(rows[0]!, { before: 0.4 }), "rows"],
  [
    "a score and where its reasons start",
    ({ rows: [row] }) => Object.assign(row!, { before: row!.before! + 0.05, base: row!.base! + 0.05 }),
    "scores",
  ],
  ["the score of a plan", ({ rows }) => Object.assign(rows[1]!, { after: 0.51 }), "scores"],
  ["a planned value", ({ rows }) => Object.assign(rows[0]!.edits[0]!, { to: 19.9 }), "rows"],
  ["a cell", ({ rows }) => Object.assign(rows[2]!.x, { 1: 99 }), "scores"],
  ["whose row it is", ({ rows }) => Object.assign(rows[0]!, { id: "A999" }), "cells"],
  ["a row left out", ({ rows }) => void rows.pop(), "totals"],
  ["a total", ({ totals }) => Object.assign(totals, { valid: 1 }), "totals"],
  [
    "the goal",
    ({ goal }) => Object.assign((goal as never as { target: object }).target, { class: "refused" }),
    "scores",
  ],
  [
    "the digest of the model",
    ({ basis }) => Object.assign(basis!.model, { digest: "0".repeat(64) }),
    "model",
  ],
  [
    "the digest of the table",
    ({ basis }) => Object.assign(basis!.table, { digest: "0".repeat(64) }),
    "table",
  ],
];

describe("a run that is opened in the studio", () => {
  test("is held against itself, the table, the model and the certificate beside it", async () => {
    const file = fileOf("explanation.json", run);
    expect(await verdict(file, { certificate })).toEqual({
      verdict: "holds",
      wrong: [],
      open: ["quality", "question"],
    });
    expect(await verdict(file)).toEqual({
      verdict: "holds",
      wrong: [],
      open: ["quality", "certificate", "question"],
    });
  });

  test.each(KINDS)("in which %s was changed is not opened", async (_, change) => {
    await expect(verdict(changed(change as never))).rejects.toThrow(/it was changed after it was written/);
  });

  test.each(KINDS)("in which %s and the digest were changed is named", async (_, change, by) => {
    const opened = verdict(changed(change as never, true));
    if (by === "totals" || by === "rows") await expect(opened).rejects.toThrow(/not as it was written/);
    else expect((await opened).wrong).toContain(by);
    if (by === "scores") expect((await opened).verdict).toBe("changed");
  });

  test("of another table or model is said to be of another, never to be changed", async () => {
    const file = fileOf("explanation.json", run);
    const table = new TextDecoder().decode(part("loans.csv").bytes).split("\n").slice(0, 40).join("\n");
    const other = await verdict(file, { table });
    expect(other.verdict).toBe("other");
    expect(other.wrong).toContain("table");
    const embedded = await verdict(file, { table: "", settings: { model: "logistic" } });
    expect(embedded, "the example that happens to be open says nothing").toEqual({
      verdict: "holds",
      wrong: [],
      open: ["table", "cells", "model", "scores", "changes", "reasons", "quality", "certificate", "question"],
    });
  });

  test("of a model trained here is scored again by training it again", async () => {
    await calls.embedded({}, work);
    const trained = { ...settings, model: "tree", rows: 5, target: "" };
    const { explanation } = await calls.run(trained, work);
    const file = fileOf("explanation.json", explanation);
    const again = await verdict(file, { table: "", model: false, settings: trained });
    expect(again).toEqual({ verdict: "holds", wrong: [], open: ["cells", "certificate", "question"] });
    const another = await verdict(file, {
      table: "",
      model: false,
      settings: { ...trained, model: "forest" },
    });
    expect([another.verdict, another.wrong]).toEqual(["other", expect.arrayContaining(["model"])]);
  });

  test.each([
    ["its plan", /"z":\[[^\]]*\]/, '"z":[1,2,3]'],
    ["whom it is about", '"id":"A102"', '"id":"A999"'],
    ["its end", /.{40}$/, ""],
  ])("with a certificate in which %s was changed is named", async (_, from, to) => {
    expect(certificate).toMatch(from);
    const opened = await verdict(fileOf("explanation.json", run), {
      certificate: certificate.replace(from, to),
    });
    expect(opened).toMatchObject({ verdict: "changed", wrong: ["certificate"] });
  });

  test.each([en, de])("says of letters and reports whether they are its own (%#)", async (locale) => {
    const file = fileOf("explanation.json", run);
    await verdict(file);
    const letter = letterOf(run, run.rows[0]!, { date: "2026-05-31", locale, sender: "Bank" });
    const report = await reportHtml(run, { locale });
    const said = async (name: string, text: string) =>
      calls.paper({ ...fileOf(name, text), locales: [en, de], codes: {} }, work);
    const papers = {
      "letter.html": letterHtml(letter),
      "letter.txt": letterText(letter),
      "report.html": report,
    };
    for (const [name, text] of Object.entries(papers)) {
      expect(await said(name, text)).toMatchObject({ name, ok: true });
      const bent = text.replace("A102", "A103");
      expect(bent).not.toBe(text);
      expect(await said(name, bent)).toMatchObject({ ok: false, why: expect.any(String) });
    }
    await expect(said("page.html", "<!doctype html><p>Hello</p>")).rejects.toThrow(
      /neither a letter nor a report/,
    );
  });
});

test("each file is what its content says, certificates, letters and reports among them", async () => {
  const letter = letterOf(run, run.rows[0]!, { date: "2026-05-31", locale: en });
  const files: readonly (readonly [GivenFile, FileKind])[] = [
    [fileOf("a.json", run), "explanation"],
    [fileOf("b.json", certificate), "certificate"],
    [fileOf("c.html", letterHtml(letter)), "paper"],
    [fileOf("d.txt", letterText(letter)), "paper"],
    [fileOf("e.txt", "a,b\n1,2\n"), "table"],
    [part("loans.csv"), "table"],
    [part("xgboost.json"), "model"],
    [part("encoding.json"), "encoding"],
    [part("constraints.json"), "constraints"],
    [part("dice.json"), "counterfactuals"],
  ];
  for (const [file, kind] of files) expect(await kindOf(file), file.name).toBe(kind);
});
