import { edgesOf, formatCell, formatNumber } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation, SafeValues } from "../../src/explanation.ts";
import type { Cell, Feature } from "../../src/types.ts";
import type { Dependence as Told } from "../engine/told.ts";
import { useSaid } from "../words/use-said.ts";
import { scoreText } from "./words.ts";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 170, 40, 12, 16, 36];
/** Levels whose names stand below the curve, and how much of each. */
const [NAMED, LETTERS] = [5, 12];

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
  readonly numbers: boolean;
  x(value: number): number;
  y(score: number): number;
}

function scaleOf({ at, own, mean }: Told, edges: readonly number[], outputs: number): Scale {
  const scores = [...own, ...mean, ...edges];
  const share = outputs > 1 || scores.every((score) => score >= 0 && score <= 1);
  const [bottom, top] = share ? [0, 1] : [Math.min(...scores), Math.max(...scores)];
  const numbers = at.every((cell) => typeof cell === "number");
  const [low, high] = numbers ? [at[0] as number, at.at(-1) as number] : [0, at.length - 1];
  const across = WIDTH - LEFT - RIGHT;
  return {
    ...{ low, high, bottom, top, numbers },
    x: (value) => LEFT + (across * (value - low)) / Math.max(high - low, 1e-12),
    y: (score) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (score - bottom) / Math.max(top - bottom, 1e-12)),
  };
}

/** The score over the values of one feature: this person's, the average of the table, the goal, and the certified range. */
export function Dependence({ explanation, feature, told, value, score, range }: Props) {
  const { say, locale } = useSaid();
  const { at, own, mean } = told;
  const edges = edgesOf(explanation.goal, explanation.outputs.length);
  const scale = scaleOf(told, edges, explanation.outputs.length);
  const { numbers, x, y } = scale;
  const path = (line: readonly number[]): string =>
    line
      .map(
        (v, i) => `${i === 0 ? "M" : "L"}${x(numbers ? (at[i] as number) : i).toFixed(1)},${y(v).toFixed(1)}`,
      )
      .join("");
  const across = numbers ? (typeof value === "number" ? value : null) : placeOf(at, value);
  const dot = across === null || score === null ? null : ([across, score] as const);
  const ends = numbers && range && typeof range.from === "number" ? rangeOf(range, scale) : null;
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
        <Axes scale={scale} edges={edges} feature={feature} at={at} />
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
  readonly at: readonly Cell[];
}

/** Scores up, values across with their unit, and the line of the goal. */
function Axes({ scale, edges, feature, at }: AxesProps) {
  const { say, locale } = useSaid();
  const { low, high, bottom, top, numbers, x, y } = scale;
  const ticks = numbers
    ? [low, (low + high) / 2, high].map((v) => ({ v, text: formatNumber(v, locale) }))
    : at.slice(0, NAMED).map((cell, v) => ({ v, text: formatCell(cell, locale).slice(0, LETTERS) }));
  const anchor = (i: number): "start" | "middle" | "end" =>
    i === 0 ? "start" : numbers && i === ticks.length - 1 ? "end" : "middle";
  return (
    <>
      <path className="rail" d={`M${LEFT},${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`} />
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

const placeOf = (at: readonly Cell[], value: Cell): number | null => {
  const i = at.indexOf(value);
  return i < 0 ? null : i;
};

function rangeOf({ from, to }: SafeValues, { low, high }: Scale): readonly [number, number] {
  const start = from as number;
  const end = typeof to === "number" ? to : start;
  const inside = (v: number): number => Math.min(high, Math.max(low, v));
  return [inside(Math.min(start, end)), inside(Math.max(start, end))];
}
