import { memo, useMemo } from "react";
import { featureLabels } from "../../show/figures/labels.ts";
import type { Locale } from "../../show/locales/contract.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { useSaid } from "../words/use-said.ts";
import { changeText, personName, SIGNS } from "./words.ts";

/** Lines of a heat map; with more people a line stands for several. */
const LINES = 60;
const [CELL, GAP, SIDE] = [14, 2, 8];
/** Letters of a name above the columns, and what one takes upwards and across. */
const [LETTERS, UP, ACROSS] = [32, 4.9, 3.5];
/** Pixels a unit of the drawing may have: few features must not become huge. */
const SCALE = 1.5;
const SIGN_NAMES = ["up", "down", "other"] as const;

/** Edited cells, one after the other: positions of rows and features, and which way each changes. */
export interface HeatCells {
  readonly rows: Int32Array;
  readonly features: Int32Array;
  /** Place among `SIGN_NAMES`. */
  readonly signs: Uint8Array;
}

export const signCode = (sign: keyof typeof SIGNS): number => SIGN_NAMES.indexOf(sign);

interface Props {
  readonly explanation: Explanation;
  readonly cells: HeatCells;
  /** How many of the cells count, the first first. */
  readonly count?: number;
  readonly title: string;
  readonly features: readonly number[];
  /** Looks at a person, by position; the table of people does the same by keys. */
  readonly onPerson: (position: number) => void;
}

/** Rows down, features across: which cells change and in which direction. */
export const Heat = memo(function Heat(props: Props) {
  const { explanation, cells, count = cells.rows.length, title, features, onPerson } = props;
  const { say, locale } = useSaid();
  const { rows, schema } = explanation;
  const labels = featureLabels(schema);
  const per = Math.max(1, Math.ceil(rows.length / LINES));
  const lines = Math.ceil(rows.length / per);
  const longest = Math.max(...features.map((k) => Math.min(LETTERS, labels[k]!.length)), 0);
  const head = 14 + UP * longest;
  const width = SIDE + features.length * (CELL + GAP);
  const whole = width + Math.max(44, ACROSS * longest);
  const height = head + lines * 7;
  const shares = useMemo(
    () => sharesOf(cells, count, lines, per, features, rows.length),
    [cells, count, lines, per, features, rows.length],
  );
  const told = useMemo(
    () =>
      Array.from({ length: lines }, (_, b) => features.map((k) => toldOf(explanation, b * per, k, locale))),
    [explanation, lines, per, features, locale],
  );
  const marked = shares.flat().filter((cell) => cell.share > 0).length;
  const each = per === 1 ? "" : say("heatLines", { people: String(per) });
  return (
    <figure className="heat">
      <figcaption>
        {title}
        {each === "" ? null : <small>{each}</small>}
      </figcaption>
      <svg
        viewBox={`0 0 ${whole} ${height}`}
        style={{ maxWidth: `${SCALE * whole}px` }}
        role="img"
        aria-label={say("heatLabel", { title, cells: String(marked) })}
      >
        {features.map((k, c) => (
          <text
            key={schema.features[k]!.name}
            transform={`translate(${SIDE + c * (CELL + GAP) + CELL / 2 + 3},${head - 6}) rotate(-55)`}
          >
            {labels[k]!.length > LETTERS ? `${labels[k]!.slice(0, LETTERS - 1)}…` : labels[k]}
            <title>{labels[k]}</title>
          </text>
        ))}
        {shares.map((line, b) =>
          line.map((cell, c) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: a person is opened by keys in the table
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: cells keep their place
              key={`${b}-${c}`}
              onClick={() => onPerson(b * per)}
              className={cell.share > 0 ? cell.sign : "none"}
              x={SIDE + c * (CELL + GAP)}
              y={head + b * 7}
              width={CELL}
              height={6}
              fillOpacity={cell.share > 0 ? 0.35 + 0.65 * cell.share : 1}
            >
              <title>{told[b]![c]}</title>
            </rect>
          )),
        )}
      </svg>
    </figure>
  );
});

/** Whom a cell is of, and what changes there. */
function toldOf({ rows, schema }: Explanation, at: number, k: number, locale: Locale): string {
  const row = rows[at]!;
  const feature = schema.features[k]!;
  const edit = [...row.edits, ...row.proposal].find((one) => one.feature === feature.name);
  const what = edit ? changeText(schema, edit, locale) : labelOf(feature);
  return `${personName(row, locale)}: ${what}`;
}

/** The key of the colours: a sign stands beside each. */
export function HeatKey() {
  const { locale } = useSaid();
  return (
    <ul className="key">
      {SIGN_NAMES.map((sign) => (
        <li key={sign}>
          <i className={`swatch ${sign}`} aria-hidden="true" />
          {SIGNS[sign]} {locale.words[sign]}
        </li>
      ))}
    </ul>
  );
}

/** Of each line and feature: the share of its people who change it, and the usual direction. */
function sharesOf(
  { rows: at, features: of, signs }: HeatCells,
  count: number,
  lines: number,
  per: number,
  features: readonly number[],
  rows: number,
): { share: number; sign: keyof typeof SIGNS }[][] {
  const place = new Map(features.map((k, c) => [k, c]));
  const counts = new Uint32Array(lines * features.length * SIGN_NAMES.length);
  const start = (line: number, c: number): number => (line * features.length + c) * SIGN_NAMES.length;
  for (let t = 0; t < count; t++) {
    const c = place.get(of[t]!);
    if (c !== undefined) counts[start(Math.floor(at[t]! / per), c) + signs[t]!]!++;
  }
  return Array.from({ length: lines }, (_, b) =>
    features.map((_k, c) => {
      const [up = 0, down = 0, other = 0] = counts.subarray(start(b, c), start(b, c) + SIGN_NAMES.length);
      const sign = up >= down && up >= other ? "up" : down >= other ? "down" : "other";
      return { share: (up + down + other) / Math.min(per, rows - b * per), sign };
    }),
  );
}
