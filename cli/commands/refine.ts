import { ColaError } from "../../src/errors.ts";
import { hasTable, loadData } from "../inputs.ts";
import { tableOptions } from "../limits.ts";
import { loadModelOption, loadTarget } from "../model-input.ts";
import { CONSTRAINTS, MODEL, RUN, TABLE } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { loadReferences, withUnfound } from "../references.ts";
import { withWork } from "../run.ts";
import { checkNames, tell } from "../tell.ts";

/** Factuals, counterfactuals of any generator and a model in; the few edits that carry the effect out. */
export const refineCommand: CommandSpec = {
  name: "refine",
  summary: "refine counterfactuals you already have",
  options: [
    ...TABLE,
    ...CONSTRAINTS,
    ...MODEL,
    "counterfactuals",
    "target",
    "coupling",
    "reuse",
    "capped",
    "policy",
    "objective",
    "budget",
    "perRow",
    "effect",
    "out",
    "formats",
    "plainCsv",
    "reasons",
    "locale",
    "alternatives",
    "shardRows",
    ...RUN,
  ],
  examples: ["cola refine --data x.csv --counterfactuals r.csv --model model.json --target granted"],
  run: (given) =>
    withWork(given, async (work) => {
      if (!hasTable(given) || !given.counterfactuals || !given.model) {
        throw new ColaError(
          "OPTION_INVALID",
          "refine: give --data with the rows, --counterfactuals with theirs, and --model.",
        );
      }
      checkNames(given);
      const data = await loadData(given, work);
      const loaded = await loadModelOption(given, data, work);
      try {
        const { model, title } = loaded;
        const target = loadTarget(given, model);
        const found = await loadReferences(given.counterfactuals, data, tableOptions(given));
        const { references, pairs, chosen, x, notes } = withUnfound(found, data);
        const told = { ...data, notes: [...data.notes, ...notes] };
        const its = { data: told, model, title, target, chosen, x, references };
        return await tell(given, work, pairs ? { ...its, pairs } : its);
      } finally {
        loaded.close();
      }
    }),
};
