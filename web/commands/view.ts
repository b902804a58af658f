import type { Engine } from "../engine/client.ts";
import { methods } from "../engine/methods.ts";
import type { Condition } from "../state/cohort.ts";
import type { Store } from "../state/store.ts";
import type { Outcome } from "../state/view.ts";
import { paperCommands } from "./papers.ts";
import { personCommands } from "./person.ts";
import { troubleOf } from "./trouble.ts";

/** Questions about a result. Each has a number, so that an answer nobody waits for any more is dropped. */
export function viewCommands(store: Store, engine: Engine) {
  const { get, send } = store;
  let scores = new AbortController();
  let comparison = new AbortController();
  return {
    ...personCommands(store, engine),
    ...paperCommands(store, engine),
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
    stopComparing: (): void => comparison.abort(),
  };
}
