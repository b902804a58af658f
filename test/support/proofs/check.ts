import type { ExplainedRow, Explanation } from "../../../src/index.ts";
import type { Proof } from "../../../src/types.ts";
import { isLevelled } from "./columns.ts";
import { groupReaches } from "./group.ts";
import { codeOf, completed, isSame, mayBecome, reaches, shownScore, wrongs } from "./legal.ts";
import { scoresOf } from "./models.ts";
import type { Study } from "./study.ts";

/** Something an answer says that is not so. */
export interface Fault {
  readonly kind: "false proof" | "invalid plan" | "broken constraint";
  readonly text: string;
}

/** What a row could become: for each column the values it may take. */
type Moves = readonly (readonly number[])[];

/** Rows asked of the model at once. */
const BATCH = 4096;
/** Costs that agree to this are equal: the search holds them to be so at seven digits. */
const COST_TIE = 1 - 1.2e-7;
/** Changes that agree to a thousandth are equal. */
const LEAST_TIE = 0.999;

/** All faults of an answer: plans that miss the goal or break a constraint, and proofs that a row disproves. */
export function faultsOf(study: Study, explanation: Explanation): Fault[] {
  const faults: Fault[] = [];
  const { budget = {} } = study.input;
  const edits = explanation.rows.reduce((sum, row) => sum + row.edits.length, 0);
  if (edits > (budget.total ?? Number.POSITIVE_INFINITY))
    faults.push({ kind: "broken constraint", text: `${edits} edits in all, ${budget.total} allowed` });
  for (const row of explanation.rows) {
    if (row.status === "invalid_input") continue;
    const told = new RowCheck(study, explanation, row).faults();
    faults.push(...told.map(({ kind, text }) => ({ kind, text: `row ${row.row}: ${text}` })));
  }
  if (study.goal.kind === "group" && !groupReaches(study, explanation))
    faults.push({ kind: "invalid plan", text: "the group is said to be at its goal and is not" });
  return faults;
}

class RowCheck {
  private readonly x: Float64Array;
  private readonly z: Float64Array;

  constructor(
    private readonly study: Study,
    private readonly explanation: Explanation,
    private readonly row: ExplainedRow,
  ) {
    this.x = study.x[row.row]!;
    this.z = this.edited(row.edits);
  }

  faults(): Fault[] {
    return [...this.planFaults(), ...this.proofFaults()];
  }

  private edited(edits: ExplainedRow["edits"]): Float64Array {
    const { columns } = this.study;
    const z = this.x.slice();
    for (const { feature, to } of edits) {
      const k = columns.findIndex((column) => column.feature.name === feature);
      z[k] = codeOf(columns[k]!.feature, to);
    }
    return completed(columns, z);
  }

  private planFaults(): Fault[] {
    const { row, study, explanation } = this;
    const { columns, rules, goal, input } = study;
    const faults: Fault[] = [];
    const broken = (text: string): number => faults.push({ kind: "broken constraint", text });
    const invalid = (text: string): number => faults.push({ kind: "invalid plan", text });
    const plans = [this.z, ...row.alternatives.map(({ edits }) => this.edited(edits))];
    for (const z of plans) for (const text of wrongs(columns, rules, this.x, z)) broken(text);
    for (const { edits } of [row, ...row.alternatives]) {
      if (edits.length > (input.budget?.perRow ?? Number.POSITIVE_INFINITY)) broken("more edits than perRow");
    }
    const { model } = study;
    const scores = model.outputs.map((_, o) => scoresOf(model, [this.x, this.z], o));
    const [before, after] = [0, 1].map((i) =>
      shownScore(
        goal,
        model.outputs,
        explanation.output,
        scores.map((s) => s[i]!),
      ),
    );
    if (row.before !== null && !Object.is(row.before, before))
      invalid(`before is ${row.before}, not ${before}`);
    if (row.after !== null && !Object.is(row.after, after)) invalid(`after is ${row.after}, not ${after}`);
    if (goal.kind === "group") return faults;
    const reached = this.reached(plans);
    // A row that was never scored is not said to be at the goal.
    if (row.valid !== reached[0] && !(row.after === null && !row.valid))
      invalid(`valid is ${row.valid}, but the goal is ${reached[0] ? "" : "not "}reached`);
    if (row.status === "ok" && !reached[0]) invalid("the plan is called ok and misses the goal");
    if (reached.slice(1).includes(false)) invalid("another plan misses the goal");
    return faults;
  }

