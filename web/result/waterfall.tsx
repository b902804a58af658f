import { featureLabels } from "../../show/figures/labels.ts";
import { formatScore, formatSigned } from "../../show/sentences.ts";
import { type Step, waterfallSteps } from "../../show/steps.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import type { Schema } from "../../src/types.ts";
import { useSaid } from "../words/use-said.ts";

/** From the counterfactuals' score to this person's, feature by feature. */
export function Waterfall({ schema, row }: { readonly schema: Schema; readonly row: ExplainedRow }) {
  const { say, locale } = useSaid();
  const found = waterfallSteps(row, 8);
  if (!found) return <p className="note">{say("noAttributions")}</p>;
  const labels = featureLabels(schema);
  const planned = new Set(row.edits.map((edit) => edit.feature));
  const all = [found.base, ...found.steps.map((step) => step.to)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const at = (value: number): number => (high === low ? 50 : 1 + (98 * (value - low)) / (high - low));
  const nameOf = ({ features }: Step): string =>
    features.length > 1
      ? say("others", { count: String(features.length) })
      : `${planned.has(schema.features[features[0]!]!.name) ? "● " : ""}${labels[features[0]!]!}`;
  const end = (name: string, value: number) => (
    <tr className="end">
      <th scope="row">{name}</th>
      <td>
        <svg aria-hidden="true" width="100%" height="12">
          <rect className="tick" x={`${at(value) - 0.6}%`} width="1.2%" height="12" />
        </svg>
      </td>
      <td>{formatScore(value, [], locale)}</td>
    </tr>
  );
  return (
    <table className="waterfall">
      <caption>{say(found.space === "margin" ? "waterfallMargin" : "waterfallScore")}</caption>
      <colgroup>
        <col className="names" />
        <col />
        <col className="sizes" />
      </colgroup>
      <thead className="unseen">
        <tr>
          <th scope="col">{say("feature")}</th>
          <th scope="col">{say("contribution")}</th>
          <th scope="col">{say("size")}</th>
        </tr>
      </thead>
      <tbody>
        {end(say("counterfactuals"), found.base)}
        {found.steps.map((step) => (
          <tr key={step.features.join()}>
            <th scope="row">{nameOf(step)}</th>
            <td>
              <svg aria-hidden="true" width="100%" height="12">
                <rect
                  className={step.phi < 0 ? "down" : "up"}
                  x={`${Math.min(at(step.from), at(step.to))}%`}
                  width={`${Math.max(0.6, Math.abs(at(step.to) - at(step.from)))}%`}
                  height="12"
                />
              </svg>
            </td>
            <td>{formatSigned(step.phi, locale)}</td>
          </tr>
        ))}
        {end(say("thisPerson"), found.end)}
      </tbody>
    </table>
  );
}
