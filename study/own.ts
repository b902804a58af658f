import { decodeText } from "../src/data/csv.ts";
import { rowNote } from "../src/data/input-levels.ts";
import { firstOf, Note, type NoteValue } from "../src/data/notes.ts";
import { collapseOneHot, type OneHotGroup, type OneHotOptions } from "../src/data/one-hot.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import { countGiven } from "../src/generate/given/count.ts";
import { type DiceFrame, readDiceJson } from "../src/generate/given/dice.ts";
import { toolSource } from "../src/generate/given/tool.ts";
import { given } from "../src/generate/given.ts";
import { matrix, takeRows } from "../src/num/matrix.ts";
import type { Cell, Matrix, Table } from "../src/types.ts";
import type { Data, Own } from "./parts.ts";

/** Counterfactual rows as codes of the data's schema. */
export interface OwnRows {
  readonly references: Matrix;
  /** Row of `chosen` each belongs to, where the file knows it. */
  readonly pairs?: readonly number[];
  /** Rows of the data the file has counterfactuals of (all, where it does not say), and these as codes. */
  readonly chosen: readonly number[];
  readonly x: Matrix;
  /** Rows of the data for which the file says that none was found. */
  readonly none: readonly number[];
  /** What a person should know of the file. */
  readonly notes: readonly Note[];
}

/** The file of another tool, known by the fields only that tool writes, or a table as the door reads it. */
export async function readOwn(
  name: string,
  bytes: () => Uint8Array,
  read: () => Promise<Table>,
): Promise<Own> {
  const source = /\.json$|(^|[\\/])[^.\\/]*$/i.test(name) ? toolSource(decodeText(bytes(), name)) : undefined;
  return source ? { name, source } : { name, table: await read() };
}

/** Counterfactuals in the file. */
export function countOwn(own: Own): number {
  return "table" in own ? own.table.rows : countGiven(own.source);
}

/** Counterfactuals as rows of the data's schema, with the rows they belong to where the file says so. */
export async function ownRows(own: Own, data: Data): Promise<OwnRows> {
  if ("table" in own) return tableRows(own.name, own.table, data);
  const made = await given({ constraints: data.constraints, x: data.rows }, own.source);
  const { rows, pairs, factuals = [] } = made;
  if (rows.rows === 0) throw noCounterfactual(own.name);
  const notes = illegalNotes(data, pairs, made.report.details["illegal"] as readonly Illegal[]);
  return pairs
    ? paired(own.name, data, rows, pairs, { factuals, notes })
    : { ...unpaired(data, rows), notes };
}

/** A table: paired by the id column where both have it, or row by row where it leaves rows empty as CARLA does. */
function tableRows(name: string, whole: Table, data: Data): OwnRows {
  const { table, kept } = filledRows(whole, data.idColumn);
  if (kept.length === 0) throw noCounterfactual(name);
  const rows = tableToMatrix(data.schema, collapseOneHot(table, sameGroups(data.table, data.groups)).table);
  const ids = data.ids && data.idColumn ? whole.columns[whole.names.indexOf(data.idColumn)] : undefined;
  const aligned = whole.rows === data.rows.rows;
  if (ids) {
    const place = placesOf(name, data.ids!);
    const filled = new Set(kept);
    const factuals = ids.flatMap((id, t) =>
      id !== null || filled.has(t) ? [place(id, t)] : aligned ? [t] : [],
    );
    const pairs = kept.map((t) => place(ids[t]!, t));
    return paired(name, data, rows, pairs, {
      factuals,
      notes: othersNote(name, data, new Set(factuals).size),
    });
  }
  const empty = whole.rows - kept.length;
  if (empty === 0) return unpaired(data, rows);
  if (aligned) return paired(name, data, rows, kept, { factuals: everyRow(data), notes: [] });
  const note = new Note("emptyRows", { file: name, count: empty, all: whole.rows });
  return { ...unpaired(data, rows), notes: [note] };
}

/** The rows that have a value beside their id, and their numbers. */
function filledRows(table: Table, id: string | undefined): { table: Table; kept: number[] } {
  const columns = table.columns.filter((_, k) => table.names[k] !== id);
  const kept = Array.from({ length: table.rows }, (_, t) => t).filter((t) =>
    columns.some((column) => column[t] !== null),
  );
  if (kept.length === table.rows) return { table, kept };
  const some = table.columns.map((column) => kept.map((t) => column[t]!));
  return { table: { names: table.names, columns: some, rows: kept.length }, kept };
}

/** The row of the data with an id. */
function placesOf(name: string, ids: readonly Cell[]): (id: Cell, t: number) => number {
  const places = new Map<string, number[]>();
  ids.forEach((id, i) => {
    const found = places.get(String(id));
    if (found) found.push(i);
    else places.set(String(id), [i]);
  });
  return (id, t) => {
    const found = places.get(String(id)) ?? [];
    if (found.length === 1) return found[0]!;
    const many = found.length > 1;
    throw new ColaError(
      "PAIRS_INVALID",
      `${name}: row ${t} belongs to ${JSON.stringify(id)}, ${many ? `but rows ${found[0]} and ${found[1]} of the data have this id` : "but no row of the data has this id"}; ${many ? "give every row its own id" : "correct the id"}, or leave options.id out to pair rows by their values.`,
      { row: t, id },
    );
  };
}

