import { readFileBytes } from "../node/files.ts";
import { type ReadTableFileOptions, readTableFile } from "../node/tables.ts";
import { decodeText } from "../src/data/csv.ts";
import { collapseOneHot, type OneHotGroup, type OneHotOptions } from "../src/data/one-hot.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import { type DiceFrame, readDiceJson } from "../src/generate/given/dice.ts";
import type { GivenSource } from "../src/generate/given/source.ts";
import { toolSource } from "../src/generate/given/tool.ts";
import { given } from "../src/generate/given.ts";
import { matrix, takeRows } from "../src/num/matrix.ts";
import type { Cell, Matrix, Table } from "../src/types.ts";
import type { Loaded } from "./inputs.ts";

/** Counterfactual rows as codes of the data's schema. */
export interface References {
  readonly references: Matrix;
  /** Row of `chosen` each belongs to, where the file knows it. */
  readonly pairs?: ArrayLike<number>;
  /** Rows of the data the file has counterfactuals of (all, where it does not say), and these as codes. */
  readonly chosen: readonly number[];
  readonly x: Matrix;
  /** Rows of the data for which the file says that none was found. */
  readonly none: readonly number[];
  /** What a person should know of the file. */
  readonly notes: readonly string[];
}

/** Largest DiCE or Alibi file unless the options say otherwise. */
const MAX_BYTES = 2 ** 28;

/** What a JSON file of another tool is, by the fields only that tool writes. */
function toolFile(path: string, maxBytes = MAX_BYTES): GivenSource | undefined {
  if (!/\.json$/i.test(path)) return undefined;
  return toolSource(decodeText(readFileBytes(path, maxBytes), path));
}

/** Counterfactuals of a file: a table, a DiCE file or an Alibi explanation. */
export async function loadReferences(
  path: string,
  data: Loaded,
  options: ReadTableFileOptions,
): Promise<References> {
  const source = toolFile(path, options.maxBytes);
  if (!source) return tableReferences(path, data, await readTableFile(path, options));
  const made = await given({ constraints: data.constraints, x: data.rows }, source);
  const { rows, pairs, factuals = [] } = made;
  if (rows.rows === 0) throw noCounterfactual(path);
  const notes = illegalNotes(data, pairs, made.report.details["illegal"] as readonly Illegal[]);
  if (!pairs) return { ...unpaired(data, rows), notes };
  return paired(path, data, rows, pairs, { factuals, notes });
}

