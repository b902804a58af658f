import { describe, expect, test } from "vitest";
import type { Explanation } from "../../src/explanation.ts";
import type { Job } from "../../web/remote/jobs.ts";
import { defaultChoices } from "../../web/settings.ts";
import { keyOf, NOTHING } from "../../web/state/play.ts";
import { type Action, reduce } from "../../web/state/reduce.ts";
import { initial, placeOf, type Result, type State } from "../../web/state/state.ts";
import { openStore } from "../../web/state/store.ts";
import { madeUpExplanation } from "../support/explanations.ts";

const explanation: Explanation = madeUpExplanation({ rows: 5, cols: 4 });
const live: Result = { explanation, model: null, source: "a.csv", live: true };
const trouble = { code: "X", message: "no" } as const;
const first = initial("en", null);
const through = (state: State, ...actions: readonly Action[]): State => actions.reduce(reduce, state);

const data = (classes?: readonly string[]) => ({
  source: "a.csv",
  rows: 3,
  columns: ["a"],
  schema: { features: [{ name: "a", kind: "numeric" as const }] },
  notes: [],
  preview: [],
  ranges: [],
  ...(classes ? { classes } : {}),
});

const job = (id: string, createdAt = "2026-01-01"): Job => ({
  id,
  state: "running",
  attempt: 1,
  progress: null,
  error: null,
  createdAt,
  startedAt: null,
  finishedAt: null,
  about: { data: null, model: {}, options: {} },
});

describe("set-up", () => {
  test("language, steps, sections, place and messages", () => {
    const state = through(
      first,
      { type: "language", language: "de" },
      { type: "step", step: "model" },
      { type: "fold", id: "notes", open: true },
      { type: "place", place: "page" },
      { type: "trouble", where: "data", trouble },
    );
    expect(state).toMatchObject({
      language: "de",
      step: "model",
      open: { notes: true },
      wanted: "page",
      trouble: { ...trouble, where: "data" },
    });
    expect(reduce(state, { type: "dismiss" }).trouble).toBeNull();
  });

  test("edits add up, and another table forgets them with counterfactuals and target, but keeps a model file: it may belong to it", () => {
    const state = through(
      first,
      { type: "data", info: data(["no", "yes"]) },
      { type: "edit", feature: "a", change: { min: 1 } },
      { type: "edit", feature: "a", change: { max: 2 } },
      { type: "choose", change: { target: "yes", rows: 7 } },
      { type: "model", info: { title: "m", outputs: ["no", "yes"] } },
      { type: "given", name: "c.csv", rows: 3 },
    );
    expect(state.edits).toEqual({ a: { min: 1, max: 2 } });
    expect(state.choices).toEqual({ ...defaultChoices, rows: 7, model: "file", generator: "given" });
    expect(state.given).toEqual({ name: "c.csv", rows: 3 });
    const next = reduce(state, { type: "data", info: data(["no", "yes"]) });
    expect([next.edits, next.loadedModel, next.given]).toEqual([{}, state.loadedModel, null]);
    expect(next.choices).toEqual({ ...defaultChoices, rows: 7, model: "file" });
    expect(reduce(state, { type: "data", info: data() }).choices.model, "nothing to train").toBe("file");
  });

  test("columns with other roles keep what was said of features that stay as they are", () => {
    const feature = (name: string, kind: "numeric" | "integer") => ({ name, kind }) as const;
    const info = (...features: ReturnType<typeof feature>[]) => ({
      ...data(["no", "yes"]),
      schema: { features },
    });
    const state = through(
      first,
      { type: "data", info: info(feature("a", "numeric"), feature("b", "numeric"), feature("c", "numeric")) },
      { type: "edit", feature: "a", change: { min: 1 } },
      { type: "edit", feature: "b", change: { min: 2 } },
      { type: "edit", feature: "c", change: { min: 3 } },
    );
    const next = reduce(state, {
      type: "roles",
      info: info(feature("a", "numeric"), feature("b", "integer")),
    });
    expect(next.edits).toEqual({ a: { min: 1 } });
  });

  test("what should be reached stays said when the names of the rows are chosen, not when the outcome is another", () => {
    const info = { ...data(["no", "yes"]), label: "outcome" };
    const state = through(first, { type: "data", info }, { type: "choose", change: { target: "yes" } });
    const roles = (change: object) => reduce(state, { type: "roles", info: { ...info, ...change } });
    expect(roles({ id: "name" }).choices.target).toBe("yes");
    expect(roles({ label: "other" }).choices.target).toBe("");
  });

  test("the page is busy until the newest reading ends, and a new one takes the message away", () => {
    const state = through(
      first,
      { type: "trouble", where: "data", trouble },
      { type: "busy", id: 1, message: "first" },
      { type: "busy", id: 2, message: "second" },
    );
    expect(state).toMatchObject({ busy: { id: 2, message: "second" }, trouble: null });
    expect(reduce(state, { type: "idle", id: 1 })).toBe(state);
    expect(reduce(state, { type: "idle", id: 2 }).busy).toBeNull();
  });
});

