import { changeIn } from "../exact/change.ts";
import type { ExactStudy } from "../exact/contract.ts";
import type { ExactOptions, ExactPlan, ExactSearch } from "../exact/plan.ts";
import { sameValue } from "../num/matrix.ts";
import type { ExactQuestion, Matrix, Model, Structure } from "../types.ts";
import { isPromise } from "./contract.ts";
import { linkedBy, slackAllowance } from "./rounding.ts";
import { scoresInto } from "./scores.ts";

/** Insides of outputs that belong together have one kind and one link. */
export interface Inside extends Pick<Structure, "link" | "single"> {
  readonly kind: string;
}

/** What a search looks into a model by: the inside of an output, its margins, and how far they may be off. */
export interface Insides<M extends Inside> {
  of(model: Model, output: number): M | undefined;
  margins(inside: M, rows: Matrix): Float64Array;
  error(inside: M, sizes: Float64Array): number;
}

/** Whether rows reach the target, and what that lets a search claim. */
interface Answers {
  reaches(z: Float64Array): boolean;
  claims(search: ExactSearch | undefined, study: ExactStudy<unknown>): ExactSearch | undefined;
}

/**
 * The answers of a model that scores at once; those of one that does so later are worked out from its insides, but not
 * through a calibration: then there are none.
 */
export function answersOf<M extends Inside>(
  question: ExactQuestion,
  insides: Insides<M>,
  encode: (rows: Matrix) => Matrix,
): Answers | undefined {
  const { model, reach, minMargin = 0, table } = question;
  const cols = question.constraints.schema.features.length;
  const first = { data: table.data.slice(0, cols), rows: 1, cols };
  const answer = table.rows > 0 ? model.predict(first, reach.primary) : undefined;
  if (isPromise(answer)) {
    answer.catch(() => {});
    return model.calibration ? undefined : laterAnswers(question, insides, encode);
  }
  return {
    claims: (search) => search,
    reaches: (z) => {
      const row = { data: z, rows: 1, cols };
      const scores = reach.outputs.map((o) => model.predict(row, o) as Float64Array);
      return reach.reached(reach.slack(scores, 0), minMargin);
    },
  };
}

/** How often the model is asked about rows in doubt: what it says may lead to others. */
const ROUNDS = 8;
const NOTHING: ReadonlyMap<string, boolean> = new Map();
/** Plans that change less than these by no more are as good. */
const AS_GOOD = 0.999;

/**
 * A row reaches the target where the margins of the insides say so by more than the model's own may be off. Rows that
 * the model might still accept are remembered: no plan is then proven to have fewer edits, or to change less, than they.
 */
function laterAnswers<M extends Inside>(
  { model, reach, constraints, minMargin = 0 }: ExactQuestion,
  insides: Insides<M>,
  encode: (rows: Matrix) => Matrix,
): Answers {
  const inner = (model.encoding ?? model.completed)?.model ?? model;
  const parts = inner.outputs.map((_, o) => insides.of(inner, o));
  const needed = parts[reach.primary]?.link === "softmax" ? [...parts.keys()] : reach.outputs;
  const own = needed.map((o) => parts[o]!);
  let doubtful: Float64Array[] = [];
  let told = NOTHING;
  return {
    reaches(z) {
      const known = told.get(z.join());
      if (known !== undefined) return known;
      const row = encode(constraints.complete({ data: z, rows: 1, cols: z.length }));
      const sizes = row.data.map((v) => Math.abs(v) || 0);
      const all = own.map((inside) => insides.margins(inside, row));
      scoresInto(own[0]!.link, all);
      const scores = reach.outputs.map((o) => all[needed.indexOf(o)]!);
      const apart = Math.max(...own.map((inside) => insides.error(inside, sizes)));
      const slack = reach.slack(scores, 0);
      const room = slackAllowance(reach, linkedBy(own), apart)(slack);
      if (reach.reached(slack - room, minMargin)) return true;
      if (reach.reached(slack + room, minMargin)) doubtful.push(z.slice());
      return false;
    },
    claims(search, study) {
      if (!search) return undefined;
      const plan: ExactSearch["plan"] = (x, options) => {
        doubtful = [];
        return lessCertain(search.plan(x, options), x, doubtful, changeIn(study));
      };
      return { plan, decided: (x, options) => decided(x, options, plan) };
    },
  };

  /** The model is asked about the rows left in doubt, until none are left. */
  async function decided(
    x: Float64Array,
    options: ExactOptions | undefined,
    plan: ExactSearch["plan"],
  ): Promise<ExactPlan> {
    const known = new Map<string, boolean>();
    for (let round = 0, asked = 0; ; round++) {
      told = known;
      const own = plan(x, options);
      told = NOTHING;
      const open = doubtful;
      if (open.length === 0 || round === ROUNDS) return { ...own, modelRows: own.modelRows + asked };
      asked += open.length;
      const rows = constraints.complete(rowsOf(open, x.length));
      const scores: Float64Array[] = [];
      for (const output of reach.outputs) scores.push(await model.predict(rows, output));
      open.forEach((z, t) => {
        const slack = reach.slack(scores, t);
        if (!Number.isNaN(slack)) known.set(z.join(), reach.reached(slack, minMargin));
      });
    }
  }
}

function rowsOf(rows: readonly Float64Array[], cols: number): Matrix {
  return { data: Float64Array.from(rows.flatMap((row) => [...row])), rows: rows.length, cols };
}

function lessCertain(
  plan: ExactPlan,
  x: Float64Array,
  doubtful: readonly Float64Array[],
  change: ReturnType<typeof changeIn>,
): ExactPlan {
  if (doubtful.length === 0) return plan;
  let { fewest, least, outcome, atLeast, useless, front } = plan;
  for (const z of doubtful) {
    const moved = [...x.keys()].filter((k) => !sameValue(x[k]!, z[k]!));
    const cost = moved.reduce((sum, k) => sum + change(k, x[k]!, z[k]!), 0);
    if (outcome === "none") outcome = "open";
    atLeast = Math.min(atLeast, moved.length);
    if (moved.length < plan.features.length) fewest = false;
    if (cost < AS_GOOD * plan.change) least = false;
    if (moved.length <= plan.features.length) useless = useless.filter((k) => !moved.includes(k));
    // Its features may be one more set of the menu.
    if (plan.menu && moved.length <= plan.features.length) least = false;
    front = front?.map((point) =>
      moved.length <= point.edits && cost < AS_GOOD * point.change ? { ...point, least: false } : point,
    );
  }
  return { ...plan, outcome, atLeast, fewest, least, useless, ...(front ? { front } : {}) };
}
