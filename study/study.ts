import { tableToMatrix } from "../src/data/schema.ts";
import { parseTarget } from "../src/data/target-text.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { ofFirst } from "../src/generate/given/first.ts";
import { generate } from "../src/generate/registry.ts";
import { rowsShortOf } from "../src/model/short-of.ts";
import { takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import type { ExplainInput } from "../src/run/open.ts";
import type { Cell, Matrix, Model, Table, Target, WorkOptions } from "../src/types.ts";
import type { Data } from "./data.ts";
import { methodOf } from "./method.ts";
import type { StudyModel } from "./model.ts";
import { type Given, OPTIONS } from "./options.ts";
import { type Own, ownRows, withUnfound } from "./own.ts";

/** A table with its meaning and constraints, a model over its rows, and what is to be reached. */
export interface Study {
  readonly data: Data;
  readonly model: StudyModel;
  readonly target: Target;
  /** The options it was asked with. */
  readonly options: Given;
  /** Counterfactuals of one's own; absent: a generator makes them. */
  readonly own?: Own;
}

/** Rows to explain: their places in the table (or among the factuals), their codes and names. */
export interface Rows {
  readonly chosen: readonly number[];
  readonly x: Matrix;
  readonly ids: readonly Cell[];
}

/** What the rows may become, and for which of them each was made, where that is known. */
export interface References {
  readonly references: Matrix;
  readonly pairs?: ArrayLike<number>;
}

/** Rows with their references, and what people should know of these. */
export type Posed = Rows & References & { readonly notes: readonly string[] };

export function studyOf(data: Data, model: StudyModel, options: Given, own?: Own): Study {
  const target = targetOf(options.target, model.model);
  return { data, model, target, options, ...(own ? { own } : {}) };
}

/** The goal in the model's classes; default: the last class, or a score above 0.5. */
export function targetOf(text: string | undefined, { outputs }: Model): Target {
  if (text !== undefined && text.trim() !== "") return parseTarget(text.trim(), outputs);
  return outputs.length === 1 ? { above: 0.5 } : { class: outputs.at(-1)! };
}

/** Rows that are explained unless the options say how many. */
const ROWS = OPTIONS.rows.default;

/** The first rows of the table that miss the target. */
export async function rowsOf({ data, model, target, options }: Study, work: WorkOptions): Promise<Rows> {
  const chosen = await rowsShortOf(model.model, data.rows, target, options.rows ?? ROWS, work);
  return namedRows(data, chosen);
}

function namedRows({ rows, ids }: Pick<Data, "rows" | "ids">, chosen: readonly number[]): Rows {
  return { chosen, x: takeRows(rows, chosen), ids: ids ? chosen.map((i) => ids[i]!) : chosen };
}

/** Rows beside the table, as codes of its schema. */
export function factualRows({ data, options: { id } }: Study, table: Table): Rows {
  const x = tableToMatrix(data.schema, table);
  const chosen = Array.from({ length: x.rows }, (_, i) => i);
  const ids = id === undefined ? undefined : table.columns[table.names.indexOf(id)];
  return { chosen, x, ids: ids ?? chosen };
}

/** Neighbours the default generator offers each row to borrow from. */
const NEIGHBOURS = 16;

/** Counterfactuals by the generator of the options; where it finds none, the rows it could borrow from. */
export async function generated(study: Study, { x }: Rows, work: WorkOptions): Promise<References> {
  const { data, model, target, options } = study;
  const { generator = OPTIONS.generator.default, seed = 0 } = options;
  const task = { model: model.model, x, references: data.rows, constraints: data.constraints, target };
  const settings = generator === OPTIONS.generator.default ? { ...work, neighbours: NEIGHBOURS } : work;
  const made = await generate(generator, task, settings, stream(seed, "generate"));
  if (made.rows.rows === 0) return { references: data.rows };
  return { references: made.rows, ...(made.pairs ? { pairs: made.pairs } : {}) };
}

/**
 * The rows to explain with what they may become. Counterfactuals of one's own that say for whom they were made choose
 * the rows: the first of these people; of `factuals` those they speak of.
 */
export async function posed(study: Study, work: WorkOptions, factuals?: Rows): Promise<Posed> {
  const { data, own, options } = study;
  if (!own) {
    const rows = nonEmpty(factuals ?? (await rowsOf(study, work)));
    return { ...rows, ...(await generated(study, rows, work)), notes: [] };
  }
  const among = factuals ? { ...data, rows: factuals.x, ids: factuals.ids } : data;
  const { references, pairs, chosen, notes } = withUnfound(await ownRows(own, among), among);
  if (!pairs) return { ...nonEmpty(factuals ?? (await rowsOf(study, work))), references, notes };
  const people = factuals ? chosen : chosen.slice(0, options.rows ?? ROWS);
  return { ...namedRows(among, people), ...ofFirst(people.length, references, pairs), notes };
}

/** Every row that counterfactuals of one's own speak of, or every row of the table where they do not say. */
export async function everyone({ data }: Study, own: Own): Promise<Posed> {
  const { references, pairs, chosen, notes } = withUnfound(await ownRows(own, data), data);
  return { ...namedRows(data, chosen), references, ...(pairs ? { pairs } : {}), notes };
}

function nonEmpty(rows: Rows): Rows {
  if (rows.chosen.length > 0) return rows;
  throw new ColaError(
    "INPUT_EMPTY",
    "explain: every row reaches the target already; there is nothing to explain. Choose another target or other data.",
  );
}

/** The question as `explain` takes it. */
export function questionOf({ data, model, target, options }: Study, rows: Rows & References): ExplainInput {
  const { x, ids, references, pairs } = rows;
  return {
    model: model.model,
    x,
    references,
    training: data.rows,
    schema: data.schema,
    ids,
    ...(pairs ? { pairs } : {}),
    ...methodOf(options, target),
    modelDigest: model.digest,
  };
}

/** The explanation with what was asked beside the options of `explain`: the method card lists both. */
export function answerOf(study: Study, made: Explanation): Explanation {
  const { data, model, own, options } = study;
  const { generator = OPTIONS.generator.default, timeout } = options;
  return {
    ...made,
    options: {
      ...made.options,
      limits: timeout === undefined ? null : { timeMs: timeout * 1000 },
      data: nameOf(data.source),
      model: model.title,
      ...(data.groups.length > 0 ? { indicators: data.groups } : {}),
      ...(own ? { counterfactuals: nameOf(own.name) } : { generator }),
    },
  };
}

/** The last part of a path. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
