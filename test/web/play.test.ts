import { describe, expect, test } from "vitest";
import { en } from "../../show/locales/en.ts";
import { reportRow } from "../../show/report/pack.ts";
import { proofSentence } from "../../show/sentences.ts";
import { explain } from "../../src/explain.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Data } from "../../study/parts.ts";
import { questionOf, rowsOf, type Study, targetOf } from "../../study/study.ts";
import { viewCommands } from "../../web/commands/view.ts";
import type { Engine } from "../../web/engine/client.ts";
import { compareWith } from "../../web/engine/compare.ts";
import type { CallName, Calls } from "../../web/engine/protocol.ts";
import type { Finished } from "../../web/engine/run.ts";
import { type WhatIf, whatIfOf } from "../../web/engine/what-if.ts";
import { markOf } from "../../web/result/words.ts";
import { comparedOf } from "../../web/state/compared.ts";
import { inForce, planKey, plansOf, type ShownPlans, weightOf } from "../../web/state/plans.ts";
import { keyOf, type PersonView } from "../../web/state/play.ts";
import { initial } from "../../web/state/state.ts";
import { openStore, type Store } from "../../web/state/store.ts";
import { type SmallStudy, smallStudy } from "../support/exact-studies.ts";

const STUDIES = process.env["COLA_SOAK"] ? 1000 : 25;
/** What is tried of a study: each time of one of its people, from the beginning. */
const SEQUENCES = 2;
const STEPS = 10;
const SCORED = 4;
/** Every so many studies have the goal of the group. */
const GROUP = 4;
/** A study takes about a second; 1,000 of them on a busy machine. */
const LONGEST = process.env["COLA_SOAK"] ? 4 * 3_600_000 : 600_000;

/** A run of the page over a random study, with people who miss the target; undefined where nobody does. */
async function runOf({ model, constraints, rows }: SmallStudy, seed: number): Promise<Finished | undefined> {
  const { schema } = constraints;
  const data = { schema, constraints, rows } as Data;
  const group = seed % GROUP === 0 ? { effect: 0.5 + (seed % 3) / 4 } : {};
  const study: Study = {
    data,
    model: { model, title: "", digest: "", close: () => {} },
    target: targetOf(undefined, model),
    options: { rows: 3, seed, alternatives: seed % 2 === 0 ? Number.MAX_SAFE_INTEGER : 0, ...group },
    notes: [],
  };
  const people = await rowsOf(study, {});
  if (people.chosen.length === 0) return undefined;
  const made = { ...people, references: rows, notes: [] };
  const explanation = await explain(questionOf(study, made));
  return { explanation, study, x: people.x, made: async () => made };
}

/** The page's own commands over an engine that asks without a worker. */
function pageOf(run: Finished, asked: WhatIf): { store: Store; commands: ReturnType<typeof viewCommands> } {
  const served = {
    plans: ({ position, difficulty }: Calls["plans"][0]) => asked.plans(position, difficulty),
    legal: async ({ position }: Calls["legal"][0]) => asked.legal(position),
    tried: ({ position, values }: Calls["tried"][0]) => asked.tried(position, values),
  };
  const engine = {
    call: (name: CallName, argument: never) => served[name as keyof typeof served](argument),
  } as unknown as Engine;
  const store = openStore(initial("en", null));
  const result = { explanation: run.explanation, model: null, source: "", live: true };
  store.send({ type: "result", id: 1, result });
  return { store, commands: viewCommands(store, engine) };
}

/** Until nothing is on its way any more. */
async function settled(store: Store): Promise<PersonView> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const person = store.get().view.person!;
    if (person.trouble) throw new Error(JSON.stringify(person.trouble));
    if (!person.waiting && person.legal && person.tried?.values === person.play.values) return person;
  }
}

const fewestOf = ({ cards }: ShownPlans): number =>
  cards.length === 0 ? Number.POSITIVE_INFINITY : cards[0]!.edits.length;

const neverIn = (key: string): string[] | undefined => {
  const said = JSON.parse(key) as [string, string][];
  return said.every(([, how]) => how === "never") ? said.map(([name]) => name) : undefined;
};

