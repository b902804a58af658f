import type { Constraints } from "../../data/constraints.ts";
import { ColaError } from "../../errors.ts";
import { stacked } from "../../num/matrix.ts";
import type { Cell, Matrix, Table } from "../../types.ts";
import { readAlibi } from "./alibi.ts";
import { type DiceCell, type DiceFile, type DiceFrame, readDiceJson } from "./dice.ts";
import { type Frame, type FrameOptions, readFrame } from "./frame.ts";

/**
 * Which factual row each counterfactual belongs to: `aligned` row by row; a column that holds the number of the
 * factual row, counted from 0; or the numbers themselves.
 */
export type Pairing = "aligned" | { readonly column: string } | readonly number[];

/** A table somebody's program wrote: CSV, Parquet, JSON, or the frames of xai-cola. */
export interface TableSource extends FrameOptions {
  readonly format: "table";
  readonly counterfactuals: Table;
  readonly factuals?: Table;
  /** The outcome column, where the tables have one. */
  readonly outcome?: string;
  /** Default: which row belongs to which is not known. */
  readonly pairs?: Pairing;
}

/** The frame `get_counterfactuals` of CARLA returns: encoded, aligned, a row of gaps where it found none. */
export interface CarlaSource extends FrameOptions {
  readonly format: "carla";
  readonly counterfactuals: Table;
  readonly outcome?: string;
}

/** A DiCE file, schema 1 or 2: its text, or as `readDiceJson` read it. */
export interface DiceSource extends FrameOptions {
  readonly format: "dice";
  readonly file: string | DiceFile;
}

/** Alibi explanations as text: one of many rows, or one per row of x, in order. */
export interface AlibiSource extends FrameOptions {
  readonly format: "alibi";
  readonly explanations: string | readonly string[];
  /** Names of the columns, which Alibi does not write. Default: the features of the schema, levels as numbers. */
  readonly columns?: readonly string[];
}

export type GivenSource = TableSource | CarlaSource | DiceSource | AlibiSource;

/** What a source holds, as table rows. */
export interface GivenRows {
  readonly rows: Matrix;
  /** Factual rows of the source. */
  readonly x?: Matrix;
  /** Factual row of each counterfactual: of the source's own where it has any, else of the task's. */
  readonly pairs?: Int32Array;
  /** `rows` must belong to this many factual rows. */
  readonly factuals?: number;
  /** What the source says the outcome of each counterfactual is. */
  readonly labels?: readonly Cell[];
}

export function readSource(constraints: Constraints, source: GivenSource): GivenRows {
  if (source.format === "dice") return readDice(constraints, source);
  if (source.format === "alibi") return readExplanations(constraints, source);
  if (source.format === "carla") return readCarla(constraints, source);
  if (source.format === "table") return readTable(constraints, source);
  throw new ColaError(
    "NAME_UNKNOWN",
    `given: there is no format ${JSON.stringify((source as { format: unknown })?.format)}; there are table, carla, dice, alibi.`,
  );
}

function frameOf(owner: string, table: Table): Frame {
  const rows = Array.from({ length: table.rows }, (_, i) => table.columns.map((column) => column[i] ?? null));
  return { owner, names: table.names, rows };
}

function columnOf(frame: Frame, name: string, what: string): Cell[] {
  const at = frame.names.indexOf(name);
  if (at >= 0) return frame.rows.map((row) => row[at]!);
  throw new ColaError(
    "SCHEMA_INVALID",
    `${frame.owner}: the ${what} column ${JSON.stringify(name)} is missing; the columns are ${frame.names.join(", ")}. Add it, or do not name it.`,
    { column: name, columns: frame.names },
  );
}

function readTable(constraints: Constraints, source: TableSource): GivenRows {
  const { outcome, pairs } = source;
  const frame = frameOf("table", source.counterfactuals);
  const column = pairs && typeof pairs === "object" && "column" in pairs ? pairs.column : undefined;
  const numbers =
    column !== undefined
      ? columnOf(frame, column, "pair").map(Number)
      : pairs === "aligned"
        ? frame.rows.map((_, t) => t)
        : (pairs as readonly number[] | undefined);
  const ignore = [outcome, column].filter((name) => name !== undefined);
  const options = { ...source, ignore: [...(source.ignore ?? []), ...ignore] };
  if (numbers && numbers.length !== frame.rows.length) {
    throw new ColaError(
      "PAIRS_INVALID",
      `table: there are ${numbers.length} pairs for ${frame.rows.length} counterfactuals; give one factual row per counterfactual.`,
      { pairs: numbers.length, rows: frame.rows.length },
    );
  }
  return {
    rows: readFrame(constraints, frame, options),
    ...(source.factuals
      ? { x: readFrame(constraints, frameOf("table of factuals", source.factuals), options) }
      : {}),
    ...(numbers ? { pairs: wholePairs(numbers) } : {}),
    ...(pairs === "aligned" ? { factuals: frame.rows.length } : {}),
    ...(outcome !== undefined ? { labels: columnOf(frame, outcome, "target") } : {}),
  };
}

