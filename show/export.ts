import { compileConstraints } from "../src/data/constraints.ts";
import { indicatorCells, type OneHotGroup } from "../src/data/one-hot.ts";
import { decodeCell, encodeCell } from "../src/data/schema.ts";
import type { Edit, ExplainedRow, Explanation } from "../src/explanation.ts";
import { reachOf } from "../src/model/target.ts";
import { matrix } from "../src/num/matrix.ts";
import type { Cell, Schema, Table } from "../src/types.ts";
import { toldIn } from "./data-words.ts";
import type { Locale } from "./locales/contract.ts";
import { en } from "./locales/en.ts";
import { principalReasons, type ReasonCodes } from "./reasons.ts";
import { directionOf } from "./sentences.ts";

/** An explanation as tables. Numbers keep their full precision. */
export interface ExplanationTables {
  /** The rows as they are, with the model's score and label. */
  readonly x: Table;
  /** The counterfactuals: x with all proposed edits. */
  readonly q: Table;
  /** The plans: x with the few edits. */
  readonly z: Table;
  /** One line per edit: of the plan, of the counterfactual but not needed, of an alternative. */
  readonly edits: Table;
  /** One line per principal reason of a row, with its code where there are codes. */
  readonly reasons: Table;
}

export interface TableOptions {
  readonly reasons?: ReasonCodes;
  readonly locale?: Locale;
}

/**
 * x, q and z wide, one line per row in the order of the explanation, and all edits long. Wide columns: `row`, `id`
 * (where there are ids), `status`, `valid`, `score`, `label`, then the features by name. A feature called like one
 * of the first keeps its name; the column gets a `_` in front. Unknown cells are missing. Features that were read
 * from indicator columns (`options.indicators`) are these columns again.
 */
export function explanationTables(explanation: Explanation, options: TableOptions = {}): ExplanationTables {
  const { rows } = explanation;
  const told = toldIn(explanation, options.locale ?? en);
  return {
    x: wide(explanation, (row) => ({
      edits: [],
      score: row.before,
      valid: reached(explanation, row.before),
    })),
    q: wide(explanation, (row) => ({
      edits: row.proposal,
      score: row.proposed,
      valid: reached(explanation, row.proposed),
    })),
    z: wide(explanation, (row) => ({ edits: row.edits, score: row.after, valid: row.valid })),
    edits: table(
      rows.flatMap((row) => editLines(explanation, row)),
      ["row", ...idName(rows), "feature", "from", "to", "direction", "attribution", "role"],
    ),
    reasons: table(
      rows.flatMap((row) => reasonLines(told.explanation, row, { ...options, locale: told.locale })),
      ["row", ...idName(rows), "feature", "code", "text", "attribution", "share", "changeable"],
    ),
  };
}

function reasonLines(
  { schema, rows }: Explanation,
  row: ExplainedRow,
  { reasons = {}, locale = en }: TableOptions,
): Cell[][] {
  const id = idName(rows).map(() => row.id ?? null);
  return principalReasons(schema, row, { codes: reasons, locale }).map(
    ({ feature, code, text, attribution, share, changeable }) => [
      row.row,
      ...id,
      feature,
      code ?? null,
      text,
      attribution,
      share,
      changeable,
    ],
  );
}

interface Version {
  readonly edits: readonly Edit[];
  readonly score: number | null;
  readonly valid: boolean | null;
}

function idName(rows: readonly ExplainedRow[]): string[] {
  return rows.some((row) => row.id !== undefined) ? ["id"] : [];
}

function wide(explanation: Explanation, version: (row: ExplainedRow) => Version): Table {
  const { schema, rows } = explanation;
  const groups = indicatorsOf(explanation);
  const features = schema.features.flatMap((f) => groups.get(f.name)?.columns ?? [f.name]);
  const first = ["row", ...idName(rows), "status", "valid", "score", "label"].map((name) =>
    freeName(name, features),
  );
  const lines = rows.map((row) => {
    const { edits, score, valid } = version(row);
    const id = first.length === 6 ? [row.id ?? null] : [];
    const label = predictedLabel(explanation, score, valid);
    const cells = cellsWith(schema, row, edits).flatMap((cell, k) => {
      const group = groups.get(schema.features[k]!.name);
      return group ? indicatorCells(group, cell) : [cell];
    });
    return [row.row, ...id, row.status, valid, score, label, ...cells];
  });
  return table(lines, [...first, ...features]);
}

