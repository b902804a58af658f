import { transportByKernel } from "../src/couple/point-reader.ts";
import { Note } from "../src/data/notes.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { parseTarget } from "../src/data/target-text.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { ofPeople } from "../src/generate/given/people.ts";
import { generate } from "../src/generate/registry.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { rowsShortOf } from "../src/model/short-of.ts";
import { reachOf } from "../src/model/target.ts";
import { takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { gridSearch } from "../src/run/grid.ts";
import { against, type Defaults, type ExplainInput, type Opened, open } from "../src/run/open.ts";
import { withRealism } from "../src/run/realism.ts";
import { nearestReasons } from "../src/run/reasons.ts";
import { sturdyWith } from "../src/run/sturdy.ts";
import { fitIsolation } from "../src/train/isolation.ts";
import type { Cell, Matrix, Model, Table, Target, WorkOptions } from "../src/types.ts";
import { byOf, placed } from "./by.ts";
import { alike } from "./data.ts";
import { methodOf, valuesWith } from "./method.ts";
import { namedIn, namedPeople } from "./named.ts";
import { type Given, OPTIONS, only } from "./options.ts";
import { ownRows, withUnfound } from "./own.ts";
import type { Data, Own, StudyModel } from "./parts.ts";
import { refuseNotes, rowNotesOf } from "./row-notes.ts";

/** A table with its meaning and constraints, a model over its rows, and what is to be reached. */
export interface Study {
  readonly data: Data;
  readonly model: StudyModel;
  readonly target: Target;
  /** The options it was asked with. */
  readonly options: Given;
  /** Counterfactuals of one's own; absent: a generator makes them. */
  readonly own?: Own;
  /** What stands where options are left out, as an earlier run had it; absent: the defaults of this version. */
  readonly defaults?: Defaults;
  /**
   * As in runs from before recipes held defaults: reasons are measured against the references of the plans, and models without
   * bounds are not searched on a grid.
   */
  readonly before?: true;
  /** What was decided about the goal, for people. */
  readonly notes: readonly Note[];
}

/** Rows to explain: their places in the table (or among the factuals), their codes and names. */
export interface Rows {
  readonly chosen: readonly number[];
  readonly x: Matrix;
  readonly ids: readonly Cell[];
  /** Rows of the table they were chosen from. */
  readonly of?: number;
  /** What people should know of them, where they stand in a table of their own. */
  readonly rowNotes?: readonly Note[];
}

/** What the rows may become, and for which of them each was made, where that is known. */
export interface References {
  readonly references: Matrix;
  readonly pairs?: ArrayLike<number>;
}

/** Rows with their references, and what people should know of these. */
export type Posed = Rows & References & { readonly notes: readonly Note[] };

export function studyOf(data: Data, model: StudyModel, options: Given, own?: Own): Study {
  if (model.also && options.effect !== undefined)
    throw new ColaError(
      "OPTION_INVALID",
      "options.retrain and options.also are about plans that reach a target of their own; leave them out with options.effect.",
    );
  const target = targetOf(options.target, model.model);
  for (const attribute of byOf(options.by ?? [])) placed(data, attribute);
  const notes = targetNotes(options.target, model.model);
  return { data, model, target, options, notes, ...(own ? { own } : {}) };
}

/** Which class was taken, where several were there and none was named. */
function targetNotes(text: string | undefined, { outputs }: Model): Note[] {
  if (outputs.length < 3 || (text !== undefined && text.trim() !== "")) return [];
  return [new Note("targetTaken", { count: outputs.length, classes: outputs, class: outputs.at(-1)! })];
}

/** The goal in the model's classes; default: the last class, or a score above 0.5. */
export function targetOf(text: string | undefined, { outputs }: Model): Target {
  if (text !== undefined && text.trim() !== "") return parseTarget(text.trim(), outputs);
  return outputs.length === 1 ? { above: 0.5 } : { class: outputs.at(-1)! };
}

/** Rows that are explained unless the options say how many. */
const ROWS = OPTIONS.rows.default;

/**
 * Rows of a table that are to be explained: those with the ids named, or the first that meet the condition and miss the
 * target.
 */
export async function rowsOf(study: Study, work: WorkOptions, among: Among = study.data): Promise<Rows> {
  const { model, target, options } = study;
  const named = namedIn(study, among);
  if (options.ids) return namedRows(among, named!);
  const some = named ? takeRows(among.rows, named) : among.rows;
  const chosen = await rowsShortOf(model.model, some, target, options.rows ?? ROWS, work);
  return namedRows(among, named ? chosen.map((i) => named[i]!) : chosen);
}

/** A table as codes, with the names of its rows. */
export type Among = Pick<Data, "rows" | "ids"> & Pick<Rows, "rowNotes">;

function namedRows({ rows, ids, rowNotes = [] }: Among, chosen: readonly number[]): Rows {
  const named = ids ? chosen.map((i) => ids[i]!) : chosen;
  return { chosen, x: takeRows(rows, chosen), ids: named, of: rows.rows, rowNotes };
}

/** The rows of a table beside the data, as codes of its schema. */
export function amongOf(
  { data, options: { id, strict } }: Pick<Study, "data" | "options">,
  table: Table,
): Among {
  const ids = id === undefined ? undefined : table.columns[table.names.indexOf(id)];
  const rows = tableToMatrix(data.schema, alike(table, data));
  const { levels, stale } = rowNotesOf(data, rows, ids);
  const unknown = levels.filter(({ code }) => code === "levelUnknown");
  if (strict) refuseNotes(unknown);
  return { rows, rowNotes: [...unknown, ...stale], ...(ids ? { ids } : {}) };
}

/** All rows beside the table. */
export function factualRows(study: Study, table: Table): Rows {
  const among = amongOf(study, table);
  return namedRows(
    among,
    Array.from({ length: among.rows.rows }, (_, i) => i),
  );
}

/** Those of some rows that the options name. */
function narrowed(study: Study, rows: Rows, among: Among): Rows {
  const named = namedIn(study, among);
  if (!named) return rows;
  const { chosen, x, ids } = rows;
  return {
    ...rows,
    chosen: named.map((i) => chosen[i]!),
    x: takeRows(x, named),
    ids: named.map((i) => ids[i]!),
  };
}

/** Neighbours the default generator offers each row to borrow from. */
const NEIGHBOURS = 16;

/** Has the model bounds, so that plans need no counterfactuals to borrow from? */
function isSearchable({ data: { constraints, rows }, model: { model }, target }: Study): boolean {
  return exactSearch({ model, constraints, reach: reachOf(model, target), table: rows }) !== undefined;
}

/** Counterfactuals by the generator of the options; where it finds none, the rows it could borrow from. */
export async function generated(study: Study, { x }: Rows, work: WorkOptions): Promise<References> {
  const { data, model, target, options } = study;
  const { generator = OPTIONS.generator.default, seed = 0 } = options;
  if (options.only === "plans" && isSearchable(study)) return { references: data.rows };
  const { metric } = openedOf(study).setup;
  const task = {
    model: model.model,
    ...{ x, references: data.rows, constraints: data.constraints, metric, target },
  };
  const settings = generator === OPTIONS.generator.default ? { ...work, neighbours: NEIGHBOURS } : work;
  const made = await generate(generator, task, settings, stream(seed, "generate"));
  if (made.rows.rows === 0) return { references: data.rows };
  return { references: made.rows, ...(made.pairs ? { pairs: made.pairs } : {}) };
}

/**
 * The rows to explain with what they may become: all `factuals`, or some rows `among` those of the table or others.
 * Counterfactuals of one's own that say for whom they were made choose the rows: the first of these people. Of all of
 * these the options may name some.
 */
export async function posed(
  study: Study,
  work: WorkOptions,
  factuals?: Rows,
  among: Among = factuals ? { ...factuals, rows: factuals.x } : study.data,
): Promise<Posed> {
  const { own, options } = study;
  const rows = async (): Promise<Rows> =>
    nonEmpty(factuals ? narrowed(study, factuals, among) : await rowsOf(study, work, among));
  if (!own) {
    const some = await rows();
    return { ...some, ...(await generated(study, some, work)), notes: some.rowNotes ?? [] };
  }
  const { references, pairs, chosen, notes } = await ownAmong(study, own, among);
  if (!pairs) return { ...(await rows()), references, notes };
  const people = Array.from(chosen.keys());
  const some = namedPeople(study, among, chosen) ?? people;
  const kept = factuals || options.ids ? some : some.slice(0, options.rows ?? ROWS);
  const those = kept.map((at) => chosen[at]!);
  return { ...namedRows(among, those), ...ofPeople(kept, references, pairs), notes };
}

/** Every row that counterfactuals of one's own speak of, or every row there is where they do not say. */
export async function everyone(study: Study, own: Own, among: Among = study.data): Promise<Posed> {
  const { references, pairs, chosen, notes } = await ownAmong(study, own, among);
  return { ...namedRows(among, chosen), references, ...(pairs ? { pairs } : {}), notes };
}

/** Counterfactuals of one's own, with the rows they are of among some. */
async function ownAmong({ data }: Study, own: Own, { rows, ids, rowNotes = [] }: Among) {
  const { ids: _, ...unnamed } = data;
  const among = { ...unnamed, rows, ...(ids ? { ids } : {}) };
  const found = withUnfound(await ownRows(own, among), among);
  return { ...found, notes: [...rowNotes, ...found.notes] };
}

function nonEmpty(rows: Rows): Rows {
  if (rows.chosen.length > 0) return rows;
  throw new ColaError(
    "INPUT_EMPTY",
    "explain: every row reaches the target already; there is nothing to explain. Choose another target or other data.",
  );
}

/** The question as `explain` takes it. */
export function questionOf(study: Study, { x, ids, references, pairs }: Rows & References): ExplainInput {
  return { ...sharedBy(study), x, references, ids, ...(pairs ? { pairs } : {}) };
}

const opened = new WeakMap<Study, Opened>();

/** The study opened once, with the rows of its table as references or with others. */
export function openedOf(study: Study, references = study.data.rows): Opened {
  const known = opened.get(study) ?? open({ ...sharedBy(study), references: study.data.rows });
  opened.set(study, known);
  return against(known, references);
}

/** The explanation of the rows, before it says what was asked beside the options of `explain`. */
export function explained(study: Study, rows: Rows & References, work: WorkOptions): Promise<Explanation> {
  const { x, ids, references, pairs } = rows;
  return openedOf(study, references).ask({ x, ids, ...(pairs ? { pairs } : {}) }, work);
}

/** What all questions to a study share, as `explain` takes it. */
function sharedBy({ data, model, target, options, own, defaults, before }: Study) {
  transportByKernel();
  return {
    model: model.model,
    training: data.rows,
    schema: data.schema,
    ...valuesWith(own !== undefined),
    ...methodOf(options, target),
    ...(defaults ? { defaults } : {}),
    modelDigest: model.digest,
    ...(before ? {} : { grid: gridSearch, reasons: nearestReasons }),
    ...(model.also ? { sturdy: sturdyWith(model.also, model.judges) } : {}),
    ...(options.plausible ? { usual: fitIsolation(data.rows, only(options, "seed")) } : {}),
  };
}

/** The explanation with what was asked beside the options of `explain`: the method card lists both. */
export function answerOf(study: Study, made: Explanation): Explanation {
  return withAsked(study, withRealism(made, study.data.rows, openedOf(study).setup.fitted));
}

/** The same of an explanation, or of all but its rows, whose plans have been compared with the table. */
export function withAsked<E extends Pick<Explanation, "options">>(study: Study, made: E): E {
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
