import { startWork } from "../../src/budget.ts";
import { fitMetric } from "../../src/data/metric.ts";
import { withConstraints } from "../../src/data/overlay.ts";
import { decodeCell, encodeCell, hasLevels } from "../../src/data/schema.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { scorer } from "../../src/model/scorer.ts";
import { slackOf } from "../../src/model/slack.ts";
import { reachOf } from "../../src/model/target.ts";
import { matrix, rowOf } from "../../src/num/matrix.ts";
import { type Opened, type Options, open, type Parts } from "../../src/run/open.ts";
import type { Cell, Matrix, Schema, WorkOptions } from "../../src/types.ts";
import { createCache } from "../../study/cache.ts";
import { questionOf, type Study } from "../../study/study.ts";
import { dependenceOf } from "./dependence.ts";
import type { Difficulty, LegalValues, PersonPlans, Tried } from "./protocol.ts";
import { type Finished, shownTarget } from "./run.ts";
import type { Dependence } from "./told.ts";

/** How much an edit counts that a person finds easy, or hard, beside one that is neither. */
const WEIGHTS = { easy: 0.5, hard: 3 } as const;
/** How many edits more than the fewest the front goes. */
const FRONT = 2;
/** How long all smallest plans are looked for. */
const MENU_MS = 3000;
/** Other plans named where not all can be. */
const SOME = 5;
/** Studies that stay open: what a person changes is often changed back. */
const OPEN = 12;

/**
 * What one person may try, asked of the study of the run and of no other: the same model, references, metric, target and
 * constraints, opened anew only where a person says that a feature is easy, hard, or never changes.
 */
export interface WhatIf {
  /** All smallest plans where nothing changes that never may; and the easiest plan where something is easy or hard. */
  plans(position: number, difficulty: Difficulty, work?: WorkOptions): Promise<PersonPlans>;
  /** What the model says of values that a person tries, and what of them is not permitted. */
  tried(position: number, values: readonly Readonly<Record<string, Cell>>[]): Promise<Tried[]>;
  /** How the score depends on one feature, with everything else as it is tried. */
  dependence(
    position: number,
    feature: string,
    values: Readonly<Record<string, Cell>>,
    also?: readonly number[],
  ): Promise<Dependence>;
  /** The values each feature may take, seen from the person's own. */
  legal(position: number): LegalValues[];
}

/** The easiest plan has the least costs; every other question is for the fewest edits. */
type Question = "menu" | "fewest" | "easiest" | "why none";

/** Asks about a person in the study of a run, opened anew for each difficulty and kind of question. */
async function askerOf(run: Finished) {
  const { study, x } = run;
  const made = await run.made();
  const parts = questionOf(study, { ...made, x, chosen: [], ids: [] });
  const searchable = parts.values !== "reference" && isSearchable(study);
  const held = createCache<Opened>(OPEN);
  // What a person finds hard does not change how far apart rows are.
  const metric = fitMetric(study.data.schema, study.data.rows);

  const opened = (difficulty: Difficulty, question: Question): Opened => {
    const key = JSON.stringify([question, Object.entries(difficulty).sort()]);
    const known = held.get(key);
    if (known) return known;
    const schema = withDifficulty(study.data.schema, difficulty);
    const fresh = open({ ...partsOf(parts, schema), metric }, optionsFor(parts, question, searchable));
    held.set(key, fresh);
    return fresh;
  };
  return {
    searchable,
    ask: async (
      position: number,
      difficulty: Difficulty,
      question: Question,
      work?: WorkOptions,
    ): Promise<ExplainedRow> => {
      const { row, id } = run.explanation.rows[position]!;
      const rows = { x: oneRow(x, position), ids: [id ?? row] };
      const answer = await opened(difficulty, question).ask(rows, work);
      return { ...answer.rows[0]!, row, ...(id === undefined ? {} : { id }) };
    },
  };
}

export async function whatIfOf(run: Finished): Promise<WhatIf> {
  const { ask, searchable } = await askerOf(run);
  /** All smallest plans, or, where there are too many to look through while somebody waits, one. */
  const menuOf = async (position: number, never: Difficulty, work?: WorkOptions): Promise<ExplainedRow> => {
    const limits = searchable ? { limits: { timeMs: MENU_MS } } : {};
    const row = await ask(position, never, "menu", { ...work, ...limits });
    return row.status === "budget" ? ask(position, never, "fewest", work) : row;
  };
  const scores = scorerOf(run);

  // A session of an ONNX graph answers one question at a time.
  const inTurn = turns();
  return {
    plans: (position, difficulty, work) => inTurn(() => plans(position, difficulty, work)),
    tried: (position, values) => inTurn(() => scores(position, values)),
    dependence: (position, feature, values, also) =>
      inTurn(() => {
        const legal = legalOf(run, position).find((one) => one.feature === feature)!;
        return dependenceOf(run, position, legal, values, also);
      }),
    legal: (position) => legalOf(run, position),
  };

  async function plans(position: number, difficulty: Difficulty, work?: WorkOptions): Promise<PersonPlans> {
    const never = neverOf(difficulty);
    let row = await menuOf(position, never, work);
    if (row.status === "infeasible" && searchable) {
      const { relaxation, reason } = await ask(position, never, "why none", work);
      row = { ...row, ...(relaxation ? { relaxation } : {}), ...(reason ? { reason } : {}) };
    }
    const weighed = Object.keys(difficulty).length > Object.keys(never).length;
    const easiest = weighed ? await ask(position, difficulty, "easiest", work) : undefined;
    const after = await scores(
      position,
      [...row.alternatives, ...(row.front ?? [])].map(({ edits }) =>
        Object.fromEntries(edits.map(({ feature, to }) => [feature, to])),
      ),
    );
    return { row, ...(easiest ? { easiest } : {}), after: after.map(({ score }) => score) };
  }
}

