import { ColaError } from "../errors.ts";
import type { Cell, Table } from "../types.ts";

/** Indicator columns that were found to be one feature. */
export interface OneHotGroup {
  readonly feature: string;
  readonly columns: readonly string[];
  readonly levels: readonly string[];
  /** Level of the rows in which all indicators are 0, where the encoding dropped one. */
  readonly dropped?: string;
}

export interface OneHotOptions {
  /** Columns that stay as they are: the outcome, the id, what a schema calls a feature. */
  readonly keep?: readonly string[];
  /**
   * The only features that may come of indicator columns; of these one level may have no column. Default: all
   * groups that are found.
   */
  readonly features?: readonly string[];
  /** Groups found in another table: the same columns become the same features here. */
  readonly groups?: readonly OneHotGroup[];
}

/** Level given to the indicator column that an encoding left out. */
const DROPPED = "(other)";

/**
 * Finds indicator columns `name=value`, `name__value`, `name_value` (also behind a transformer's `prefix__`)
 * that together hold at most one 1 per row, and makes each group one column of level names. Columns that are all
 * 0 in some row may be flags of their own: they are one feature, encoded with a level dropped, where the options
 * say that there is such a feature, or where it is no chance that they are never 1 together.
 */
export function collapseOneHot(
  table: Table,
  options: OneHotOptions = {},
): {
  readonly table: Table;
  readonly groups: readonly OneHotGroup[];
  /** Three columns or more that are never 1 together, but all 0 in some rows, which may be chance: they stay apart. */
  readonly apart: readonly OneHotGroup[];
} {
  const { keep = [], features, groups: known = [] } = options;
  const groups = known.filter((group) => group.columns.every((name) => table.names.includes(name)));
  for (const group of groups) checkRows(table, group);
  const apart: OneHotGroup[] = [];
  const taken = new Set([...keep, ...groups.flatMap((group) => group.columns)]);
  for (const [feature, columns] of candidates(table)) {
    if (features && !features.includes(feature)) continue;
    const free = columns.filter((c) => !taken.has(c.name));
    const group = free.length >= 2 ? groupOf(table, feature, free) : undefined;
    if (!group || table.names.includes(feature)) continue;
    if (group.dropped && !features && meetings(table, group) < NO_CHANCE) {
      if (free.length > 2) apart.push(group);
      continue;
    }
    groups.push(group);
    for (const name of group.columns) taken.add(name);
  }
  if (groups.length === 0) return { table, groups, apart };
  const starts = new Map(groups.map((group) => [group.columns[0]!, group]));
  const names: string[] = [];
  const columns: (readonly Cell[])[] = [];
  table.names.forEach((name, k) => {
    const group = starts.get(name);
    if (group) {
      names.push(group.feature);
      columns.push(levelColumn(table, group));
    } else if (!groups.some((group) => group.columns.includes(name))) {
      names.push(name);
      columns.push(table.columns[k]!);
    }
  });
  return { table: { names, columns, rows: table.rows }, groups, apart };
}

interface Indicator {
  readonly name: string;
  readonly level: string;
}

const isOne = (cell: Cell): boolean => cell === 1 || cell === true || cell === "1" || cell === "1.0";
const isFlag = (cell: Cell): boolean =>
  isOne(cell) || cell === 0 || cell === false || cell === "0" || cell === "0.0";

/** Possible features with their indicator columns, most columns first, then by name. */
function candidates(table: Table): [string, Indicator[]][] {
  const found = new Map<string, Indicator[]>();
  table.names.forEach((name, k) => {
    if (!table.columns[k]!.every(isFlag)) return;
    const bare = /^[a-z]+__/i.test(name) ? name.slice(name.indexOf("__") + 2) : name;
    for (const [feature, level] of splits(bare)) {
      const list = found.get(feature) ?? [];
      list.push({ name, level });
      found.set(feature, list);
    }
  });
  return [...found]
    .filter(([, list]) => list.length >= 2)
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
}

/** Every way to read a name as feature and level. */
function splits(name: string): [string, string][] {
  const ways: [string, string][] = [];
  for (const separator of ["=", "__", "_"]) {
    for (let at = name.indexOf(separator, 1); at > 0; at = name.indexOf(separator, at + 1)) {
      const level = name.slice(at + separator.length);
      if (level !== "") ways.push([name.slice(0, at), level]);
    }
    if (ways.length > 0) break;
  }
  return ways;
}

function groupOf(table: Table, feature: string, columns: readonly Indicator[]): OneHotGroup | undefined {
  const cells = columns.map((c) => table.columns[table.names.indexOf(c.name)]!);
  let empty = 0;
  for (let i = 0; i < table.rows; i++) {
    const ones = cells.reduce((sum, column) => sum + (isOne(column[i]!) ? 1 : 0), 0);
    if (ones > 1) return undefined;
    if (ones === 0) empty++;
  }
  const levels = columns.map((c) => c.level);
  const common = { feature, columns: columns.map((c) => c.name) };
  return empty === 0 ? { ...common, levels } : { ...common, levels: [...levels, DROPPED], dropped: DROPPED };
}

/** Rows in which two of the flags would be 1 together from which it is no chance that none is (1 in e⁵). */
const NO_CHANCE = 5;

/** Rows in which two of the columns would both be 1 if they had nothing to do with each other: Σ_{a<b} n_a n_b / n. */
function meetings(table: Table, { columns }: OneHotGroup): number {
  const ones = columns.map((name) => table.columns[table.names.indexOf(name)]!.filter(isOne).length);
  const all = ones.reduce((sum, count) => sum + count, 0);
  return (all ** 2 - ones.reduce((sum, count) => sum + count ** 2, 0)) / (2 * table.rows);
}

/** A row of a known group has one level: one 1, or none where a level was dropped. */
function checkRows(table: Table, { feature, columns, dropped }: OneHotGroup): void {
  const cells = columns.map((name) => table.columns[table.names.indexOf(name)]!);
  for (let i = 0; i < table.rows; i++) {
    const ones = columns.filter((_, k) => isOne(cells[k]![i]!));
    if (ones.length === 1 || (ones.length === 0 && dropped)) continue;
    throw new ColaError(
      "VALUE_INVALID",
      `table: row ${i} has ${ones.length === 0 ? "no 1" : `a 1 in ${ones.join(" and ")}`} among the indicator columns of ${feature}; a row has exactly one level; where they are not levels of one feature, list them as features of the schema (--schema).`,
      { row: i, feature, columns: ones },
    );
  }
}

function levelColumn(table: Table, group: OneHotGroup): Cell[] {
  const cells = group.columns.map((name) => table.columns[table.names.indexOf(name)]!);
  return Array.from({ length: table.rows }, (_, i) => {
    const at = cells.findIndex((column) => isOne(column[i]!));
    return at >= 0 ? group.levels[at]! : DROPPED;
  });
}

/** The cells of a group's columns for one of its levels. */
export function indicatorCells({ columns, levels }: OneHotGroup, level: Cell): Cell[] {
  return columns.map((_, k) => (level === null ? null : Number(level === levels[k])));
}