describe("a run", () => {
  const running = through(first, { type: "ask for a run" }, { type: "run", id: 1 });
  const progress = { stage: "match", done: 1, total: 2 };

  test("starts, tells how far it is, and ends with a result and a fresh view", () => {
    const message = reduce(running, { type: "progress", id: 1, progress, at: 0 });
    expect(message.run).toMatchObject({ id: 1, progress });
    const done = through(message, { type: "tab", tab: "files" }, { type: "ran", id: 1, result: live });
    expect(done).toMatchObject({ run: null, result: live, asked: true, view: { of: 1, tab: "people" } });
    expect(reduce(done, { type: "seen" }).asked).toBe(false);
  });

  test("is one at a time: a second start changes nothing", () => {
    expect(reduce(running, { type: "run", id: 2 })).toBe(running);
  });

  test("that failed is message, and the result before stays", () => {
    const before = through(first, { type: "result", id: 1, result: live }, { type: "run", id: 2 });
    const failed = reduce(before, { type: "run failed", id: 2, trouble });
    expect(failed).toMatchObject({ run: null, result: live, trouble: { code: "X", where: "run" } });
  });

  test("that was cancelled has nothing more to say: progress, failure and result come too late", () => {
    const cancelled = reduce(running, { type: "cancel" });
    expect(cancelled).toMatchObject({ run: null, trouble: { where: "cancelled" } });
    const late: readonly Action[] = [
      { type: "progress", id: 1, progress, at: 0 },
      { type: "run failed", id: 1, trouble },
      { type: "ran", id: 1, result: live },
      { type: "cancel" },
    ];
    for (const action of late) expect(reduce(cancelled, action), action.type).toBe(cancelled);
    const next = reduce(cancelled, { type: "run", id: 2 });
    for (const action of late.slice(0, 3)) expect(reduce(next, action), action.type).toBe(next);
  });

  test("whose answer came too late took the worker along: the result shown can be asked nothing more", () => {
    const other = { ...live, source: "b.csv" };
    const shown = through(
      first,
      { type: "result", id: 1, result: live },
      { type: "run", id: 2 },
      { type: "cancel" },
    );
    const late = reduce(shown, { type: "ran", id: 2, result: other });
    expect(late.result).toEqual({ ...live, live: false, why: { key: "overtaken" } });
    expect(late.view).toBe(shown.view);
  });

  test("that never began cannot be cancelled, fail or end", () => {
    const early: readonly Action[] = [
      { type: "cancel" },
      { type: "progress", id: 1, progress, at: 0 },
      { type: "run failed", id: 1, trouble },
      { type: "ran", id: 1, result: live },
    ];
    for (const action of early) expect(reduce(first, action), action.type).toBe(first);
  });
});

