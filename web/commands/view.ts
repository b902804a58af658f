import { today } from "../../show/date.ts";
import { checkReasonCodes } from "../../show/reason-codes.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import type { Cell } from "../../src/types.ts";
import type { Engine } from "../engine/client.ts";
import { methods } from "../engine/methods.ts";
import { pngOf } from "../result/png.ts";
import { save } from "../result/save.ts";
import type { Condition } from "../state/cohort.ts";
import type { ShownPlan } from "../state/plans.ts";
import { curveKey, keyOf } from "../state/play.ts";
import type { Store } from "../state/store.ts";
import type { Outcome } from "../state/view.ts";
import { languages } from "../words/said.ts";
import { troubleOf } from "./trouble.ts";

/** The numbers plans give a feature, and the ends of the ranges that are certified with them. */
function plannedAt(name: string, rows: readonly ExplainedRow[]): number[] {
  const cells = rows.flatMap(({ edits, ranges = [], alternatives }) => [
    ...[{ edits }, ...alternatives].flatMap((plan) =>
      plan.edits.flatMap(({ feature, to }) => (feature === name ? [to] : [])),
    ),
    ...ranges.flatMap(({ feature, from, to }) => (feature === name ? [from, to] : [])),
  ]);
  return [...new Set(cells.filter((cell): cell is number => typeof cell === "number"))];
}

