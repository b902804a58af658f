import { ColaError, isColaError, isLimit, messageOf } from "../src/errors.ts";
import type { ExplainedRow } from "../src/explanation.ts";
import { joinedBy } from "../src/run/merge.ts";
import type { Cell, Table, WorkOptions } from "../src/types.ts";
import { answerOf, explained, factualRows, posed, questionOf, type Rows, type Study } from "./study.ts";

/** What is said of one row by itself: nothing in it depends on the rows beside it. */
export type Line = Readonly<Record<string, unknown>> & { readonly status: ExplainedRow["status"] };

/**
 * One line per row, in order, the same whatever rows are asked together. A row that cannot be read, or that the model
 * fails on, is a line like others.
 */
export async function linesOf(study: Study, table: Table, work: WorkOptions): Promise<Line[]> {
  const joint = joinedBy(
    questionOf(study, { chosen: [], x: study.data.rows, ids: [], references: study.data.rows }),
  );
  if (joint !== undefined) {
    throw new ColaError(
      "OPTION_INVALID",
      `study: its ${joint} joins the rows, so that they cannot be explained line by line; leave out effect, budget, coupling and policy.`,
      { joint },
    );
  }
  try {
    const rows = factualRows(study, table);
    const names = namesOf(study, table);
    // A row without a name would be numbered, and numbers would count the rows asked together.
    const lines = await linesFor(study, { ...rows, ids: rows.ids.map((_, i) => names?.[i] ?? 0) }, work);
    return lines.map(({ id, ...line }, i) =>
      names?.[i] == null ? (line as Line) : ({ id, ...line } as Line),
    );
  } catch (error) {
    if (!isColaError(error) || error.code === "ABORTED" || isLimit(error)) throw error;
    if (table.rows === 1) return [failed(study, table, error)];
    const middle = table.rows >> 1;
    const first = await linesOf(study, rowsOf(table, 0, middle), work);
    return [...first, ...(await linesOf(study, rowsOf(table, middle, table.rows), work))];
  }
}

async function linesFor(study: Study, rows: Rows, work: WorkOptions): Promise<Line[]> {
  const asked = await posed(study, work, rows);
  const { pairs } = asked;
  const own = new Set(pairs ? Array.from(pairs) : []);
  const alone = pairs && rows.chosen.length > 1 ? rows.chosen.filter((_, i) => !own.has(i)) : [];
  const made = answerOf(study, await explained(study, asked, work));
  const lines = made.rows.map(lineOf);
  // A row for which nothing was generated borrows from those of others, unless it is asked by itself.
  for (const i of alone) {
    const one = { chosen: [i], x: rowAt(rows, i), ids: [rows.ids[i]!] };
    const again = await explained(study, await posed(study, work, one), work);
    lines[i] = lineOf(answerOf(study, again).rows[0]!);
  }
  return lines;
}

const rowAt = ({ x }: Rows, i: number) => ({
  data: x.data.slice(i * x.cols, (i + 1) * x.cols),
  rows: 1,
  cols: x.cols,
});

/** A row without its number and those of references, which count the rows asked together. */
function lineOf({ row: _, reference: __, proof, ...rest }: ExplainedRow): Line {
  if (!proof) return { ...rest, proof };
  const { references, ...said } = proof;
  return { ...rest, proof: references ? { ...said, references: references.length } : said };
}

/** What the rows of a table call themselves, if they do. */
function namesOf({ options: { id } }: Study, table: Table): readonly Cell[] | undefined {
  return id === undefined ? undefined : table.columns[table.names.indexOf(id)];
}

function failed(study: Study, table: Table, error: ColaError): Line {
  const name = namesOf(study, table)?.[0] ?? null;
  const status = error.code.startsWith("PREDICT_") ? "model_error" : "invalid_input";
  return { ...(name === null ? {} : { id: name }), status, reason: messageOf(error), edits: [] };
}

function rowsOf({ names, columns }: Table, from: number, to: number): Table {
  return { names, columns: columns.map((column) => column.slice(from, to)), rows: to - from };
}
