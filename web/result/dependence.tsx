import { edgesOf, formatCell, formatNumber } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation, SafeValues } from "../../src/explanation.ts";
import type { Cell, Feature } from "../../src/types.ts";
import type { Dependence as Told } from "../engine/told.ts";
import { useSaid } from "../words/use-said.ts";
import { scoreText } from "./words.ts";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 178, 40, 12, 24, 36];

/** Letters of a level that has its name beside its rail, not above. */
const SHORT = 16;

interface Props {
  readonly explanation: Explanation;
  readonly feature: Feature;
  readonly told: Told;
  /** The value the model answered for, and its answer. */
  readonly value: Cell;
  readonly score: number | null;
  /** Values that keep the goal with the plan, certified. */
  readonly range?: SafeValues;
}

/** Where values and scores stand in the drawing. */
interface Scale {
  readonly low: number;
  readonly high: number;
  readonly bottom: number;
  readonly top: number;
  x(value: number): number;
  y(score: number): number;
}

function scaleOf({ at, own, mean }: Told, edges: readonly number[], outputs: number): Scale {
  const scores = [...own, ...mean, ...edges];
  const share = outputs > 1 || scores.every((score) => score >= 0 && score <= 1);
  const [bottom, top] = share ? [0, 1] : [Math.min(...scores), Math.max(...scores)];
  const [low, high] = [at[0] as number, at.at(-1) as number];
  const across = WIDTH - LEFT - RIGHT;
  return {
    ...{ low, high, bottom, top },
    x: (value) => LEFT + (across * (value - low)) / Math.max(high - low, 1e-12),
    y: (score) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (score - bottom) / Math.max(top - bottom, 1e-12)),
  };
}

/** The score over the values of one feature: this person's, the average of the table, the goal, and the certified range. */
export function Dependence(props: Props) {
  return props.told.at.every((cell) => typeof cell === "number") ? (
    <Curve {...props} />
  ) : (
    <Levels {...props} />
  );
}

/** Levels have no line between them: each with its name, and the two scores on one rail. */
function Levels({ explanation, feature, told, value }: Props) {
  const { say, locale } = useSaid();
  const { at, own, mean, rows } = told;
  const edges = edgesOf(explanation.goal, explanation.outputs.length);
  const { bottom, top } = scaleOf(told, edges, explanation.outputs.length);
  const x = (score: number): string => `${2 + (96 * (score - bottom)) / Math.max(top - bottom, 1e-12)}%`;
  const long = at.some((cell) => formatCell(cell, locale).length > SHORT);
  return (
    <figure className={`dependence levels ${long ? "long" : ""}`}>
      <ul aria-label={labelOf(feature)}>
        {at.map((cell, i) => (
          <li key={String(cell)} className={cell === value ? "here" : ""}>
            <span>{formatCell(cell, locale)}</span>
            <svg width="100%" height="16" aria-hidden="true">
              <line className="rail" x1="2%" x2="98%" y1="8" y2="8" />
              {edges.map((edge) => (
                <line key={edge} className="edge" x1={x(edge)} x2={x(edge)} y1="0" y2="16" />
              ))}
              <line className="mean" x1={x(mean[i]!)} x2={x(mean[i]!)} y1="3" y2="13" />
              <circle className="own" cx={x(own[i]!)} cy="8" r="4.5" />
            </svg>
            <output>{scoreText(explanation, own[i]!, locale)}</output>
          </li>
        ))}
      </ul>
      <figcaption>
        {say(edges.length > 0 ? "levelsKeyGoal" : "levelsKey", {
          output: explanation.output,
          rows: String(rows),
          goal: edges.map((edge) => formatNumber(edge, locale)).join(", "),
        })}
      </figcaption>
    </figure>
  );
}

function Curve({ explanation, feature, told, value, score, range }: Props) {
  const { say, locale } = useSaid();
  const { at, own, mean } = told;
  const edges = edgesOf(explanation.goal, explanation.outputs.length);
  const scale = scaleOf(told, edges, explanation.outputs.length);
  const { x, y } = scale;
  const path = (line: readonly number[]): string =>
    line.map((v, i) => `${i === 0 ? "M" : "L"}${x(at[i] as number).toFixed(1)},${y(v).toFixed(1)}`).join("");
  const dot = typeof value !== "number" || score === null ? null : ([value, score] as const);
  const ends = range && typeof range.from === "number" ? rangeOf(range, scale) : null;
  const name = labelOf(feature);
  const label = say("curveOf", {
    name,
    low: scoreText(explanation, Math.min(...own), locale),
    high: scoreText(explanation, Math.max(...own), locale),
  });
  return (
    <figure className="dependence">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {ends ? (
          <rect
            className="certified"
            x={x(ends[0])}
            width={Math.max(2, x(ends[1]) - x(ends[0]))}
            y={TOP}
            height={HEIGHT - TOP - BOTTOM}
          >
            <title>{say("goodRange")}</title>
          </rect>
        ) : null}
        <Axes scale={scale} edges={edges} feature={feature} output={explanation.output} />
        <path className="mean" d={path(mean)} />
        <path className="own" d={path(own)} />
        {dot ? (
          <circle className="here" cx={x(dot[0])} cy={y(dot[1])} r="5">
            <title>{`${name} ${formatCell(value, locale)}`}</title>
          </circle>
        ) : null}
      </svg>
      <figcaption>{say(ends ? "curveKeyRange" : "curveKey", { rows: String(told.rows) })}</figcaption>
    </figure>
  );
}

interface AxesProps {
  readonly scale: Scale;
  readonly edges: readonly number[];
  readonly feature: Feature;
  readonly output: string;
}

/** Scores up, values across with their unit, and the line of the goal. */
function Axes({ scale, edges, feature, output }: AxesProps) {
  const { say, locale } = useSaid();
  const { low, high, bottom, top, x, y } = scale;
  const ticks = [low, (low + high) / 2, high].map((v) => ({ v, text: formatNumber(v, locale) }));
  const anchor = (i: number): "start" | "middle" | "end" => (i === 0 ? "start" : i === 1 ? "middle" : "end");
  return (
    <>
      <path className="rail" d={`M${LEFT},${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`} />
      <text x="2" y="10">
        {output}
      </text>
      {[bottom, top].map((v) => (
        <text key={v} x={LEFT - 5} y={y(v) + 4} textAnchor="end">
          {formatNumber(Number(v.toPrecision(3)), locale)}
        </text>
      ))}
      {edges.map((edge) => (
        <g key={edge}>
          <line className="edge" x1={LEFT} x2={WIDTH - RIGHT} y1={y(edge)} y2={y(edge)} />
          <text x={WIDTH - RIGHT} y={y(edge) - 4} textAnchor="end">
            {say("threshold", { value: formatNumber(edge, locale) })}
          </text>
        </g>
      ))}
      {ticks.map(({ v, text }, i) => (
        <text key={v} x={x(v)} y={HEIGHT - BOTTOM + 14} textAnchor={anchor(i)}>
          {text}
        </text>
      ))}
      <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 6} textAnchor="middle">
        {labelOf(feature)}
        {feature.unit ? ` (${feature.unit})` : ""}
      </text>
    </>
  );
}

function rangeOf({ from, to }: SafeValues, { low, high }: Scale): readonly [number, number] {
  const start = from as number;
  const end = typeof to === "number" ? to : start;
  const inside = (v: number): number => Math.min(high, Math.max(low, v));
  return [inside(Math.min(start, end)), inside(Math.max(start, end))];
}