  /** Which rows are at the goal, by the model itself. */
  private reached(rows: readonly Float64Array[]): boolean[] {
    const { model, goal } = this.study;
    if (goal.kind === "group" || rows.length === 0) return rows.map(() => false);
    const scores = model.outputs.map((_, o) => scoresOf(model, rows, o));
    return rows.map((_, i) =>
      reaches(
        goal.target,
        model.outputs,
        scores.map((s) => s[i]!),
        goal.minMargin ?? 0,
      ),
    );
  }

  private proofFaults(): Fault[] {
    const { proof, edits, valid, status } = this.row;
    if (!proof) return [];
    const faults: Fault[] = [];
    const wrong = (text: string): number =>
      faults.push({ kind: "false proof", text: `${JSON.stringify(proof)}: ${text}` });
    if (proof.claim === "none exists" && (valid || status === "ok")) wrong("stands beside a plan");
    if (proof.claim === "optimal" && !(valid && edits.length === proof.edits))
      wrong(`stands beside a plan of ${edits.length} edits that is ${valid ? "" : "not "}valid`);
    if (proof.claim === "at least" && valid && edits.length < proof.edits!)
      wrong(`stands beside a plan of ${edits.length} edits`);
    if (!(proof.claim === "optimal" && proof.edits === 0) && this.reached([this.x])[0])
      wrong("x is at the goal");
    const better = this.disproof(proof);
    if (better) wrong(`${this.worded(better)} reaches the goal`);
    if (proof.scope === "model") for (const text of this.besideFaults(proof)) wrong(text);
    return faults;
  }

  /** What else is claimed of all legal values: the least change, features without use, all smallest sets, ranges. */
  private besideFaults(proof: Proof): string[] {
    const { edits, useless, allAlternatives, alternatives, change } = this.row;
    const moves = this.domain();
    const texts: string[] = [];
    const size = Math.min(edits.length, 2);
    if (
      proof.change === "least" &&
      change !== undefined &&
      size === edits.length &&
      proof.least === undefined
    ) {
      const same = (members: readonly number[]): boolean => members.length === edits.length;
      const less = this.search(moves, size, same, (z) => this.changeTo(z) < change * LEAST_TIE);
      if (less) texts.push(`${this.worded(less)} changes less: ${this.changeTo(less)} instead of ${change}`);
    }
    for (const name of useless?.features ?? []) {
      const k = this.columnOf(name);
      const helped = this.search(moves, Math.min(useless!.edits, 2), (members) => members.includes(k));
      if (helped) texts.push(`${name} is called useless, but ${this.worded(helped)} reaches the goal`);
    }
    if (allAlternatives && size === edits.length) {
      const setOf = (list: ExplainedRow["edits"]): string =>
        list
          .map(({ feature }) => this.columnOf(feature))
          .sort((a, b) => a - b)
          .join();
      const known = new Set([edits, ...alternatives.map((plan) => plan.edits)].map(setOf));
      const fresh = (members: readonly number[]): boolean =>
        members.length === edits.length && !known.has(members.join());
      const other = this.search(moves, size, fresh);
      if (other) texts.push(`${this.worded(other)} is another plan with as few edits`);
    }
    return [...texts, ...this.rangeFaults()];
  }

  /** Values inside the ranges that lose the goal: ends and middles, each alone and all together. */
  private rangeFaults(): string[] {
    const { ranges = [], valid } = this.row;
    if (!valid) return [];
    const at = ranges.flatMap(({ feature, from, to }) => {
      if (typeof from !== "number" || typeof to !== "number") return [];
      const k = this.columnOf(feature);
      const middle =
        this.study.columns[k]!.feature.kind === "integer" ? Math.round((from + to) / 2) : (from + to) / 2;
      return [
        { k, values: [to, middle].filter((v) => mayBecome(this.study.columns[k]!.feature, this.x[k]!, v)) },
      ];
    });
    const rows = at.flatMap(({ k, values }) => values.map((v) => this.moved([[k, v]])));
    rows.push(
      this.moved(at.flatMap(({ k, values }) => values.slice(0, 1).map((v): [number, number] => [k, v]))),
    );
    const legal = rows.filter((row) => this.study.rules.every((rule) => rule.holds(row)));
    const reached = this.reached(legal);
    return legal
      .filter((_, t) => !reached[t])
      .map((row) => `${this.worded(row)} is within the ranges and misses the goal`);
  }

  private moved(cells: readonly (readonly [k: number, v: number])[]): Float64Array {
    const z = this.z.slice();
    for (const [k, v] of cells) z[k] = v;
    return completed(this.study.columns, z);
  }

