import { startWork } from "../../src/budget.ts";
import { decodeCell, encodeCell, hasLevels, levelsOf } from "../../src/data/schema.ts";
import { scorer } from "../../src/model/scorer.ts";
import { slackOf } from "../../src/model/slack.ts";
import { reachOf } from "../../src/model/target.ts";
import { matrix, rowOf } from "../../src/num/matrix.ts";
import type { Cell, Feature } from "../../src/types.ts";
import type { LegalValues } from "./protocol.ts";
import { type Finished, shownTarget } from "./run.ts";
import type { Dependence } from "./told.ts";

/** Values of a number on the curve, and rows of the table its mean is taken over. */
const [POINTS, ROWS] = [33, 128];

/** The score over the values of one feature: of this person as tried otherwise, and on average over rows of the table. */
export async function dependenceOf(
  run: Finished,
  position: number,
  legal: LegalValues,
  tried: Readonly<Record<string, Cell>>,
  also: readonly number[] = [],
): Promise<Dependence> {
  const { study, x } = run;
  const { data, model } = study;
  const { features } = data.schema;
  const k = features.findIndex(({ name }) => name === legal.feature);
  const own = rowOf(x, position).slice();
  features.forEach((feature, c) => {
    if (c !== k && Object.hasOwn(tried, feature.name)) own[c] = encodeCell(feature, tried[feature.name]!, 0);
  });
  const codes = codesOf(features[k]!, legal, [own[k]!, ...also]);
  const some = Math.min(ROWS, data.rows.rows);
  const rows = [
    own,
    ...Array.from({ length: some }, (_, t) => rowOf(data.rows, Math.floor((t * data.rows.rows) / some))),
  ];
  const all = matrix(rows.length * codes.length, x.cols);
  rows.forEach((row, r) => {
    codes.forEach((code, v) => {
      const start = (r * codes.length + v) * x.cols;
      all.data.set(row, start);
      all.data[start + k] = code;
    });
  });
  const reach = reachOf(model.model, shownTarget(run));
  const ask = scorer(model.model, startWork("score", {}));
  const { shown } = await slackOf(ask, data.constraints.complete(all), reach, true);
  const mean = codes.map((_, v) => {
    let sum = 0;
    for (let r = 1; r < rows.length; r++) sum += shown[r * codes.length + v]!;
    return sum / some;
  });
  return {
    feature: legal.feature,
    at: codes.map((code) => decodeCell(features[k]!, code)),
    own: Array.from(shown.subarray(0, codes.length)),
    mean,
    rows: some,
  };
}

/** All levels, or values from the smallest to the largest, the person's own among them. */
function codesOf(
  feature: Feature,
  { cells, low = 0, high = 1, step = 0 }: LegalValues,
  also: readonly number[],
): number[] {
  if (hasLevels(feature)) return levelsOf(feature).map((_, code) => code);
  if (feature.kind === "boolean") return [0, 1];
  const told = cells?.filter((cell): cell is number => typeof cell === "number");
  const between = Array.from({ length: POINTS }, (_, i) => {
    const value = low + ((high - low) * i) / (POINTS - 1);
    return step > 0 ? low + step * Math.round((value - low) / step) : value;
  });
  const values = [...(told ?? between), ...also.filter((value) => value >= low && value <= high)];
  return [...new Set(values)].sort((a, b) => a - b);
}