/** What holds of a person whatever was tried, locked, called easy or hard, and undone. */
async function checkLaws(planned: ExplainedRow, person: PersonView, tried: WhatIf["tried"]): Promise<void> {
  const shown = plansOf(planned, person);
  const { difficulty } = person.play;
  const fewest = fewestOf(shown);
  for (const card of shown.cards) {
    if (card.kind === "smallest") expect(card.edits.length, "smallest are equally small").toBe(fewest);
    expect(card.edits.length, "none shown beats the smallest").toBeGreaterThanOrEqual(fewest);
    for (const { feature } of card.edits) expect(difficulty[feature], "never changes").not.toBe("never");
  }
  const { row } = inForce(planned, person);
  if (shown.cards.length > 0) {
    expect(planKey(row), "the list shows the plan of the panel").toBe(shown.cards[0]!.key);
    for (const { feature } of row.edits) expect(difficulty[feature], "nothing locked").not.toBe("never");
  }
  const values = shown.cards.map(({ edits }) =>
    Object.fromEntries(edits.map(({ feature, to }) => [feature, to])),
  );
  for (const one of await tried(person.position, values.slice(0, SCORED))) {
    expect(one.reached, "every plan reaches the target").toBe(true);
    expect(one.wrong, "every plan is legal").toEqual([]);
  }
  const sets = shown.cards.filter(({ kind }) => kind === "smallest").map(setOf);
  expect(new Set(sets).size, "no set twice").toBe(sets.length);
  const weights = shown.cards.map((card) => weightOf(card, difficulty));
  const light = shown.cards.find(({ kind }) => kind === "easiest") ?? shown.cards[0];
  const weighed = Object.values(difficulty).some((how) => how !== "never");
  if (light && weighed)
    expect(Math.min(...weights.slice(0, sets.length)), "easiest").toBeGreaterThanOrEqual(
      Math.min(weightOf(light, difficulty), ...weights.slice(0, sets.length)),
    );
  locksNeverHelp(planned, person);
  const sure = planned.proof?.claim === "optimal" && Object.keys(difficulty).length === 0;
  if (planned.valid && sure) expect(fewest, "table and panel agree").toBe(planned.edits.length);
}

const setOf = ({ edits }: { readonly edits: readonly { readonly feature: string }[] }): string =>
  edits
    .map(({ feature }) => feature)
    .sort()
    .join();

/** Whatever was answered: with more locks there are never fewer edits. */
function locksNeverHelp(planned: ExplainedRow, person: PersonView): void {
  const asked = Object.keys(person.answers).flatMap((key) => {
    const locks = neverIn(key);
    if (!locks) return [];
    const difficulty = Object.fromEntries(locks.map((name) => [name, "never" as const]));
    const play = { values: {}, difficulty };
    return [{ locks, fewest: fewestOf(plansOf(planned, { ...person, play })) }];
  });
  for (const some of asked)
    for (const more of asked)
      if (some.locks.every((name) => more.locks.includes(name)))
        expect(more.fewest, `${some.locks} then ${more.locks}`).toBeGreaterThanOrEqual(some.fewest);
}

/** One thing that a person does. */
function act(
  random: Random,
  person: PersonView,
  planned: ExplainedRow,
  page: ReturnType<typeof pageOf>,
): unknown {
  const { commands, store } = page;
  const open = person.legal!.filter((one) => one.open);
  const feature = open[random.int(Math.max(1, open.length))];
  const what = random.next();
  const { cards } = plansOf(planned, person);
  if (what < 0.25) return commands.undo();
  if (!feature) return commands.reset();
  if (what < 0.5) {
    const card = cards[random.int(Math.max(1, cards.length))];
    const lock = card?.edits[random.int(Math.max(1, card.edits.length))]?.feature ?? feature.feature;
    return commands.difficulty(lock, "never");
  }
  if (what < 0.7) {
    const hows = ["easy", "hard", null] as const;
    return commands.difficulty(feature.feature, hows[random.int(3)]!);
  }
  if (what < 0.85) {
    const { cells, low = 0, high = 1, step = 0 } = feature;
    const number = low + random.next() * (high - low);
    const value = cells ? cells[random.int(cells.length)]! : step > 0 ? Math.round(number) : number;
    commands.attempt(feature.feature, value, true);
    return commands.attempt(feature.feature, value, false);
  }
  const card = cards[random.int(Math.max(1, cards.length))];
  if (!card) return commands.reset();
  if (what < 0.93) return commands.pin(card);
  commands.load(Object.fromEntries(card.edits.map(({ feature: name, to }) => [name, to])));
  return store.send({ type: "kind", kind: "smallest" });
}

/** One person from the beginning to the last undo; how often something was locked. */
async function sequence(run: Finished, asked: WhatIf, page: ReturnType<typeof pageOf>, random: Random) {
  const position = random.int(run.explanation.rows.length);
  const planned = run.explanation.rows[position]!;
  const group = run.explanation.goal.kind === "group";
  page.commands.look(position);
  let person = await settled(page.store);
  checkOthers(run.explanation, planned, person);
  let locked = 0;
  for (let step = 0; step < STEPS; step++) {
    act(random, person, planned, page);
    person = await settled(page.store);
    locked += Number(Object.values(person.play.difficulty).includes("never"));
    await (group ? checkGroup(run, person, asked.tried) : checkLaws(planned, person, asked.tried)).catch(
      (error) => {
        error.message = `step ${step}: ${error.message}`;
        throw error;
      },
    );
  }
  await undoAll(page, planned, group);
  page.commands.look(null);
  return locked;
}

