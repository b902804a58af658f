import type { WorkOptions } from "../src/types.ts";
import { blackBox } from "./asked.ts";
import { type ContestOptions, openArena } from "./contest-setup.ts";
import { ABLATION, CONTESTANTS, FREE, type GoalName, looksInside } from "./contestants.ts";
import { Field } from "./field.ts";
import { type Judged, judge } from "./judge.ts";
import type { Scenario } from "./settings.ts";

export interface ContestResult {
  readonly scenario: string;
  readonly split: number;
  readonly direction: ContestOptions["direction"];
  readonly n: number;
  readonly rows: readonly (Judged & {
    readonly goal: GoalName;
    readonly name: string;
    /** Model rows when the model is a plain function; on the first split alone. */
    readonly blackBoxRows?: number;
  })[];
  readonly ablation: readonly { readonly name: string; readonly edits: number; readonly validity: number }[];
  readonly leftOut: Awaited<ReturnType<typeof judge>>["leftOut"];
}

/** One scenario of the contest: both goals for every contestant, the ablation, and who is left out. */
export async function contest(
  scenario: Scenario,
  options: ContestOptions,
  work: WorkOptions = {},
): Promise<ContestResult> {
  const head = { scenario: scenario.id, split: options.split, direction: options.direction };
  const arena = await openArena(scenario, options, work);
  const field = new Field(arena, options.seed, work);
  const blind = new Field({ ...arena, model: blackBox(arena.model) }, options.seed, work);
  const rows: ContestResult["rows"][number][] = [];
  let leftOut: ContestResult["leftOut"] = [];
  for (const goal of ["label", "score"] as const) {
    for (const contestant of CONTESTANTS) {
      const { z, evaluations } = await field.play(contestant, goal);
      const judged = await judge(arena, z, evaluations, await field.goals(goal));
      const blindly = options.split === 0 && looksInside(contestant);
      const asked = blindly ? (await blind.play(contestant, goal)).evaluations : evaluations;
      const more = options.split === 0 ? { blackBoxRows: asked } : {};
      rows.push({ ...judged.summary, ...more, goal, name: contestant.name });
      if (goal === "label" && contestant.name === FREE) leftOut = judged.leftOut;
    }
  }
  const ablation: ContestResult["ablation"][number][] = [];
  for (const part of ABLATION) {
    const { z, evaluations } = await field.play(part, "label");
    const { summary } = await judge(
      { ...arena, judges: [] },
      z,
      evaluations,
      await field.goals("label"),
      true,
    );
    ablation.push({ name: part.name, edits: summary.edits, validity: summary.validity });
  }
  return { ...head, n: arena.x.rows, rows, ablation, leftOut };
}
