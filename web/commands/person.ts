import type { ExplainedRow } from "../../src/explanation.ts";
import type { Cell } from "../../src/types.ts";
import type { Engine } from "../engine/client.ts";
import type { ShownPlan } from "../state/plans.ts";
import { curveKey, keyOf, type PersonView } from "../state/play.ts";
import type { Store } from "../state/store.ts";
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

/** What is asked about the person looked at: plans, the score of what is tried, the curve that is drawn. */
function questions({ get, send, number }: Store, engine: Engine) {
  let asking = new AbortController();

  /** Asks for the plans of the person looked at, under what they find easy, hard or never change. */
  const ask = async (): Promise<void> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const { view, result } = get();
    if (!view.person || !result?.live || result.explanation.goal.kind !== "each") return;
    const { position, play, answers } = view.person;
    const { difficulty } = play;
    const about = { of: view.of, ask: number() };
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

  /**
   * One question at a time: what was tried meanwhile is asked when the answer is here. `next` asks what is not known of
   * the person looked at. Where all is, it says so at once: nothing can be tried between its word and the end.
   */
  const oneByOne = (
    next: (of: number, person: PersonView) => Promise<void> | undefined,
  ): (() => Promise<void>) => {
    let busy = false;
    return async () => {
      if (busy || !get().result?.live) return;
      busy = true;
      try {
        for (;;) {
          const { of, person } = get().view;
          const asked = person ? next(of, person) : undefined;
          if (!asked) return;
          await asked;
        }
      } catch (error) {
        const { of, person } = get().view;
        if (person) send({ type: "person failed", of, ask: person.ask, trouble: troubleOf(error).message });
      } finally {
        busy = false;
      }
    };
  };
  const score = oneByOne((of, { position, tried, play: { values } }) =>
    tried?.values === values
      ? undefined
      : engine
          .call("tried", { position, values: [values] })
          .then(([is]) => send({ type: "tried", of, position, values, is: is! })),
  );
  /** The curve that is drawn, where it is not known yet. */
  const draw = oneByOne((of, { position, curve: feature, curves, answers, play: { values } }) => {
    if (feature === null) return undefined;
    const key = curveKey(feature, values);
    if (Object.hasOwn(curves, key)) return undefined;
    const row = get().result!.explanation.rows[position]!;
    const also = plannedAt(feature, [row, ...Object.values(answers).map((answer) => answer.row)]);
    return engine
      .call("dependence", { position, feature, values, also })
      .then((curve) => send({ type: "curve known", of, position, key, curve }));
  });
  return { ask, score, draw };
}

/** Looking at one person: values are tried, features called easy or hard, plans put beside each other. */
export function personCommands(store: Store, engine: Engine) {
  const { get, send } = store;
  const { ask, score, draw } = questions(store, engine);
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
  };
}