function wholePairs(numbers: readonly number[]): Int32Array {
  const wrong = numbers.findIndex((v) => !(Number.isInteger(v) && v >= 0));
  if (wrong < 0) return Int32Array.from(numbers);
  throw new ColaError(
    "PAIRS_INVALID",
    `table: counterfactual ${wrong} is said to belong to row ${numbers[wrong]}; rows are whole numbers counted from 0.`,
    { row: wrong, value: String(numbers[wrong]) },
  );
}

function readCarla(constraints: Constraints, source: CarlaSource): GivenRows {
  const all = frameOf("carla", source.counterfactuals);
  if (source.outcome !== undefined) columnOf(all, source.outcome, "target");
  const gap = (cell: Cell): boolean => cell === null || Number.isNaN(cell);
  const at = source.outcome === undefined ? -1 : all.names.indexOf(source.outcome);
  const found = all.rows.flatMap((row, t) => (row.every((cell, c) => gap(cell) || c === at) ? [] : [t]));
  const frame = { ...all, rows: found.map((t) => all.rows[t]!) };
  const ignore = [...(source.ignore ?? []), ...(source.outcome === undefined ? [] : [source.outcome])];
  return {
    rows: readFrame(constraints, frame, { ...source, ignore }),
    pairs: Int32Array.from(found),
    factuals: all.rows.length,
    ...(at >= 0 ? { labels: frame.rows.map((row) => row[at]!) } : {}),
  };
}

const plain = (cell: DiceCell): Cell => (typeof cell === "bigint" ? Number(cell) : cell);

function readDice(constraints: Constraints, source: DiceSource): GivenRows {
  const { examples } = typeof source.file === "string" ? readDiceJson(source.file) : source.file;
  const parts = (frames: readonly DiceFrame[], outcome: string): Matrix[] =>
    frames.map(({ names, rows }) => {
      const frame = { owner: "dice", names, rows: rows.map((row) => row.map(plain)) };
      return readFrame(constraints, frame, { ...source, ignore: [...(source.ignore ?? []), outcome] });
    });
  const pairs: number[] = [];
  const labels: Cell[] = [];
  const found: Matrix[] = [];
  const factuals: Matrix[] = [];
  examples.forEach(({ factual, counterfactuals, outcome }, i) => {
    if (factual.rows.length !== 1) {
      throw new ColaError(
        "TABLE_INVALID",
        `dice: instance ${i} has ${factual.rows.length} factual rows; DiCE writes one per instance.`,
        { instance: i, rows: factual.rows.length },
      );
    }
    factuals.push(...parts([factual], outcome));
    if (!counterfactuals || counterfactuals.rows.length === 0) return;
    found.push(...parts([counterfactuals], outcome));
    const at = counterfactuals.names.indexOf(outcome);
    for (const row of counterfactuals.rows) {
      pairs.push(i);
      labels.push(plain(row[at]!));
    }
  });
  const cols = constraints.schema.features.length;
  return { rows: stacked(found, cols), x: stacked(factuals, cols), pairs: Int32Array.from(pairs), labels };
}

function readExplanations(constraints: Constraints, source: AlibiSource): GivenRows {
  const names = source.columns ?? constraints.schema.features.map(({ name }) => name);
  const texts = typeof source.explanations === "string" ? [source.explanations] : source.explanations;
  const read = texts.map(readAlibi);
  const frame = (rows: readonly (readonly Cell[])[]): Matrix => {
    const wrong = rows.findIndex((row) => row.length !== names.length);
    if (wrong >= 0) {
      throw new ColaError(
        "INPUT_SHAPE",
        `alibi: row ${wrong} has ${rows[wrong]!.length} cells for the columns ${names.join(", ")}; name the columns of the file in \`columns\`, in its order.`,
        { row: wrong, cells: rows[wrong]!.length, columns: names },
      );
    }
    return readFrame(constraints, { owner: "alibi", names, rows }, { codes: true, ...source });
  };
  const each = read.flatMap(({ counterfactuals }) => counterfactuals);
  const pairs = each.flatMap((rows, i) => rows.map(() => i));
  const factuals = read.map((one) => one.factuals);
  return {
    rows: frame(each.flat()),
    ...(factuals.every((rows) => rows !== undefined) ? { x: frame(factuals.flat()) } : {}),
    pairs: Int32Array.from(pairs),
    factuals: each.length,
  };
}