describe("the view of a result", () => {
  const shown = reduce(first, { type: "result", id: 3, result: live });
  const row = explanation.rows[0]!;

  test("keeps search, order, slider, group, language, codes and places through every change of tab", () => {
    const set: readonly Action[] = [
      { type: "people", change: { find: "x", order: "few" } },
      { type: "people", change: { all: true } },
      { type: "person", position: 2 },
      { type: "difficulty", feature: "f0", how: "never" },
      { type: "budget", edits: 4 },
      { type: "by", feature: 3 },
      { type: "want", method: "minimal", wanted: false },
      { type: "want", method: "exact-sample", wanted: true },
      { type: "files", change: { language: "de" } },
      { type: "codes", codes: { f0: { code: "R1", text: "t" } } },
      { type: "scrolled", of: 3, id: "people", top: 120 },
    ];
    const state = through(shown, ...set);
    const { tab: _, ...kept } = state.view;
    expect(kept).toMatchObject({
      people: { find: "x", show: "all", order: "few", all: true },
      person: { position: 2, play: { values: {}, difficulty: { f0: "never" } } },
      budget: { edits: 4 },
      by: 3,
      compare: { wanted: ["transport-greedy", "transport-sample", "random-sample", "exact-sample"] },
      files: { language: "de" },
      codes: { f0: { code: "R1" } },
      scrolled: { people: 120 },
    });
    const back = ["budget", "group", "compare", "files", "people"].reduce(
      (now, tab) => reduce(now, { type: "tab", tab }),
      state,
    );
    const { tab, ...rest } = back.view;
    expect([tab, rest]).toEqual(["people", kept]);
  });

  test("starts anew with another result", () => {
    const state = through(shown, { type: "person", position: 2 }, { type: "result", id: 4, result: live });
    expect(state.view).toEqual(reduce(first, { type: "result", id: 4, result: live }).view);
  });

  test("a person: only the newest question is answered, and only while it is waited for", () => {
    const asked = through(
      shown,
      { type: "person", position: 1 },
      { type: "person asked", of: 3, ask: 7 },
      { type: "difficulty", feature: "f1", how: "never" },
      { type: "person asked", of: 3, ask: 8 },
    );
    const difficulty = { f1: "never" } as const;
    const plans = { row, after: [] };
    const answer = (ask: number, of = 3): Action => ({
      ...{ type: "person answered", of, ask },
      ...{ difficulty, plans, tookMs: 5 },
    });
    expect(reduce(asked, answer(7))).toBe(asked);
    expect(reduce(asked, answer(8, 2)), "of another result").toBe(asked);
    const answered = reduce(asked, answer(8));
    expect(answered.view.person).toMatchObject({ waiting: false, tookMs: 5, trouble: null });
    expect(answered.view.person?.answers).toEqual({ [keyOf(difficulty)]: plans });
    expect(reduce(answered, { type: "person failed", of: 3, ask: 8, trouble: "x" })).toBe(answered);
    const failed = reduce(asked, { type: "person failed", of: 3, ask: 8, trouble: "x" });
    expect(failed.view.person).toMatchObject({ waiting: false, trouble: "x" });
    const other = reduce(asked, { type: "person", position: 0 });
    expect(other.view.person).toMatchObject({ position: 0, play: NOTHING, answers: {} });
    expect(reduce(other, answer(8)), "of another person").toBe(other);
    expect(reduce(asked, { type: "person", position: 1 }), "the same person").toBe(asked);
    const left = reduce(asked, { type: "person", position: null });
    expect(left.view.person).toBeNull();
    expect(reduce(left, answer(8))).toBe(left);
    expect(reduce(left, { type: "difficulty", feature: "f0", how: "easy" })).toBe(left);
  });

  test("a control that moves is one step to undo, a step that changes nothing is none", () => {
    const moved = through(
      shown,
      { type: "person", position: 1 },
      { type: "try", feature: "f0", value: 1, moving: true },
      { type: "try", feature: "f0", value: 2, moving: true },
      { type: "try", feature: "f0", value: 3 },
      { type: "difficulty", feature: "f0", how: null },
      { type: "load", values: { f1: 5 } },
    );
    expect(moved.view.person).toMatchObject({
      play: { values: { f1: 5 } },
      past: [NOTHING, { values: { f0: 3 }, difficulty: {} }],
    });
    const once = reduce(moved, { type: "undo" });
    expect(once.view.person?.play.values).toEqual({ f0: 3 });
    const back = through(once, { type: "undo" }, { type: "undo" });
    expect(back.view.person).toMatchObject({ play: NOTHING, past: [] });
    const pinned = through(
      back,
      { type: "pin", plan: "p" },
      { type: "pin", plan: "q" },
      { type: "pin", plan: "p" },
    );
    expect(pinned.view.person?.pinned).toEqual(["q"]);
  });

  test("the budget: scores of one that was left are dropped", () => {
    const scores = { scores: new Float64Array([1]), reached: new Uint8Array([1]) };
    const answer = (edits: number, of = 3): Action => ({ type: "scores answered", of, edits, scores });
    const order = [{ row: 0, feature: 1 }];
    const state = through(shown, { type: "order answered", of: 3, order }, { type: "budget", edits: 2 });
    expect(state.view.budget.order).toBe(order);
    expect(reduce(shown, answer(9)).view.budget.scores, "before the slider moved").toBe(scores);
    expect(reduce(state, answer(1))).toBe(state);
    expect(reduce(state, answer(2, 2))).toBe(state);
    expect(reduce(state, answer(2)).view.budget.scores).toBe(scores);
    expect(reduce(shown, { type: "order failed", of: 3, trouble: "x" }).view.budget.trouble).toBe("x");
    expect(reduce(shown, { type: "order answered", of: 2, order })).toBe(shown);
  });

  test("a comparison: one at a time, nothing from one that was stopped", () => {
    const outcome = { id: "minimal", trouble: "x" };
    const state = through(
      shown,
      { type: "compare", ask: 5 },
      { type: "comparing", of: 3, ask: 5, method: "minimal" },
    );
    expect(state.view.compare.busy).toEqual({ ask: 5, method: "minimal" });
    expect(reduce(state, { type: "compare", ask: 6 })).toBe(state);
    const one = reduce(state, { type: "compared", of: 3, ask: 5, outcome });
    expect(one.view.compare.done).toEqual([outcome]);
    const ended = reduce(one, { type: "compare ended", of: 3, ask: 5 });
    expect(ended.view.compare).toMatchObject({ busy: null, done: [outcome] });
    expect(reduce(ended, { type: "compared", of: 3, ask: 5, outcome })).toBe(ended);
    const again = reduce(ended, { type: "compare", ask: 6 });
    expect(again.view.compare).toMatchObject({ done: [], busy: { ask: 6 } });
    expect(reduce(again, { type: "compare ended", of: 3, ask: 5 })).toBe(again);
    const nothing = through(
      shown,
      ...shown.view.compare.wanted.map((method): Action => ({ type: "want", method, wanted: false })),
    );
    expect(reduce(nothing, { type: "compare", ask: 5 })).toBe(nothing);
  });
});