/** Questions about a result. Each has a number, so that an answer nobody waits for any more is dropped. */
export function viewCommands(store: Store, engine: Engine) {
  const { get, send } = store;
  let person = new AbortController();
  let scores = new AbortController();
  let comparison = new AbortController();

  /** Asks for the plans of the person looked at, under what they find easy, hard or never change. */
  const ask = async (): Promise<void> => {
    person.abort();
    person = new AbortController();
    const { signal } = person;
    const { view, result } = get();
    if (!view.person || !result?.live || result.explanation.goal.kind !== "each") return;
    const { position, play, answers } = view.person;
    const { difficulty } = play;
    const about = { of: view.of, ask: store.number() };
    const known = answers[keyOf(difficulty)];
    send({ type: "person asked", ...about });
    const start = performance.now();
    try {
      const plans = known ?? (await engine.call("plans", { position, difficulty }, { signal }));
      send({ type: "person answered", ...about, difficulty, plans, tookMs: performance.now() - start });
    } catch (error) {
      send({ type: "person failed", ...about, trouble: troubleOf(error).message });
    }
  };

  /** One question at a time: what was tried meanwhile is asked when the answer is here. */
  let scoring = false;
  const score = async (): Promise<void> => {
    if (scoring || !get().result?.live) return;
    scoring = true;
    try {
      for (;;) {
        const { of, person: now } = get().view;
        if (!now || now.tried?.values === now.play.values) return;
        const { position } = now;
        const { values } = now.play;
        const [is] = await engine.call("tried", { position, values: [values] });
        send({ type: "tried", of, position, values, is: is! });
      }
    } catch (error) {
      const { of, person: now } = get().view;
      if (now) send({ type: "person failed", of, ask: now.ask, trouble: troubleOf(error).message });
    } finally {
      scoring = false;
    }
  };

  /** The curve that is drawn, where it is not known yet: one question at a time. */
  let drawing = false;
  const draw = async (): Promise<void> => {
    if (drawing || !get().result?.live) return;
    drawing = true;
    try {
      for (;;) {
        const { of, person: now } = get().view;
        if (!now || now.curve === null) return;
        const { position, curve: feature, play } = now;
        const key = curveKey(feature, play.values);
        if (Object.hasOwn(now.curves, key)) return;
        const row = get().result!.explanation.rows[position]!;
        const also = plannedAt(feature, [row, ...Object.values(now.answers).map((answer) => answer.row)]);
        const values = play.values;
        const curve = await engine.call("dependence", { position, feature, values, also });
        send({ type: "curve known", of, position, key, curve });
      }
    } catch (error) {
      const { of, person: now } = get().view;
      if (now) send({ type: "person failed", of, ask: now.ask, trouble: troubleOf(error).message });
    } finally {
      drawing = false;
    }
  };
  const tryOn = (): void => {
    void score();
    void draw();
  };

  return {
    /** Draws how the score depends on a feature; null: nothing. */
    curve: (feature: string | null): void => {
      send({ type: "curve", feature });
      void draw();
    },
    /** Looks at a person, by their position in the explanation. */
    look: (position: number | null): void => {
      if (position === get().view.person?.position) return;
      send({ type: "person", position });
      const { result, view } = get();
      if (position === null || !result?.live) return;
      const { of } = view;
      engine.call("legal", { position }).then(
        (legal) => send({ type: "legal", of, position, legal }),
        () => {},
      );
      void score();
      void ask();
    },
    /** A value is tried; while its control moves, that is one step. */
    attempt: (feature: string, value: Cell, moving = false): void => {
      send({ type: "try", feature, value, moving });
      tryOn();
    },
    load: (values: Readonly<Record<string, Cell>>): void => {
      send({ type: "load", values });
      tryOn();
    },
    difficulty: (feature: string, how: "easy" | "hard" | "never" | null): void => {
      send({ type: "difficulty", feature, how });
      void ask();
    },
    /** A plan is put beside others; which values are enough for it is asked with everything else held. */
    pin: ({ key, edits, ranges }: ShownPlan): void => {
      send({ type: "pin", plan: key });
      const { of, person: now } = get().view;
      const { result } = get();
      if (!now?.pinned.includes(key) || ranges || !result?.live) return;
      const changed = new Set(edits.map(({ feature }) => feature));
      const others = result.explanation.schema.features.filter(({ name }) => !changed.has(name));
      const difficulty = Object.fromEntries(others.map(({ name }) => [name, "never" as const]));
      const { position } = now;
      engine.call("plans", { position, difficulty }).then(
        (plans) => send({ type: "plans known", of, position, difficulty, plans }),
        () => {},
      );
    },
    undo: (): void => {
      send({ type: "undo" });
      tryOn();
      void ask();
    },
    reset: (): void => {
      send({ type: "reset" });
      tryOn();
      void ask();
    },
    /** Whom every part is about. */
    cohort: (conditions: readonly Condition[]): void => send({ type: "cohort", conditions }),
    /** The order in which edits are spent; asked for once per result. */
    order: async (): Promise<void> => {
      const { of } = get().view;
      try {
        send({ type: "order answered", of, order: await engine.call("order", {}) });
      } catch (error) {
        send({ type: "order failed", of, trouble: troubleOf(error).message });
      }
    },
    /** The model's answers under a budget, spent among some people where these are told; the question before is dropped. */
    scores: async (edits: number, among: readonly number[] | null = null): Promise<void> => {
      scores.abort();
      scores = new AbortController();
      const { signal } = scores;
      const { of } = get().view;
      const about = { edits, ...(among ? { among } : {}) };
      const answer = await engine.call("scores", about, { signal }).catch(() => null);
      if (answer && !signal.aborted) send({ type: "scores answered", of, edits, scores: answer });
    },
    compare: async (): Promise<void> => {
      const about = { of: get().view.of, ask: store.number() };
      send({ type: "compare", ask: about.ask });
      const { compare } = get().view;
      if (compare.busy?.ask !== about.ask) return;
      comparison = new AbortController();
      const { signal } = comparison;
      for (const { id } of methods.filter((one) => compare.wanted.includes(one.id))) {
        if (signal.aborted) break;
        send({ type: "comparing", ...about, method: id });
        const outcome: Outcome = await engine
          .call("compare", { method: id }, { signal })
          .catch((error) => ({ id, trouble: troubleOf(error).message }));
        if (!signal.aborted) send({ type: "compared", ...about, outcome });
      }
      send({ type: "compare ended", ...about });
    },
    /** Writes the letter for the person looked at anew: in another language, from another sender. */
    letter: async (change: { language?: string; sender?: string } = {}): Promise<void> => {
      const { view, language } = get();
      const position = view.person?.position ?? view.letter?.position;
      if (position === undefined) return;
      const before = view.letter ?? { position, language, sender: "", made: null, trouble: null };
      const letter = { ...before, ...change };
      const about = { language: letter.language, sender: letter.sender };
      send({ type: "letter", letter });
      const { locale } = await languages[letter.language]!.load();
      const options = { position, date: today(), sender: letter.sender, locale, codes: view.codes };
      const told = await engine.call("letter", options).then(
        (made) => ({ made, trouble: null }),
        (error) => ({ made: null, trouble: troubleOf(error).message }),
      );
      const now = get().view.letter;
      if (now && now.language === about.language && now.sender === about.sender)
        send({ type: "letter", letter: { ...letter, ...told } });
    },
    saveLetter: async (): Promise<void> => {
      const { letter } = get().view;
      if (letter?.made) await save(letter.made.file);
    },
    stopComparing: (): void => comparison.abort(),
    download: async (kind: string): Promise<void> => {
      const { view, language } = get();
      send({ type: "files", change: { busy: kind, message: "" } });
      try {
        const { locale } = await languages[view.files.language ?? language]!.load();
        const asked = kind === "png" ? "svg" : kind;
        const made = await engine.call("files", {
          kind: asked,
          locale,
          reasons: view.codes,
          date: today(),
        });
        const files = kind === "png" ? await Promise.all(made.map(pngOf)) : made;
        for (const file of files) await save(file);
        const names = files.map((file) => file.name).join(", ");
        send({ type: "files", change: { message: { key: "saved", values: { names } } } });
      } catch (error) {
        send({ type: "files", change: { message: troubleOf(error).message } });
      } finally {
        send({ type: "files", change: { busy: "" } });
      }
    },
    takeCodes: async (file: File): Promise<void> => {
      try {
        const codes = checkReasonCodes(file.name, JSON.parse(await file.text()));
        send({ type: "codes", codes });
        const values = { count: String(Object.keys(codes).length), file: file.name };
        send({ type: "files", change: { message: { key: "codesTaken", values } } });
      } catch (error) {
        const message =
          error instanceof SyntaxError
            ? ({ key: "notJson", values: { file: file.name } } as const)
            : troubleOf(error).message;
        send({ type: "files", change: { message } });
      }
    },
  };
}
