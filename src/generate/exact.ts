import type { ExactSearch } from "../exact/plan.ts";
import { exactSearch } from "../model/exact-search.ts";
import type { Random } from "../num/random.ts";
import type { Generated, Task } from "./contract.ts";
import { direct } from "./direct.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { candidatesOf, type Row, type Search, searchRows } from "./search.ts";

export type ExactOptions = SearchOptions;

/**
 * The plan of fewest edits and least change over all legal values as a row's counterfactual: r is z itself. Several
 * counterfactuals are the smallest sets of features, those of least change first. A model without bounds is searched
 * as `direct` does.
 */
export async function exact(task: Task, options: ExactOptions, random: Random): Promise<Generated> {
  const settings = generatorOptions("exact", options, SEARCH_RULES);
  const run = openRun("exact", task, settings, options);
  const { constraints, reach, references } = run;
  const search = exactSearch({ model: run.scorer.model, constraints, reach, table: references });
  if (search) return searchRows(run, random, async () => (row) => planned(run, row, search, settings.count));
  const made = await direct(task, options, random);
  return { ...made, report: { ...made.report, name: "exact" } };
}

/** The plans of one row, scored once more by the model. */
function* planned(run: Run, row: Row, search: ExactSearch, count: number): Search {
  const { x } = row;
  const plan = search.plan(x, {
    menu: count > 1,
    among: Array.from(run.vary, (vary) => (vary ? undefined : [])),
    pulse: () => run.work.check(),
  });
  if (plan.outcome !== "found")
    return {
      rows: [],
      why:
        plan.outcome === "none"
          ? "no permitted values reach the target"
          : `no plan of fewer than ${plan.atLeast} edits exists, and larger ones were too many to search`,
    };
  const rows = (plan.menu?.map(({ z }) => z) ?? [plan.z]).slice(0, count);
  const data = Float64Array.from(rows.flatMap((z) => [...z]));
  return { rows: candidatesOf(yield { rows: { data, rows: rows.length, cols: x.length } }) };
}
