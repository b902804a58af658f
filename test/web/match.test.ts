import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ColaError } from "../../src/errors.ts";
import { matrix } from "../../src/num/matrix.ts";
import type { Matrix } from "../../src/types.ts";
import type { ModelFileSource } from "../../study/parts.ts";
import { infoOf, openData } from "../../web/engine/data.ts";
import { type Loaded, matched } from "../../web/engine/model-files.ts";
import { NOT_CHOSEN } from "../../web/engine/protocol.ts";
import { openModelFile } from "../../web/engine/read.ts";
import { german } from "../../web/words/de.ts";
import { inPageWords } from "../../web/words/page-words.ts";
import { saidIn } from "../../web/words/said.ts";

const csv = (text: string) => openData({ name: "own.csv", bytes: new TextEncoder().encode(text) }, {});
const table = () => csv("einkommen,schulden,summe,stadt,y\n1,2,3,A,0\n2,3,4,B,1\n3,1,5,A,1\n");

/** A model of so many inputs that have no names. */
function nameless(inputs: number): Loaded {
  const predict = (rows: Matrix): Float64Array => {
    if (rows.cols !== inputs)
      throw new ColaError("INPUT_SHAPE", `the model reads ${inputs} columns, not ${rows.cols}.`, {
        expected: inputs,
      });
    return new Float64Array(rows.rows);
  };
  const model = { outputs: ["score"], predict };
  return {
    source: { file: "m.onnx", content: { model }, bytes: new Uint8Array() } as unknown as ModelFileSource,
  };
}

test("a model without names has as many inputs as it reads, and none is taken for a column by itself", async () => {
  const opened = await table();
  const { match } = await matched(opened, { features: {} }, nameless(2), {});
  expect(match!.inputs).toEqual([
    { name: "1", spec: null },
    { name: "2", spec: null },
  ]);
  expect(match!.wrong).toBe("binding: inputs 1, 2 of the model have no column yet; choose one for each.");
  const some = matrix(1, 2);
  expect(nameless(2).source.content.model.predict(some)).toHaveLength(1);
});

test("to choose the column of one input chooses none for the others; when all are chosen the model can be asked", async () => {
  const opened = await csv(
    "einkommen,schulden,summe,dauer,beruf,bildung,zweck,y\n1,2,3,4,a,b,c,0\n2,3,4,5,b,a,d,1\n",
  );
  const bytes = new Uint8Array(readFileSync("examples/parts/xgboost.json"));
  const source = await openModelFile({ name: "xgboost.json", bytes });
  const names = source.content.model.inputs!;
  const chosen = (count: number): Loaded => ({
    source,
    encoding: { inputs: names.map((_, i) => (i < count ? { feature: "summe" } : NOT_CHOSEN)) },
  });
  const one = await matched(opened, { features: {} }, chosen(1), {});
  expect(one.match!.inputs.filter(({ spec }) => spec)).toEqual([
    { name: names[0], spec: { feature: "summe" } },
  ]);
  expect(one.match!.wrong).toMatch(/^binding: inputs .* have no column yet/);
  expect(saidIn(german).tell(inPageWords(one.match!.wrong!))).toMatch(
    /^Die Eingaben .* haben noch keine Spalte/,
  );
  const last = await matched(opened, { features: {} }, chosen(names.length - 1), {});
  expect(last.match!.wrong).toMatch(/^binding: input \S+ of the model has no column yet/);
  const all = await matched(opened, { features: {} }, chosen(names.length), {});
  expect(all.match!.wrong).toBe(null);
});

test("gaps of columns are known, so that it can be said what a model reads there", async () => {
  const opened = await csv("a,b,c,y\n1,,x,0\n2,3,,1\n,4,x,1\n4,5,x,1\n");
  expect(infoOf(opened).gaps).toEqual(["a", "b", "c"]);
  expect(infoOf(await table()).gaps).toEqual([]);
});

test("a name that is nearly one of the table is asked after in the language of the page", async () => {
  const source = await openModelFile({
    name: "xgboost.json",
    bytes: new Uint8Array(readFileSync("examples/parts/xgboost.json")),
  });
  const { match } = await matched(
    await csv("incomes,depts,y\n1,2,0\n2,3,1\n"),
    { features: {} },
    { source },
    {},
  );
  const told = saidIn(german).tell(inPageWords(match!.wrong!));
  expect(told).toContain('(meinten Sie "incomes"?)');
  expect(told).not.toMatch(/did you mean/);
});