/** A table: paired by the id column where both have it, or row by row where it leaves rows empty as CARLA does. */
function tableReferences(path: string, data: Loaded, whole: Table): References {
  const { table, kept } = filledRows(whole, data.idColumn);
  if (kept.length === 0) throw noCounterfactual(path);
  const groups = sameGroups(data.table, data.groups);
  const rows = tableToMatrix(data.schema, collapseOneHot(table, groups).table);
  const ids = data.ids && data.idColumn ? whole.columns[whole.names.indexOf(data.idColumn)] : undefined;
  if (ids) {
    const place = placesOf(path, data.ids!);
    const filled = new Set(kept);
    const aligned = whole.rows === data.rows.rows;
    const named = ids.flatMap((id, t) =>
      id !== null || filled.has(t) ? [place(id, t)] : aligned ? [t] : [],
    );
    const pairs = kept.map((t) => place(ids[t]!, t));
    return paired(path, data, rows, pairs, {
      factuals: named,
      notes: othersNote(path, data, new Set(named).size),
    });
  }
  const empty = whole.rows - kept.length;
  if (empty === 0) return unpaired(data, rows);
  if (whole.rows === data.rows.rows)
    return paired(path, data, rows, kept, { factuals: everyRow(data), notes: [] });
  const told = `${path}: ${empty} of ${whole.rows} rows are empty and not read; name the id column (--id) to say whose they are.`;
  return { ...unpaired(data, rows), notes: [told] };
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
function placesOf(path: string, ids: readonly Cell[]): (id: Cell, t: number) => number {
  const places = new Map<string, number[]>();
  ids.forEach((id, i) => {
    const key = String(id);
    places.set(key, [...(places.get(key) ?? []), i]);
  });
  return (id, t) => {
    const found = places.get(String(id)) ?? [];
    if (found.length === 1) return found[0]!;
    const many = found.length > 1;
    throw new ColaError(
      "PAIRS_INVALID",
      `${path}: row ${t} belongs to ${JSON.stringify(id)}, ${many ? `but rows ${found[0]} and ${found[1]} of the data have this id` : "but no row of the data has this id"}; ${many ? "give every row its own id" : "correct the id"}, or leave --id out to pair rows by their values.`,
      { row: t, id },
    );
  };
}

function othersNote(path: string, data: Loaded, spoken: number): string[] {
  const others = data.rows.rows - spoken;
  if (others === 0) return [];
  return [`${others} of ${data.rows.rows} rows of the data are not in ${path} and are not explained.`];
}

function unpaired(data: Loaded, references: Matrix): References {
  return { references, chosen: everyRow(data), x: data.rows, none: [], notes: [] };
}

/** References that belong to rows of the data; rows the file speaks of without any are named. */
function paired(
  path: string,
  data: Loaded,
  references: Matrix,
  pairs: ArrayLike<number>,
  { factuals, notes }: { readonly factuals: ArrayLike<number>; readonly notes: readonly string[] },
): References {
  const sorted = (rows: Iterable<number>): number[] => [...new Set(rows)].sort((a, b) => a - b);
  const chosen = sorted(Array.from(pairs));
  const place = new Map(chosen.map((i, at) => [i, at]));
  const none = sorted(Array.from(factuals)).filter((i) => !place.has(i));
  const named = none.slice(0, SHOWN).map((i) => String(data.ids?.[i] ?? `row ${i}`));
  const more = none.length > SHOWN ? `, and ${none.length - SHOWN} more` : "";
  return {
    references,
    chosen,
    x: takeRows(data.rows, chosen),
    pairs: Array.from(pairs, (i) => place.get(i)!),
    none,
    notes: [
      ...notes,
      ...(none.length > 0 ? [`${path} has no counterfactual for ${named.join(", ")}${more}.`] : []),
    ],
  };
}

/**
 * The same with the rows for which none was found: each has itself as its only reference, which changes nothing,
 * so it is told as a row without a plan.
 */
export function withUnfound(found: References, data: Loaded): References {
  const { none, pairs } = found;
  if (none.length === 0 || !pairs) return found;
  const chosen = [...found.chosen, ...none].sort((a, b) => a - b);
  const place = new Map(chosen.map((i, at) => [i, at]));
  const own = takeRows(data.rows, none);
  const { data: cells, cols } = found.references;
  return {
    ...found,
    chosen,
    x: takeRows(data.rows, chosen),
    references: matrix(pairs.length + none.length, cols, joinedCells(cells, own.data)),
    pairs: [...Array.from(pairs, (at) => place.get(found.chosen[at]!)!), ...none.map((i) => place.get(i)!)],
    none: [],
  };
}

function joinedCells(first: Float64Array, second: Float64Array): Float64Array {
  const all = new Float64Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Rows a note names. */
const SHOWN = 5;

interface Illegal {
  readonly row: number;
  readonly problems: readonly string[];
}

/** Counterfactuals that are no legal edits of their rows, in words. */
function illegalNotes(
  { ids }: Loaded,
  pairs: ArrayLike<number> | undefined,
  illegal: readonly Illegal[],
): string[] {
  const told = illegal.slice(0, SHOWN).map(({ row, problems }) => {
    const owner = pairs?.[row];
    const whose = owner === undefined ? "" : ` of ${ids?.[owner] ?? `row ${owner}`}`;
    return `Counterfactual ${row}${whose} breaks the constraints: ${problems.join("; ")}.`;
  });
  const more = illegal.length - told.length;
  return more > 0 ? [...told, `${more} more counterfactuals break the constraints.`] : told;
}

function noCounterfactual(path: string): ColaError {
  return new ColaError("INPUT_EMPTY", `${path}: there is no counterfactual in this file.`, { path });
}

/** Indicator columns of the counterfactuals become the features that those of the data became, and no others. */
export function sameGroups({ names }: Table, groups: readonly OneHotGroup[] = []): OneHotOptions {
  return { groups, features: names, keep: names };
}

const everyRow = ({ rows }: Loaded): number[] => Array.from({ length: rows.rows }, (_, i) => i);

/** The counterfactuals as cells, for their levels; nothing where the file has no column names. */
export async function referenceTable(
  path: string,
  options: ReadTableFileOptions,
  groups: OneHotOptions,
  id?: string,
): Promise<Table | undefined> {
  const source = toolFile(path, options.maxBytes);
  if (!source) return collapseOneHot(filledRows(await readTableFile(path, options), id).table, groups).table;
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
