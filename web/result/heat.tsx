import { featureLabels } from "../../show/figures/labels.ts";
import type { Locale } from "../../show/locales/contract.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { useSaid } from "../words/use-said.ts";
import { changeText, personName, SIGNS, signOf } from "./words.ts";

/** Lines of a heat map; with more people a line stands for several. */
const LINES = 60;
const [CELL, GAP, SIDE] = [14, 2, 8];
/** Pixels a unit of the drawing may have: few features must not become huge. */
const SCALE = 1.5;

interface Props {
  readonly explanation: Explanation;
  /** Is the cell edited? Rows by position, features by position. */
  readonly edited: (row: number, feature: number) => boolean;
  readonly title: string;
  readonly features: readonly number[];
  /** Looks at a person, by position; the table of people does the same by keys. */
  readonly onPerson: (position: number) => void;
}

/** Rows down, features across: which cells change and in which direction. */
export function Heat({ explanation, edited, title, features, onPerson }: Props) {
  const { say, locale } = useSaid();
  const { rows, schema } = explanation;
  const labels = featureLabels(schema);
  const per = Math.max(1, Math.ceil(rows.length / LINES));
  const lines = Math.ceil(rows.length / per);
  const head = 14 + 4.9 * Math.max(...features.map((k) => Math.min(18, labels[k]!.length)), 0);
  const width = SIDE + features.length * (CELL + GAP);
  const height = head + lines * 7;
  const cells = Array.from({ length: lines }, (_, b) => {
    const from = b * per;
    const size = Math.min(per, rows.length - from);
    return features.map((k) => shareOf(explanation, edited, from, size, k));
  });
  const count = cells.flat().filter((cell) => cell.share > 0).length;
  const each = per === 1 ? "" : say("heatLines", { people: String(per) });
  return (
    <figure className="heat">
      <figcaption>
        {title}
        {each === "" ? null : <small>{each}</small>}
      </figcaption>
      <svg
        viewBox={`0 0 ${width + 44} ${height}`}
        style={{ maxWidth: `${SCALE * (width + 44)}px` }}
        role="img"
        aria-label={say("heatLabel", { title, cells: String(count) })}
      >
        {features.map((k, c) => (
          <text
            key={schema.features[k]!.name}
            transform={`translate(${SIDE + c * (CELL + GAP) + CELL / 2 + 3},${head - 6}) rotate(-55)`}
          >
            {labels[k]!.slice(0, 18)}
          </text>
        ))}
        {cells.map((line, b) =>
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
              <title>{toldOf(explanation, b * per, features[c]!, locale)}</title>
            </rect>
          )),
        )}
      </svg>
    </figure>
  );
}

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
      {(["up", "down", "other"] as const).map((sign) => (
        <li key={sign}>
          <i className={`swatch ${sign}`} aria-hidden="true" />
          {SIGNS[sign]} {locale.words[sign]}
        </li>
      ))}
    </ul>
  );
}

function shareOf(
  { rows, schema }: Explanation,
  edited: Props["edited"],
  from: number,
  size: number,
  k: number,
): { share: number; sign: string } {
  const counts = { up: 0, down: 0, other: 0 };
  const name = schema.features[k]!.name;
  for (let i = from; i < from + size; i++) {
    if (!edited(i, k)) continue;
    const row = rows[i]!;
    const edit = row.edits.find((e) => e.feature === name) ?? row.proposal.find((e) => e.feature === name);
    if (edit) counts[signOf(schema, edit)]++;
  }
  const all = counts.up + counts.down + counts.other;
  const sign =
    counts.up >= counts.down && counts.up >= counts.other
      ? "up"
      : counts.down >= counts.other
        ? "down"
        : "other";
  return { share: all / size, sign };
}