describe("the server", () => {
  const there = through(
    initial("en", "a"),
    { type: "server", info: { version: "1", key: true }, need: "first" },
    { type: "jobs", jobs: [job("b")] },
  );

  test("is where runs are made when there is one and it is wanted", () => {
    expect(placeOf(first)).toBe("page");
    expect(placeOf(there)).toBe("server");
    expect(placeOf(reduce(there, { type: "place", place: "page" }))).toBe("page");
    expect(there.server.need, "a list was given").toBe("no");
    expect(reduce(there, { type: "key", need: "refused" }).server.need).toBe("refused");
  });

  test("jobs: the newest first, the one in the address stays in the list", () => {
    const state = through(there, { type: "job", job: job("a", "2026-01-02") });
    expect(state.server.jobs.map(({ id }) => id)).toEqual(["a", "b"]);
    const again = reduce(state, { type: "jobs", jobs: [job("c"), job("b")] });
    expect(again.server.jobs.map(({ id }) => id)).toEqual(["c", "b", "a"]);
    const progress = { stage: "match", done: 1, total: 2 };
    const message = reduce(again, { type: "job progress", id: "b", progress });
    expect(message.server.jobs.map((one) => one.progress)).toEqual([null, progress, null]);
    const done = reduce(message, { type: "job", job: { ...job("b"), state: "done" } });
    expect(done.server.jobs[1]!.state).toBe("done");
    expect(reduce(there, { type: "names", names: { x: "t.csv" } }).server.names).toEqual({ x: "t.csv" });
  });

  test("the address: another job takes result, loss and failure away; news of one that was left are dropped", () => {
    const ofA = { ...live, job: "a", live: false, why: "soon" };
    const shown = through(
      there,
      { type: "result", id: 9, result: ofA },
      { type: "lost", id: "a", lost: true },
      { type: "unshown", id: "a", failure: "gone" },
    );
    expect(shown).toMatchObject({ result: ofA, server: { lost: true, failure: "gone" } });
    expect(reduce(shown, { type: "address", id: "a" })).toBe(shown);
    const moved = reduce(shown, { type: "address", id: "b" });
    expect(moved).toMatchObject({ result: null, server: { current: "b", lost: false, failure: null } });
    const late: readonly Action[] = [
      { type: "result", id: 10, result: ofA },
      { type: "job inputs", job: "a" },
      { type: "lost", id: "a", lost: true },
      { type: "unshown", id: "a", failure: "x" },
    ];
    for (const action of late) expect(reduce(moved, action), action.type).toBe(moved);
  });

  test("a job's result is asked about when its table and model are here, or says why it cannot be", () => {
    const shown = reduce(there, {
      type: "result",
      id: 9,
      result: { ...live, job: "a", live: false, why: "soon" },
    });
    expect(reduce(shown, { type: "job inputs", job: "a" }).result).toEqual({ ...live, job: "a" });
    const not = reduce(shown, { type: "job inputs", job: "a", why: { key: "questionsNotGone" } });
    expect(not.result).toMatchObject({ live: false, why: { key: "questionsNotGone" } });
    expect(reduce(shown, { type: "job inputs", job: "b" }), "of another job").toBe(shown);
  });

  test("a run of the page, or one from a file, leaves the job", () => {
    expect(reduce(there, { type: "result", id: 9, result: live }).server.current).toBeNull();
  });
});

