import { ColaError } from "../../src/errors.ts";
import { countAsked } from "../../study/asked.ts";
import { about } from "../../study/options.ts";
import { everyone } from "../../study/study.ts";
import { checkNames, explainAndWrite } from "../explain-and-write.ts";
import type { CommandSpec } from "../parse.ts";
import { withWork } from "../run.ts";
import { hasTable, withStudy } from "../sources.ts";

/** Factuals, counterfactuals of any generator and a model in; the few edits that carry the effect out. */
export const refineCommand: CommandSpec = {
  name: "refine",
  summary: "refine counterfactuals you already have",
  options: [
    ...about("table", "constraints", "model"),
    "counterfactuals",
    ...about("goal", "method", "result", "run"),
    "workers",
  ],
  examples: ["cola refine --data x.csv --counterfactuals r.csv --model model.json --target granted"],
  run: (given) =>
    withWork(given, async (work) => {
      const lack = hasTable(given) ? (given.counterfactuals ? "model" : "counterfactuals") : "data";
      if (lack === "data" || !given[lack])
        throw new ColaError(
          "OPTION_INVALID",
          `refine: --${lack} is missing; give --data with the rows, --counterfactuals with theirs, and --model.`,
        );
      checkNames(given);
      return withStudy(given, work, async (study, among) =>
        explainAndWrite(study, await everyone(study, study.own!, among), work, countAsked()),
      );
    }),
};
