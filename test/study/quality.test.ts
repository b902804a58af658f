import { expect, test } from "vitest";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model } from "../../src/types.ts";
import type { Data } from "../../study/parts.ts";
import { qualityOf } from "../../study/quality.ts";

/** A table whose first column is the score, with ties; the second class is likelier where it is high. */
function tableOf(seed: number, rows: number): { readonly data: Data; readonly scores: readonly number[] } {
  const random = stream(seed, "quality");
  const scores = Array.from({ length: rows }, () => random.int(8) / 8);
  const labels = Int32Array.from(scores, (score) => Number(random.next() < score));
  const data = { rows: fromRows(scores.map((score) => [score])), labels, classes: ["no", "yes"] };
  return { data: data as unknown as Data, scores };
}

const model = (outputs: readonly string[]): { readonly model: Model } => ({
  model: {
    outputs,
    predict: (rows: Matrix, output = outputs.length - 1) =>
      Float64Array.from(rows.data, (v) => (outputs[output] === "no" ? 1 - v : v)),
  },
});

test("accuracy, area and calibration are what counting every pair and every row gives", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { data, scores } = tableOf(seed, 30 + seed);
    const labels = [...data.labels!];
    const found = await qualityOf(data, model(["no", "yes"]), "yes", {});
    const own = scores.filter((_, i) => labels[i] === 1);
    const others = scores.filter((_, i) => labels[i] === 0);
    const wins = own.flatMap((a) => others.map((b): number => (a > b ? 1 : a === b ? 0.5 : 0)));
    expect(found.auc).toBeCloseTo(wins.reduce((a, b) => a + b, 0) / wins.length, 12);
    const right = scores.filter((score, i) => Number(score > 0.5) === labels[i]).length;
    expect(found.accuracy).toBe(right / scores.length);
    expect(found.bins.reduce((sum, bin) => sum + bin.rows, 0)).toBe(scores.length);
    const mean = found.bins.reduce((sum, bin) => sum + bin.rows * bin.score, 0) / scores.length;
    expect(mean).toBeCloseTo(scores.reduce((a, b) => a + b, 0) / scores.length, 12);
    const share = found.bins.reduce((sum, bin) => sum + bin.rows * bin.share, 0) / scores.length;
    expect(share).toBeCloseTo(own.length / scores.length, 12);
    expect([found.roc[0], found.roc.at(-1)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    const turned = await qualityOf(data, model(["no", "yes"]), "no", {});
    expect(turned.auc).toBeCloseTo(found.auc, 12);
    expect((await qualityOf(data, model(["yes", "no"]), "yes", {})).auc, "outputs by name").toBe(found.auc);
  }
});

test("without outcomes, or with outputs that are none of them, it is said what to do", async () => {
  const { data } = tableOf(1, 20);
  const { labels: _, ...unknown } = data;
  await expect(qualityOf(unknown as Data, model(["no", "yes"]), "yes", {})).rejects.toThrow(/known outcome/);
  await expect(qualityOf(data, model(["a", "b", "c"]), "yes", {})).rejects.toThrow(/name the outputs so/);
});
