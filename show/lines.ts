import type { ExplainedRow, Explanation } from "../src/explanation.ts";

/** Rows above which an explanation is written as lines: one JSON text of more would be too long to hold. */
export const MOST_ROWS = 20_000;

/** What is said before the rows, and what is known once all of them are done. */
type Totals = Pick<
  Explanation,
  "curve" | "effect" | "coupling" | "attribution" | "totals" | "realism" | "digest"
>;

/**
 * An explanation as lines of JSON: what was asked (all but rows and totals), each row, and what all rows give together.
 * Every line ends with a line break, so that a file that was cut off is told from a whole one.
 */
export function* explanationLines(explanation: Explanation): Generator<string> {
  const { rows, ...rest } = explanation;
  const { first, last } = outerLines(rest);
  yield first;
  for (const row of rows) yield line(row);
  yield last;
}

/** The lines before and after those of the rows. */
export function outerLines(told: Omit<Explanation, "rows">): {
  readonly first: string;
  readonly last: string;
} {
  const { curve, effect, coupling, attribution, totals, realism, digest, ...head } = told;
  return {
    first: line(head),
    last: line({
      ...{ curve, effect, coupling, attribution, totals },
      ...(realism ? { realism } : {}),
      ...(digest ? { digest } : {}),
    } satisfies Totals),
  };
}

/** A value as a line of JSON. */
export const line = (value: object): string => `${JSON.stringify(value)}\n`;

/** The explanation that lines speak of; undefined where they are not those of one, or not all of them. */
export function explanationOfLines(lines: Iterable<string>): unknown {
  let head: object | undefined;
  let last: object | undefined;
  const rows: ExplainedRow[] = [];
  for (const text of lines) {
    if (text === "") continue;
    const value = JSON.parse(text) as object;
    if (last) rows.push(last as ExplainedRow);
    if (head) last = value;
    else head = value;
  }
  if (!head || !last || !("totals" in last) || "rows" in head) return undefined;
  const { totals } = last as Totals;
  return totals.rows === rows.length ? { ...head, rows, ...last } : undefined;
}

/** Is this a first line, and not a JSON text of several lines or of one? */
export function beginsLines(bytes: Uint8Array): boolean {
  const end = bytes.indexOf(10);
  if (end <= 1 || end === bytes.length - 1) return false;
  return bytes[0] === 123 && bytes[bytes[end - 1] === 13 ? end - 2 : end - 1] === 125;
}

/** The lines of a file, one after another: the whole of it need not fit into one text. */
export function* linesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    yield decoder.decode(bytes.subarray(from, to));
    from = to + 1;
  }
}