/** A goal of the group marks nobody as failed, and offers nobody a plan of their own; values stay legal or are called wrong. */
async function checkGroup(run: Finished, person: PersonView, tried: WhatIf["tried"]): Promise<void> {
  const { explanation } = run;
  const planned = explanation.rows[person.position]!;
  const now = inForce(planned, person);
  for (const row of [...explanation.rows, now.row]) expect(markOf(explanation, row)).toBe("moved");
  expect(Object.keys(person.answers), "no plan for one alone is asked for").toEqual([]);
  if (now.plan) expect(now.row.edits, "the plan is the group's").toEqual(planned.edits);
  const values = Object.fromEntries(planned.edits.map(({ feature, to }) => [feature, to]));
  const [one] = await tried(person.position, [values]);
  expect(one!.wrong, "the plan is legal").toEqual([]);
  expect(one!.score).toBe(planned.after);
}

/** List, report and comparison say of a person and of everybody what the panel says. */
function checkOthers(explanation: Explanation, planned: ExplainedRow, person: PersonView): void {
  const { shown, row } = inForce(planned, person);
  const { schema, goal, outputs, output, rows, totals } = explanation;
  const told = reportRow(planned, { locale: en, schema, goal, outputs, output, codes: {} });
  expect(told.edits).toEqual(planned.edits);
  if (goal.kind === "each" && planned.proof?.claim === "optimal") {
    expect(told.proof).toBe(proofSentence(planned.proof, en, schema));
    expect(row.edits.length, "list, report and panel have as few edits").toBe(told.edits.length);
    for (const { edits } of shown.cards) expect(edits.length).toBeGreaterThanOrEqual(told.edits.length);
    const { scope, least } = planned.proof;
    expect(shown.proven, "the cards say what the proof says").toBe(scope === "model" && least === undefined);
  }
  const compared = comparedOf("this run", explanation);
  expect(compared.edits).toBe(rows.reduce((sum, { edits }) => sum + edits.length, 0));
  expect([compared.valid, compared.rows]).toEqual([totals.valid, rows.length]);
}

/** No method of the comparison has fewer edits for everybody than a result that is proven smallest for each. */
async function checkCompared(run: Finished): Promise<boolean> {
  const { explanation } = run;
  const proven = explanation.rows.every(({ proof, valid }) => valid && proof?.claim === "optimal");
  if (explanation.goal.kind === "group" || !proven) return false;
  const own = comparedOf("this run", explanation);
  for (const id of ["minimal", "transport-greedy", "nearest-greedy"]) {
    const other = await compareWith(run, id, {});
    if (other.valid === other.rows) expect(other.edits, id).toBeGreaterThanOrEqual(own.edits);
  }
  return true;
}

describe("what a person tries, over random studies", () => {
  test(
    `${STUDIES} studies, ${SEQUENCES} times each: the laws hold after every step, and undo restores the bytes`,
    async () => {
      const counts = { studies: 0, groups: 0, locked: 0, compared: 0 };
      for (let seed = 1; counts.studies < STUDIES; seed++) {
        const run = await runOf(smallStudy(seed), seed);
        if (!run) continue;
        counts.studies++;
        counts.groups += Number(run.explanation.goal.kind === "group");
        const asked = await whatIfOf(run);
        const page = pageOf(run, asked);
        const random = stream(seed, "play");
        const before = JSON.stringify(run.explanation);
        try {
          for (let k = 0; k < SEQUENCES; k++) counts.locked += await sequence(run, asked, page, random);
          counts.compared += Number(await checkCompared(run));
        } catch (error) {
          (error as Error).message = `study ${seed}: ${(error as Error).message}`;
          throw error;
        }
        expect(JSON.stringify(run.explanation), "the run stays as it is").toBe(before);
      }
      expect(counts.groups).toBeGreaterThan(STUDIES / 10);
      expect(counts.compared).toBeGreaterThan(STUDIES / 4);
      expect(counts.locked).toBeGreaterThan(2 * STUDIES);
    },
    LONGEST,
  );
});

/** Every undo is the play before it, to the byte, and the plans are those of that play. */
async function undoAll(
  page: ReturnType<typeof pageOf>,
  planned: ExplainedRow,
  group: boolean,
): Promise<void> {
  for (;;) {
    const { past } = page.store.get().view.person!;
    if (past.length === 0) break;
    page.commands.undo();
    const person = await settled(page.store);
    expect(JSON.stringify(person.play)).toBe(JSON.stringify(past.at(-1)));
    expect(person.past).toEqual(past.slice(0, -1));
  }
  const person = page.store.get().view.person!;
  expect(JSON.stringify(person.play)).toBe('{"values":{},"difficulty":{}}');
  if (group) return;
  const shown = plansOf(planned, person);
  const first = person.answers[keyOf({})]!.row;
  if (planned.valid && shown.complete) expect(shown.cards[0]!.edits).toEqual(first.edits);
}
