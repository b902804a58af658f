import { formatCell, formatNumber } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { SafeValues } from "../../src/explanation.ts";
import type { Cell, Feature } from "../../src/types.ts";
import type { LegalValues } from "../engine/protocol.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

interface ControlProps {
  readonly id: string;
  readonly studio: Studio;
  readonly feature: Feature;
  readonly legal: LegalValues;
  readonly value: Cell;
  readonly range?: SafeValues;
}

/** Steps up to which a whole number is stepped, not slid. */
const STEPS = 12;

/** A permitted value of a feature, to be tried: one of a list, or a number between its ends. */
export function Control(props: ControlProps) {
  const { locale, say } = useSaid();
  const { studio, feature, legal, value, range } = props;
  const { cells, low = 0, high = 1, step = 0 } = legal;
  if (cells) return <OneOf {...props} cells={cells} />;
  const number = typeof value === "number" ? value : low;
  const to = (next: number, moving = false): void => {
    const inside = Math.min(high, Math.max(low, next));
    studio.actions.attempt(feature.name, step > 0 ? inside : Number(inside.toPrecision(5)), moving);
  };
  const between = { id: props.id, name: labelOf(feature), number, low, high, step, to };
  const isStepped = step > 0 && (high - low) / step <= STEPS;
  return (
    <span className={isStepped ? "stepper" : "slide"}>
      <GoodRange {...(range ? { range } : {})} low={low} high={high} />
      {isStepped ? <Stepper {...between} /> : <Slide {...between} />}
      <small>
        {say("fromTo", {
          low: formatNumber(low, locale),
          high: `${formatNumber(high, locale)}${feature.unit ? ` ${feature.unit}` : ""}`,
        })}
      </small>
    </span>
  );
}

function OneOf({ id, studio, feature, value, cells }: ControlProps & { readonly cells: readonly Cell[] }) {
  const { locale } = useSaid();
  const { attempt } = studio.actions;
  return (
    <select
      id={id}
      value={String(value)}
      onChange={(e) => attempt(feature.name, cells.find((cell) => String(cell) === e.target.value) ?? null)}
    >
      {value === null || !cells.includes(value) ? (
        <option value={String(value)}>{formatCell(value, locale)}</option>
      ) : null}
      {cells.map((cell) => (
        <option key={String(cell)} value={String(cell)}>
          {formatCell(cell, locale)}
        </option>
      ))}
    </select>
  );
}

interface BetweenProps {
  readonly id: string;
  readonly name: string;
  readonly number: number;
  readonly low: number;
  readonly high: number;
  readonly step: number;
  to(next: number, moving?: boolean): void;
}

function Stepper({ id, name, number, low, high, step, to }: BetweenProps) {
  const { say } = useSaid();
  return (
    <>
      <button
        type="button"
        aria-label={say("less", { name })}
        disabled={number <= low}
        onClick={() => to(number - step)}
      >
        −
      </button>
      <input
        id={id}
        type="number"
        value={number}
        min={low}
        max={high}
        step={step}
        onChange={(e) => e.target.value !== "" && to(Number(e.target.value))}
      />
      <button
        type="button"
        aria-label={say("more", { name })}
        disabled={number >= high}
        onClick={() => to(number + step)}
      >
        +
      </button>
    </>
  );
}

function Slide({ id, number, low, high, step, to }: BetweenProps) {
  return (
    <input
      id={id}
      type="range"
      min={low}
      max={high}
      step={step > 0 ? step : "any"}
      value={number}
      onChange={(e) => to(Number(e.target.value), true)}
      onPointerUp={() => to(number)}
    />
  );
}

/** The values that keep the goal with the plan, certified, on the line of all permitted ones. */
function GoodRange({
  range,
  low,
  high,
}: {
  readonly range?: SafeValues;
  readonly low: number;
  readonly high: number;
}) {
  const { say } = useSaid();
  if (!range || typeof range.from !== "number") return null;
  const end = typeof range.to === "number" ? range.to : range.from;
  const [start, stop] = [Math.min(range.from, end), Math.max(range.from, end)];
  const at = (value: number): number => (100 * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
  return (
    <svg className="good-range" width="100%" height="8" role="img" aria-label={say("goodRange")}>
      <title>{say("goodRange")}</title>
      <rect x={`${at(start)}%`} width={`${Math.max(1, at(stop) - at(start))}%`} height="8" rx="3" />
    </svg>
  );
}
