import { PAPER_ROWS } from "./paper-values.ts";
import { cellText, type Sheet } from "./present.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, type DataName, MODELS, type Scenario, scenarioOf } from "./settings.ts";
import { fewest, modificationTable } from "./table.ts";

/** German Credit with KNN and every model but the Gaussian process, which is slow to ask. */
export const GERMAN_KNN: readonly Scenario[] = MODELS.filter((model) => model !== "gp").map((model) =>
  scenarioOf(`german-${model}-knn`),
);

const RULE = "mean-curve";
const LEVELS = [0.8, 1] as const;

/** The methods of the paper's table with the fewest edits by the mean curve, tied ones too; none reaches it: empty. */
function winners(results: readonly ScenarioResult[], level: number): string[] {
  const table = modificationTable(results);
  const best = fewest(table, PAPER_ROWS).find((b) => b.rule === RULE && b.level === level)!;
  return PAPER_ROWS.filter((method) => {
    const row = table.find((r) => r.method === method)!;
    const { edits, reached } = row.cells.find((c) => c.rule === RULE && c.level === level)!;
    return edits !== null && reached === best.reached && edits - best.edits! < 1e-9;
  });
}

const said = (names: readonly string[]): string => names.join(", ") || "none reaches it";

/** Edits per row of the paper's five methods by the mean curve: scenario by scenario, then in the mean. */
export function germanKnnSheet(results: readonly ScenarioResult[]): Sheet {
  const ran = results.filter(({ why }) => why === undefined);
  const titles = [...new Set(ran.map(({ data }) => DATA[data as DataName].title))];
  const line = (name: string, of: readonly ScenarioResult[], level: number): string[] => {
    const rows = modificationTable(of);
    const cells = PAPER_ROWS.map((method) => {
      const row = rows.find((r) => r.method === method)!;
      return cellText(row.cells.find((c) => c.rule === RULE && c.level === level)!);
    });
    return [name, `${100 * level} %`, ...cells, said(winners(of, level))];
  };
  return {
    name: "german-knn",
    title: `The paper's five methods in the authors' settings on ${titles.join(", ")}: edits per row by the mean curve`,
    columns: ["scenario", "level", ...PAPER_ROWS, "fewest"],
    rows: LEVELS.flatMap((level) => [
      ...ran.map((result) => line(result.scenario, [result], level)),
      ...(ran.length > 1 ? [line(`mean of ${ran.length}`, ran, level)] : []),
    ]),
  };
}

/** In how many scenarios, and in the mean of all, is CF-p_OT best at 100 %? */
export function germanKnnVerdict(results: readonly ScenarioResult[]): string {
  const ran = results.filter(({ why }) => why === undefined);
  if (ran.length === 0) return "German Credit with KNN was not run.";
  const ours = ran.filter((result) => winners([result], 1).includes("CF-p_OT"));
  const others = ran.filter((result) => !ours.includes(result));
  const list = others.map((result) => `${result.scenario} (${said(winners([result], 1))})`);
  return [
    `At 100 % by the mean curve no method needs fewer edits than CF-p_OT in ${ours.length} of ${ran.length} scenarios`,
    others.length > 0 ? `, but in ${list.join(", ")}` : "",
    `; fewest in the mean over all of them: ${said(winners(ran, 1))}.`,
  ].join("");
}
