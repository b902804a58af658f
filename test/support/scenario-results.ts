import { OWN_METHODS, PAPER_METHODS } from "../../experiments/methods.ts";
import type { MethodResult, ScenarioResult } from "../../experiments/scenario.ts";
import type { Scenario } from "../../experiments/settings.ts";

/** A scenario's result with given edits per row of some methods, the same at both levels and by both rules. */
export function scenarioResult(
  { id, data, model, generator }: Scenario,
  edits: Readonly<Record<string, number | null>>,
): ScenarioResult {
  const method = (name: string, ours: boolean): MethodResult => {
    const value = name in edits ? edits[name]! : 8;
    const reached = Number(value !== null);
    return {
      method: name,
      ours,
      levels: [0.8, 1].map((level) => ({ level, firstHit: value, half: 0, reached, meanCurve: value })),
    };
  };
  return {
    ...{ scenario: id, data, model, generator, preset: "authors", seed: 0, runs: 3, split: 0, draw: 0 },
    ...{ n: 5, m: 5, d: 9, accuracy: 0.7, start: 1, unaligned: 6, aligned: 4, notes: [] },
    methods: [
      ...PAPER_METHODS.map(({ name }) => method(name, false)),
      ...OWN_METHODS.map(({ name }) => method(name, true)),
    ],
  };
}
