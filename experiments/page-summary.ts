import type { ContestResult } from "./contest.ts";
import { comparisonSheet, countOf, type Dominated, dominated } from "./contest-report.ts";
import { CAPPED, FREE, type GoalName } from "./contestants.ts";
import { germanKnnVerdict } from "./german-knn.ts";
import type { OptimalityResult } from "./optimality.ts";
import type { ContestFile } from "./page-contest.ts";
import { agreementLine } from "./page-paper.ts";
import { pairsLine, partsOfSavingLine, savedLine, type Tables } from "./page-table.ts";
import type { PlansFile } from "./plans-points.ts";
import { plansVerdict } from "./plans-report.ts";
import type { CheckResults } from "./reproduce-check.ts";
import type { SavingsResults } from "./reproduce-savings.ts";
import { agreementText } from "./rerun.ts";
import { savingsVerdict } from "./savings-report.ts";
import type { Results } from "./table.ts";

/** Everything the page is made from; undefined: not run. */
interface Found {
  readonly plans: PlansFile | undefined;
  readonly tables: Tables;
  readonly check: CheckResults | undefined;
  readonly savings: SavingsResults | undefined;
  readonly optimality: Results | undefined;
  readonly contest: ContestFile | undefined;
}

const GOALS = ["label", "score"] as const;

/** What came out, in a few lines. */
export function summaryPart({ plans, tables, check, savings, optimality, contest }: Found): string[] {
  const lines = [
    ...(["paper", "authors"] as const).flatMap((preset) =>
      agreementLine(preset, tables[preset]?.table ?? []),
    ),
    ...(plans ? plansVerdict(plans.results).map((line) => `Plans over all legal values. ${line}`) : []),
    ...(["paper", "authors"] as const).flatMap((preset) => [
      ...fewestLine(preset, tables[preset]),
      ...(tables[preset] ? pairsLine(tables[preset], preset) : []),
    ]),
    ...(check
      ? [`The authors' settings: ${agreementText(check.agreement)} ${germanKnnVerdict(check.germanKnn)}`]
      : []),
    ...(savings
      ? savingsVerdict(savings.savings)
          .slice(1)
          .map((line) => `Saved against the paper's sampling: ${line}`)
      : []),
    ...(tables.paper ? [...savedLine(tables.paper), ...partsOfSavingLine(tables.paper)] : []).map(
      (line) => `Saved against the paper's sampling: ${line}`,
    ),
    ...(optimality ? [optimalLine(optimality.scenarios as OptimalityResult[])] : []),
    ...(contest && contest.results.length > 0 ? contestLines(contest.results) : []),
  ];
  return lines.length === 0 ? [] : ["## In short", "", ...lines.map((line) => `- ${line}`), ""];
}

function fewestLine(preset: string, results: Results | undefined): string[] {
  const best = results?.best ?? [];
  if (best.length === 0) return [];
  const own = best.filter(({ method }) => method === "CF-p_OT").length;
  return [
    `The paper's claim: CF-p_OT needs the fewest edits of its five methods in ${own} of ${best.length} cases, preset \`${preset}\`. The cases are ${count(best, "data")} data sets × ${count(best, "level")} levels × ${count(best, "rule")} rules over the same runs, not so many observations.`,
  ];
}

const count = <K extends string>(of: readonly Readonly<Record<K, unknown>>[], key: K): number =>
  new Set(of.map((one) => one[key])).size;

function optimalLine(scenarios: readonly OptimalityResult[]): string {
  const checks = scenarios.flatMap((s) => s.checks);
  return `The optimum: ours agrees with HiGHS in ${checks.filter(({ agrees }) => agrees).length} of ${checks.length} budgets.`;
}

function contestLines(results: readonly ContestResult[]): string[] {
  const often = (ours: string, counts: (d: Dominated) => boolean): string =>
    GOALS.map((goal) => `${countOf(dominated(results, goal, ours).filter(counts))} (${goal})`).join(" and ");
  return [
    `The contest: on edits × distance ${FREE} is dominated in ${GOALS.map((goal) => `${countOf(dominated(results, goal, FREE, ["edits", "L2"]).filter((d) => !d.unsure))} (${goal})`).join(" and ")} of ${results.length} scenarios; margin and yNN among the axes save it: ${FREE} is dominated on edits × margin × yNN in ${often(FREE, (d) => !d.unsure)} of ${results.length} scenarios however far the others go; ${CAPPED} in ${often(CAPPED, (d) => !(d.farther || d.unsure))} by what goes no farther.`,
    ...GOALS.flatMap((goal) => fewerLine(results, goal)),
  ];
}

/** Who needs fewer edits than ours, whatever else it gives up. */
function fewerLine(results: readonly ContestResult[], goal: GoalName): string[] {
  const rows = comparisonSheet(results, goal).rows.filter(
    ([ours, , , ratio]) => ours === FREE && Number(ratio) > 1,
  );
  const said = rows.map(
    ([, name, , ratio]) => `${name} (${((1 - 1 / Number(ratio)) * 100).toFixed(0)} % fewer)`,
  );
  return said.length === 0
    ? []
    : [
        `Fewer edits than ${FREE} on the goal ${goal}: ${said.join(", ")}; what they give up is in the tables of the contest.`,
      ];
}