  /** The change from x as the documentation counts it. */
  private changeTo(z: Float64Array): number {
    return this.study.columns.reduce((sum, { feature, derive }, k) => {
      const [from, to] = [this.x[k]!, z[k]!];
      if (derive || isSame(feature, from, to)) return sum;
      const gap = (v: number): boolean => Number.isNaN(v) || !!feature.missing?.includes(v);
      if (gap(from) || gap(to) || (isLevelled(feature) && feature.kind !== "ordinal")) return sum + 1;
      return sum + Math.abs(to - from) / this.spread(k);
    }, 0);
  }

  /** Numbers of a column in the table that scales and ends are taken from. */
  private column(k: number): number[] {
    const { training, references } = this.study.input;
    const { data, rows, cols } = training ?? references;
    const codes = this.study.columns[k]!.feature.missing ?? [];
    return Array.from({ length: rows }, (_, i) => data[i * cols + k]!)
      .filter((v) => !Number.isNaN(v) && !codes.includes(v))
      .sort((a, b) => a - b);
  }

  private spread(k: number): number {
    const values = this.column(k);
    const at = (list: readonly number[], share: number): number => {
      const place = share * (list.length - 1);
      const [low, high] = [list[Math.floor(place)]!, list[Math.ceil(place)]!];
      return low + (place - Math.floor(place)) * (high - low);
    };
    const middle = at(values, 0.5);
    const away = values.map((v) => Math.abs(v - middle)).sort((a, b) => a - b);
    const sizes = [at(away, 0.5), at(values, 0.75) - at(values, 0.25), values.at(-1)! - values[0]!];
    return sizes.find((size) => size > 0) ?? 1;
  }

  /** May a plan of any legal values go there: within the column's ends where the schema names none, in its decimals? */
  private inColumn(k: number, v: number): boolean {
    const { feature } = this.study.columns[k]!;
    if (Number.isNaN(v) || isLevelled(feature) || feature.missing?.includes(v)) return true;
    const domain = this.explanation.domains?.find(({ feature: name }) => name === feature.name);
    if (domain && (v < domain.from || v > domain.to)) return false;
    if (!this.explanation.domains || feature.step !== undefined || feature.allowed) return true;
    const decimals = (value: number): number => {
      for (let d = 0; d <= 6; d++) if (Number(value.toFixed(d)) === value) return d;
      return 99;
    };
    return decimals(v) <= Math.max(0, ...this.column(k).map(decimals));
  }