function othersNote(name: string, { rows: { rows } }: Data, spoken: number): Note[] {
  if (rows === spoken) return [];
  return [new Note("othersUnexplained", { count: rows - spoken, all: rows, file: name })];
}

function unpaired(data: Data, references: Matrix): OwnRows {
  return { references, chosen: everyRow(data), x: data.rows, none: [], notes: [] };
}

/** References that belong to rows of the data; rows the file speaks of without any are named. */
function paired(
  name: string,
  data: Data,
  references: Matrix,
  pairs: ArrayLike<number>,
  { factuals, notes }: { readonly factuals: ArrayLike<number>; readonly notes: readonly Note[] },
): OwnRows {
  const chosen = sorted(Array.from(pairs));
  const place = new Map(chosen.map((i, at) => [i, at]));
  const none = sorted(Array.from(factuals)).filter((i) => !place.has(i));
  const people = firstOf(
    none.map((i) => nameOf(data.ids, i)),
    SHOWN,
  );
  const missing = none.length > 0 ? [new Note("noCounterfactual", { file: name, rows: people })] : [];
  return {
    references,
    chosen,
    x: takeRows(data.rows, chosen),
    pairs: Array.from(pairs, (i) => place.get(i)!),
    none,
    notes: [...notes, ...missing],
  };
}

const sorted = (rows: Iterable<number>): number[] => [...new Set(rows)].sort((a, b) => a - b);

/**
 * The same with the rows for which none was found: each has itself as its only reference, which changes nothing,
 * so it is shown as a row without a plan.
 */
export function withUnfound(found: OwnRows, data: Data): OwnRows {
  const { none, pairs } = found;
  if (none.length === 0 || !pairs) return found;
  const chosen = sorted([...found.chosen, ...none]);
  const place = new Map(chosen.map((i, at) => [i, at]));
  const cells = new Float64Array((pairs.length + none.length) * found.references.cols);
  cells.set(found.references.data);
  cells.set(takeRows(data.rows, none).data, found.references.data.length);
  return {
    ...found,
    chosen,
    x: takeRows(data.rows, chosen),
    references: matrix(pairs.length + none.length, found.references.cols, cells),
    pairs: [...pairs.map((at) => place.get(found.chosen[at]!)!), ...none.map((i) => place.get(i)!)],
    none: [],
  };
}

/** Rows a note names. */
const SHOWN = 5;

const nameOf = (ids: Data["ids"], row: number): NoteValue => (ids ? String(ids[row]) : rowNote(row));

interface Illegal {
  readonly row: number;
  readonly problems: readonly string[];
}

/** Counterfactuals that are no legal edits of their rows. */
function illegalNotes(
  { ids }: Data,
  pairs: ArrayLike<number> | undefined,
  illegal: readonly Illegal[],
): Note[] {
  const shown = illegal.slice(0, SHOWN).map(({ row, problems }) => {
    const owner = pairs?.[row];
    const values = { row: String(row), problems: problems.join("; ") };
    return owner === undefined
      ? new Note("illegal", values)
      : new Note("illegalOf", { ...values, owner: nameOf(ids, owner) });
  });
  const count = illegal.length - shown.length;
  return count > 0 ? [...shown, new Note("moreIllegal", { count })] : shown;
}

function noCounterfactual(name: string): ColaError {
  return new ColaError("INPUT_EMPTY", `${name}: there is no counterfactual in this file.`, { path: name });
}

/** Indicator columns of the counterfactuals become the features that those of the data became, and no others. */
function sameGroups({ names }: Table, groups: readonly OneHotGroup[]): OneHotOptions {
  return { groups, features: names, keep: names };
}

const everyRow = ({ rows }: Data): number[] => Array.from({ length: rows.rows }, (_, i) => i);

/** The counterfactuals as cells, for their levels; nothing where the file has no column names. */
export function ownTable(
  own: Own,
  data: Table,
  groups: readonly OneHotGroup[],
  id: string | undefined,
): Table | undefined {
  if ("table" in own) return collapseOneHot(filledRows(own.table, id).table, sameGroups(data, groups)).table;
  const { source } = own;
  if (source.format !== "dice" || typeof source.file !== "string") return undefined;
  const frames = readDiceJson(source.file).examples.map((example) => example.counterfactuals);
  return stacked(frames.filter((frame) => frame !== null));
}

function stacked(frames: readonly DiceFrame[]): Table {
  const names = frames[0]?.names ?? [];
  const rows = frames.flatMap((frame) => frame.rows);
  const plain = (cell: DiceFrame["rows"][number][number]): Cell =>
    typeof cell === "bigint" ? Number(cell) : cell;
  return { names, rows: rows.length, columns: names.map((_, k) => rows.map((row) => plain(row[k]!))) };
}
