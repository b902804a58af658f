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
import { takeRows } from "../src/num/matrix.ts";
import type { Cell, Matrix, Table } from "../src/types.ts";
import type { Loaded } from "./inputs.ts";

/** Counterfactual rows as codes of the data's schema. */
export interface References {
  readonly references: Matrix;
  /** Row of `chosen` each belongs to, where the file knows it. */
  readonly pairs?: ArrayLike<number>;
  /** Rows of the data the file speaks of (all, where it does not say), and these as codes. */
  readonly chosen: readonly number[];
  readonly x: Matrix;
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
  if (!source) {
    const groups = sameGroups(data.table, data.groups);
    const { table } = collapseOneHot(await readTableFile(path, options), groups);
    return { references: tableToMatrix(data.schema, table), chosen: everyRow(data), x: data.rows };
  }
  const { rows, pairs } = await given({ constraints: data.constraints, x: data.rows }, source);
  if (rows.rows === 0)
    throw new ColaError("INPUT_EMPTY", `${path}: there is no counterfactual in this file.`, { path });
  if (!pairs) return { references: rows, chosen: everyRow(data), x: data.rows };
  const chosen = [...new Set(pairs)].sort((a, b) => a - b);
  const place = new Map(chosen.map((i, at) => [i, at]));
  return { references: rows, chosen, x: takeRows(data.rows, chosen), pairs: pairs.map((i) => place.get(i)!) };
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
): Promise<Table | undefined> {
  const source = toolFile(path, options.maxBytes);
  if (!source) return collapseOneHot(await readTableFile(path, options), groups).table;
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