  /** A legal row that is better than the proof says any is. */
  private disproof(proof: Proof): Float64Array | undefined {
    const { costs, perRow } = this;
    const cost = (members: readonly number[]): number => members.reduce((sum, k) => sum + costs[k]!, 0);
    const spent = cost(this.row.edits.map(({ feature }) => this.columnOf(feature))) * COST_TIE;
    const dear = proof.claim === "optimal" && proof.least === "cost";
    const most = dear ? perRow : proof.claim === "none exists" ? Number.POSITIVE_INFINITY : proof.edits! - 1;
    const better = (members: readonly number[]): boolean => !dear || cost(members) < spent;
    if (proof.scope === "model") {
      const moves = this.domain();
      return this.search(moves, Math.min(most, 2), better) ?? this.climb(moves, most, better);
    }
    for (const moves of this.movesOf(proof)) {
      const found = this.search(moves, most, better);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Rows of any legal values with many edits, of which there are too many to see all: for each output, the columns
   * that alone raise (or lower) its score most are edited together, 1, 2, 3, … of them. Where scores follow a sum over
   * the columns no row of as many edits goes farther.
   */
  private climb(
    moves: Moves,
    most: number,
    better: (members: readonly number[]) => boolean,
  ): Float64Array | undefined {
    const { model, rules } = this.study;
    const singles = moves.flatMap((values, k) =>
      values.map((value) => ({ k, value, row: this.with([k], [value]) })),
    );
    if (singles.length === 0) return undefined;
    const rows: Float64Array[] = [];
    for (let o = 0; o < model.outputs.length; o++) {
      const scores = scoresOf(
        model,
        singles.map(({ row }) => row),
        o,
      );
      for (const sign of [1, -1]) {
        const order = singles.map((_, t) => t).sort((a, b) => sign * (scores[b]! - scores[a]!));
        const firsts = order.filter(
          (t, at) => order.findIndex((s) => singles[s]!.k === singles[t]!.k) === at,
        );
        for (let size = 1; size <= Math.min(most, firsts.length); size++) {
          const taken = firsts.slice(0, size).map((t) => singles[t]!);
          const members = taken.map(({ k }) => k);
          const row = this.with(
            members,
            taken.map(({ value }) => value),
          );
          if (better(members) && rules.every((rule) => rule.holds(row))) rows.push(row);
        }
      }
    }
    const reached = this.reached(rows);
    return rows.find((_, t) => reached[t]);
  }

  private columnOf(name: string): number {
    return this.study.columns.findIndex(({ feature }) => feature.name === name);
  }

  private get costs(): number[] {
    return this.study.columns.map(({ feature }) => feature.cost ?? 1);
  }

  private get perRow(): number {
    return this.study.input.budget?.perRow ?? Number.POSITIVE_INFINITY;
  }

  /** The sets of rows a proof speaks of. */
  private movesOf({ references }: Proof): Moves[] {
    const { study } = this;
    if (!references) return [this.towards(this.edited(this.row.proposal))];
    return references.map((j) => this.towards(study.references[j]!));
  }

  /** Each column may take the value of another row, where that is an edit and legal. */
  private towards(other: Float64Array): Moves {
    return this.study.columns.map(({ feature, derive }, k) => {
      const [from, to] = [this.x[k]!, other[k]!];
      return derive || isSame(feature, from, to) || !mayBecome(feature, from, to) ? [] : [to];
    });
  }

  /**
   * Legal values of each column: all of a list; of a range its ends, one value in each cell that thresholds on the
   * grid cut, and values far out. Of each column those with the extreme scores are kept, and some others.
   */
  private domain(): Moves {
    return this.study.columns.map(({ feature, grid, scale, derive }, k) => {
      if (derive) return [];
      const from = this.x[k]!;
      const { min, max, allowed } = feature;
      const far = [1e3, 1e6, 1e12, 1e18, 1e25].flatMap((f) => [f * scale, -f * scale]);
      const near = grid.flatMap((v) => [v, v + 0.25 * scale, v - 0.25 * scale]);
      const listed = (allowed ?? []).filter((v): v is number => typeof v === "number");
      const all = isLevelled(feature)
        ? [...grid, Number.NaN]
        : [min ?? Number.NaN, max ?? Number.NaN, ...listed, ...near, ...far, Number.NaN];
      const whole = feature.kind === "integer" ? all.map((v) => Math.round(v)) : all;
      const legal = [...new Set(whole)].filter(
        (v) => !isSame(feature, from, v) && mayBecome(feature, from, v) && this.inColumn(k, v),
      );
      return this.extremes(k, legal);
    });
  }

  private extremes(k: number, values: readonly number[]): number[] {
    if (values.length <= 4) return [...values];
    const rows = values.map((v) => this.with([k], [v]));
    const kept = new Set<number>(values.slice(0, 1));
    for (let o = 0; o < this.study.model.outputs.length; o++) {
      const scores = scoresOf(this.study.model, rows, o);
      const order = values.map((_, t) => t).filter((t) => !Number.isNaN(scores[t]));
      order.sort((a, b) => scores[a]! - scores[b]! || Math.abs(values[a]!) - Math.abs(values[b]!));
      for (const t of [order[0], order.at(-1), order[order.length >> 1]])
        if (t !== undefined) kept.add(values[t]!);
    }
    return [...kept];
  }

  private with(members: readonly number[], values: readonly number[]): Float64Array {
    const z = this.x.slice();
    members.forEach((k, t) => {
      z[k] = values[t]!;
    });
    return completed(this.study.columns, z);
  }

  /** The first row of at most `most` edits that is `better`, legal and at the goal. */
  private search(
    moves: Moves,
    most: number,
    better: (members: readonly number[]) => boolean,
    fits: (z: Float64Array) => boolean = () => true,
  ): Float64Array | undefined {
    const { columns, rules } = this.study;
    const open = columns.map((_, k) => k).filter((k) => moves[k]!.length > 0);
    let waiting: Float64Array[] = [];
    let found: Float64Array | undefined;
    const flush = (): void => {
      const reached = this.reached(waiting);
      found ??= waiting.find((_, t) => reached[t]);
      waiting = [];
    };
    const visit = (at: number, members: number[], values: number[]): void => {
      if (found || members.length > most) return;
      if (members.length > 0 && better(members)) {
        const row = this.with(members, values);
        if (rules.every((rule) => rule.holds(row)) && fits(row)) waiting.push(row);
        if (waiting.length === BATCH) flush();
      }
      for (let t = at; t < open.length && members.length < most && !found; t++) {
        for (const v of moves[open[t]!]!) visit(t + 1, [...members, open[t]!], [...values, v]);
      }
    };
    visit(0, [], []);
    flush();
    return found;
  }

  private worded(z: Float64Array): string {
    const edits = this.study.columns.flatMap(({ feature, derive }, k) =>
      derive || Object.is(this.x[k], z[k]) ? [] : [`${feature.name} ${this.x[k]} → ${z[k]}`],
    );
    return edits.join(", ");
  }
}
