import { groupsText } from "../../show/groups.ts";
import { ColaError } from "../../src/errors.ts";
import { checkNames, localeOf } from "../explain-and-write.ts";
import type { CommandSpec } from "../parse.ts";
import { withWork } from "../run.ts";
import { withStudy } from "../sources.ts";
import { explainAll, explainCommand } from "./explain.ts";

/** How recourse differs between groups: everybody who misses the target is explained, then compared. */
export const groupsCommand: CommandSpec = {
  name: "groups",
  summary: "compare recourse between groups of all rows that miss the target",
  options: explainCommand.options.filter((name) => name !== "rows" && name !== "dryRun"),
  examples: [
    "cola groups --by age:25,45",
    "cola groups --data loans.csv --label granted --model forest --by sex,age:25,45 --locale de",
  ],
  run: (given) =>
    withWork(given, async (work) => {
      if (!given.by?.length)
        throw new ColaError(
          "OPTION_INVALID",
          "groups: say with --by what to compare by, such as --by sex,age:25,45.",
        );
      checkNames(given);
      return withStudy({ ...given, rows: Number.MAX_SAFE_INTEGER }, work, (study, among) =>
        explainAll(study, work, among, (explanation) => groupsText(explanation, localeOf(given))),
      );
    }),
};
