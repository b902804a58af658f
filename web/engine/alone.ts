import { writeTable } from "../../formats/index.ts";
import type { Encoder } from "../../src/data/encode.ts";
import { hasLevels, levelsOf } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import { stream } from "../../src/num/random.ts";
import type { Cell, Model, Table } from "../../src/types.ts";
import type { ModelFileSource } from "../../study/parts.ts";
import type { MadeFile } from "./protocol.ts";

/** Rows drawn, and values of a number among them. */
const [ROWS, VALUES] = [300, 40];
/** A number of which mean and spread are known, in spreads. */
const SPREAD = Array.from({ length: 17 }, (_, i) => (i - 8) / 4);

/** How the file of such rows is called (`isAlone`): the page says of it that nobody stands behind it. */
const ALONE = "values-of-";

/** A model alone: rows of the values that it tells apart, so that a person can be filled in without a table. */
export function tableAlone({ file, content }: ModelFileSource): MadeFile {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const { inputs } = content.model;
  const limits = limitsOf(content.model);
  const columns = content.encoder
    ? encoderColumns(content.encoder, limits)
    : inputs && limits && inputs.map((input, k): Column => ({ name: input, cells: valuesOf(limits.get(k)) }));
  if (!columns)
    throw new ColaError(
      "OPTION_INVALID",
      `${name} does not tell which values its inputs take; bring a table, if only of a few rows.`,
      { file: name },
    );
  return {
    name: `${ALONE}${name.replace(/\.[^.]*$/, "")}.csv`,
    type: "text/csv",
    bytes: writeTable(drawn(columns), "csv"),
  };
}

interface Column {
  readonly name: string;
  readonly cells: readonly Cell[];
}

type Limits = ReadonlyMap<number, ReadonlySet<number>>;

/** The numbers at which the trees of a model part each of its columns; undefined where it has none. */
function limitsOf({ outputs, structure }: Pick<Model, "outputs" | "structure">): Limits | undefined {
  const limits = new Map<number, Set<number>>();
  let found = false;
  for (const output of outputs.keys()) {
    const inside = structure?.(output);
    if (!inside || !("threshold" in inside)) continue;
    found = true;
    inside.feature.forEach((column, node) => {
      const limit = inside.threshold[node]!;
      if (column < 0 || !Number.isFinite(limit)) return;
      limits.set(column, (limits.get(column) ?? new Set()).add(limit));
    });
  }
  return found ? limits : undefined;
}

/** What a model saved with its encoder was trained on: levels, and numbers by their mean and spread. */
function encoderColumns({ schema, rules }: Encoder, limits: Limits | undefined): Column[] {
  return schema.features.flatMap((feature, k): Column[] => {
    if (feature.derived !== undefined) return [];
    const { name, kind } = feature;
    if (hasLevels(feature)) return [{ name, cells: levelsOf(feature) }];
    if (kind === "boolean") return [{ name, cells: [false, true] }];
    const { shift, scale, start } = rules[k]!;
    const told = [...(limits?.get(start) ?? [])].map((limit) => shift + scale * limit);
    const spread = SPREAD.map((times) => shift + scale * times);
    const numbers = told.length > 0 ? valuesOf(new Set(told)) : spread;
    const inside = numbers.map((v) => Math.min(feature.max ?? v, Math.max(feature.min ?? v, v)));
    const whole = (v: number): number => (kind === "integer" ? Math.round(v) : Number(v.toPrecision(4)));
    return [{ name, cells: [...new Set(inside.map(whole))] }];
  });
}

/** A value on each side of every limit; whole ones where the limits lie between whole numbers. */
function valuesOf(limits: ReadonlySet<number> = new Set()): number[] {
  const all = [...limits].sort((a, b) => a - b);
  if (all.length === 0) return [0];
  if (all.length === 1 && all[0]! > 0 && all[0]! <= 1) return [0, 1];
  const every = Math.max(1, all.length / VALUES);
  const some = Array.from({ length: Math.ceil(all.length / every) }, (_, i) => all[Math.floor(i * every)]!);
  const wide =
    (some.at(-1)! - some[0]!) / Math.max(1, some.length - 1) || Math.max(1, Math.abs(some[0]!) / 10);
  const ends = [some[0]! - wide, ...some, some.at(-1)! + wide];
  const between = ends.slice(1).map((value, i) => (ends[i]! + value) / 2);
  const halves = all.every((limit) => Number.isInteger(2 * limit));
  const low = all[0]! >= 0 ? 0 : Number.NEGATIVE_INFINITY;
  const shown = between.map((value) =>
    Math.max(low, halves ? Math.round(value) : Number(value.toPrecision(4))),
  );
  return [...new Set(shown)];
}

/** Rows drawn from the values; of indicators of one column exactly one is 1. */
function drawn(columns: readonly Column[]): Table {
  const random = stream(0, "alone");
  const groups = new Map<string, number[]>();
  columns.forEach(({ name, cells }, k) => {
    const stem = cells.length === 2 && cells[1] === 1 ? name.slice(0, name.lastIndexOf("_") + 1) : "";
    const key = stem === "" ? name : stem;
    groups.set(key, [...(groups.get(key) ?? []), k]);
  });
  const made = columns.map((): Cell[] => new Array<Cell>(ROWS).fill(0));
  for (const members of groups.values())
    for (let i = 0; i < ROWS; i++) {
      if (members.length > 1) made[members[random.int(members.length)]!]![i] = 1;
      else
        made[members[0]!]![i] = columns[members[0]!]!.cells[random.int(columns[members[0]!]!.cells.length)]!;
    }
  return { names: columns.map(({ name }) => name), columns: made, rows: ROWS };
}