/** One after the other, in the order in which they were asked for. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/** Where nothing but what never changes is said. */
export function neverOf(difficulty: Difficulty): Difficulty {
  return Object.fromEntries(Object.entries(difficulty).filter(([, how]) => how === "never"));
}

const oneRow = (x: Matrix, i: number): Matrix => matrix(1, x.cols, Float64Array.from(rowOf(x, i)));

function partsOf(input: Parts, schema: Schema): Parts {
  const { model, references, training, modelDigest, sturdy, usual } = input;
  return {
    ...{ model, references, schema },
    ...(training ? { training } : {}),
    ...(modelDigest ? { modelDigest } : {}),
    ...(sturdy ? { sturdy } : {}),
    ...(usual ? { usual } : {}),
  };
}

/** The options of the run that say what a plan may be, without those that choose one in another way. */
function optionsFor(
  { goal, values, maxDistance, effort, candidates, budget, seed, coupling, policy, value }: Options,
  question: Question,
  searchable: boolean,
): Options {
  const chosen = coupling !== undefined || policy !== undefined || value !== undefined;
  const perRow = budget?.perRow;
  return {
    ...(goal ? { goal } : {}),
    // Reference and edits chosen by name: what else is possible is asked without that choice.
    ...(values !== undefined && !chosen ? { values } : {}),
    ...(maxDistance === undefined ? {} : { maxDistance }),
    ...(effort === undefined ? {} : { effort }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(perRow === undefined ? {} : { budget: { perRow } }),
    ...(seed === undefined ? {} : { seed }),
    ...(question === "why none" || values === "reference" ? {} : { only: "plans" as const }),
    ...(question === "easiest" ? { objective: "cost" as const } : {}),
    ...(question === "menu" ? { alternatives: searchable ? ("all" as const) : SOME } : {}),
    ...(question === "menu" && searchable ? { front: FRONT } : {}),
  };
}

function withDifficulty(schema: Schema, difficulty: Difficulty): Schema {
  const freeze = Object.keys(neverOf(difficulty));
  const features = schema.features.flatMap(({ name, cost = 1 }) => {
    const how = difficulty[name];
    return how === "easy" || how === "hard" ? [[name, { cost: cost * WEIGHTS[how] }] as const] : [];
  });
  return withConstraints(schema, { freeze, features: Object.fromEntries(features) });
}

function isSearchable({ data, model: { model }, target }: Study): boolean {
  const { constraints, rows } = data;
  return exactSearch({ model, constraints, reach: reachOf(model, target), table: rows }) !== undefined;
}

/** Scores rows of a person with some values changed; a derived column follows. */
function scorerOf(run: Finished): WhatIf["tried"] {
  const { study, x } = run;
  const { data, model } = study;
  const { features } = data.schema;
  const places = new Map(features.map(({ name }, k) => [name, k]));
  const reach = reachOf(model.model, shownTarget(run));
  return async (position, values) => {
    if (values.length === 0) return [];
    const own = rowOf(x, position);
    const rows = matrix(values.length, x.cols);
    values.forEach((changed, i) => {
      rows.data.set(own, i * x.cols);
      for (const [name, cell] of Object.entries(changed)) {
        const k = places.get(name)!;
        rows.data[i * x.cols + k] = encodeCell(features[k]!, cell, i);
      }
    });
    const z = data.constraints.complete(rows);
    const { shown, slack } = await slackOf(scorer(model.model, startWork("score", {})), z, reach, true);
    return values.map((_, i) => ({
      score: shown[i]!,
      reached: reach.reached(slack[i]!),
      wrong: data.constraints.violations(own, rowOf(z, i)),
      derived: Object.fromEntries(
        features.flatMap(({ name, derived }, k) =>
          derived === undefined ? [] : [[name, z.data[i * z.cols + k]!] as const],
        ),
      ),
    }));
  };
}

function legalOf({ study, x, explanation }: Finished, position: number): LegalValues[] {
  const { constraints, rows } = study.data;
  const domains = new Map((explanation.domains ?? []).map((one) => [one.feature, one]));
  return constraints.schema.features.map((feature, k) => {
    const from = x.data[position * x.cols + k]!;
    const { values, min, max, step } = constraints.domain(k, from);
    const open = constraints.editable[k] === 1;
    if (hasLevels(feature) || values) {
      const codes = [...new Set([...(Number.isNaN(from) ? [] : [from]), ...(open ? (values ?? []) : [])])];
      return {
        feature: feature.name,
        open: open && codes.length > 1,
        cells: codes.sort((a, b) => a - b).map((code) => decodeCell(feature, code)),
      };
    }
    const known = domains.get(feature.name);
    const ends = known ? ([known.from, known.to] as const) : columnEnds(rows, k);
    const low = Number.isFinite(min) ? min : Math.min(ends[0], Number.isNaN(from) ? ends[0] : from);
    const high = Number.isFinite(max) ? max : Math.max(ends[1], Number.isNaN(from) ? ends[1] : from);
    return { feature: feature.name, open: open && low < high, low, high, step };
  });
}

function columnEnds({ data, cols }: Matrix, k: number): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let c = k; c < data.length; c += cols) {
    low = Math.min(low, Number.isNaN(data[c]!) ? low : data[c]!);
    high = Math.max(high, Number.isNaN(data[c]!) ? high : data[c]!);
  }
  return low <= high ? [low, high] : [0, 0];
}