test("the store tells of every change, and of nothing else", () => {
  const store = openStore(first);
  let message = 0;
  const stop = store.subscribe(() => message++);
  store.send({ type: "cancel" });
  expect(message).toBe(0);
  store.send({ type: "step", step: "model" });
  expect([message, store.get().step]).toEqual([1, "model"]);
  stop();
  store.send({ type: "step", step: "data" });
  expect(message).toBe(1);
  expect([store.number(), store.number()]).toEqual([1, 2]);
});

test("no action changes the state it is given", () => {
  const frozen = <T>(value: T): T => {
    if (value !== null && typeof value === "object" && !ArrayBuffer.isView(value)) {
      Object.freeze(value);
      Object.values(value).forEach(frozen);
    }
    return value;
  };
  const actions: readonly Action[] = [
    { type: "data", info: data(["no", "yes"]) },
    { type: "edit", feature: "a", change: { min: 1 } },
    { type: "run", id: 1 },
    { type: "ran", id: 1, result: live },
    { type: "person", position: 1 },
    { type: "compare", ask: 2 },
    { type: "job", job: job("a") },
    { type: "jobs", jobs: [job("b")] },
  ];
  let state = frozen(first);
  for (const action of actions) state = frozen(reduce(state, frozen(action)));
  expect(state.view.person?.position).toBe(1);
});