/** The columns features were read from, by feature, as the command line notes them among the options. */
function indicatorsOf({ options }: Explanation): ReadonlyMap<string, OneHotGroup> {
  const groups = (options["indicators"] ?? []) as readonly OneHotGroup[];
  return new Map(groups.map((group) => [group.feature, group]));
}

/** The name, with as many `_` in front as it takes to differ from those taken. */
export function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`_${name}`, taken) : name;
}

function table(lines: readonly (readonly Cell[])[], names: readonly string[]): Table {
  return { names, columns: names.map((_, k) => lines.map((line) => line[k]!)), rows: lines.length };
}

/** The row with these edits, derived columns recomputed. */
export function cellsWith(schema: Schema, row: ExplainedRow, edits: readonly Edit[]): readonly Cell[] {
  const to = new Map(edits.map((edit) => [edit.feature, edit.to]));
  const cells = schema.features.map((f, k) => (to.has(f.name) ? to.get(f.name)! : row.x[k]!));
  if (edits.length === 0 || !schema.features.some((f) => f.derived)) return cells;
  const codes = schema.features.map((f, k) => encodeCell(f, cells[k], row.row));
  const { data } = compileConstraints(schema).complete(matrix(1, codes.length, Float64Array.from(codes)));
  return schema.features.map((f, k) => (f.derived ? decodeCell(f, data[k]!) : cells[k]!));
}

/** Does a score reach the goal? Null where the score alone does not tell: contests of classes, groups. */
function reached({ goal, outputs }: Explanation, score: number | null): boolean | null {
  if (goal.kind === "group" || score === null) return null;
  const reach = reachOf({ outputs, predict: () => new Float64Array() }, goal.target);
  if (reach.contest !== undefined) return reach.reached(score, goal.minMargin);
  if (!reach.conditions) return null;
  return reach.reached(reach.slack([Float64Array.of(score)], 0), goal.minMargin);
}

/** The class a score stands for, where the explanation tells. */
export function predictedLabel(
  { goal, outputs, output }: Explanation,
  score: number | null,
  valid: boolean | null,
): string | null {
  if (score === null || outputs.length === 1) return null;
  const target = goal.kind === "each" && "class" in goal.target ? goal.target : undefined;
  if (outputs.length > 2) return valid && target && !target.not && isOne(target.class) ? output : null;
  const threshold = (goal.kind === "group" ? goal.threshold : target?.threshold) ?? 0.5;
  return score > threshold ? output : outputs.find((name) => name !== output)!;
}

function isOne(classes: unknown): boolean {
  return !Array.isArray(classes) || classes.length === 1;
}

function editLines(explanation: Explanation, row: ExplainedRow): Cell[][] {
  const hasIds = idName(explanation.rows).length > 0;
  const line = (role: string, edit: Edit): Cell[] => {
    const feature = explanation.schema.features.find((f) => f.name === edit.feature)!;
    const direction = ["down", "other", "up"][directionOf(feature, edit) + 1]!;
    const id = hasIds ? [row.id ?? null] : [];
    return [row.row, ...id, edit.feature, edit.from, edit.to, direction, edit.attribution, role];
  };
  const planned = new Set(row.edits.map((edit) => edit.feature));
  return [
    ...row.edits.map((edit) => line("plan", edit)),
    ...row.proposal
      .filter((edit) => !planned.has(edit.feature))
      .map((edit) => line(row.valid ? "unneeded" : "proposed", edit)),
    ...row.alternatives.flatMap(({ edits }, a) => edits.map((edit) => line(`alternative ${a + 1}`, edit))),
  ];
}
