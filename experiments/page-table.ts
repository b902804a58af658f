import { mean } from "../src/num/stats.ts";
import type { Cell } from "../src/types.ts";
import { LEVELS } from "./methods.ts";
import { againstPaper } from "./page-paper.ts";
import { PAPER_ROWS } from "./paper-values.ts";
import { percent, type Sheet, scenarioSheet, sheetMarkdown, tableSheet, two } from "./present.ts";
import type { ScenarioResult } from "./scenario.ts";
import { DATA, type DataName, GENERATORS, type PresetName, SCENARIOS } from "./settings.ts";
import { fewest, type LevelRule, type Results, RULES, type TableRow } from "./table.ts";

/** The tables of both readings; undefined: not run. */
export type Tables = Readonly<Record<PresetName, Results | undefined>>;

const NAMES = [...new Set(SCENARIOS.map(({ data }) => data))];
const FIRST = "CF-p_OT";
const MINIMAL = "OT + minimal";
const OURS = "joint + minimal";

const scenariosOf = (results: Results): ScenarioResult[] => results.scenarios as ScenarioResult[];

function cellOf(table: readonly TableRow[], data: string, method: string, rule: LevelRule, level: number) {
  const row = table.find((r) => r.data === data && r.method === method);
  return row?.cells.find((c) => c.rule === rule && c.level === level);
}

/** For every data set, reading, level and rule: does CF-p_OT need the fewest edits of the paper's five methods? */
export function fewestSheet(tables: Tables): Sheet {
  const asked = LEVELS.flatMap((level) => RULES.map((rule) => ({ level, rule })));
  const lines = NAMES.flatMap((data) =>
    (["paper", "authors"] as const).map((preset): Cell[] => {
      const table = tables[preset]?.table?.filter((row) => row.data === data) ?? [];
      const run = tables[preset] ? scenariosOf(tables[preset]!).filter((s) => s.data === data && !s.why) : [];
      const head = [DATA[data].title, preset, run.length];
      if (table.length === 0) return [...head, ...asked.map(() => "not run")];
      return [...head, ...asked.map(({ level, rule }) => verdict(table, data, rule, level))];
    }),
  );
  return {
    name: "fewest",
    title: `Does ${FIRST} need the fewest edits?`,
    columns: [
      ...["data set", "preset", "scenarios"],
      ...asked.map(({ level, rule }) => `${percent(level)} ${rule}`),
    ],
    rows: lines,
  };
}

export function fewestPart(tables: Tables): string[] {
  const sheet = fewestSheet(tables);
  return [
    `## ${sheet.title}`,
    "",
    "Among the five methods of the paper's table, edits per row; the mean over the scenarios of each data set.",
    "",
    sheetMarkdown(sheet),
    "",
  ];
}

function verdict(table: readonly TableRow[], data: string, rule: LevelRule, level: number): string {
  const own = cellOf(table, data, FIRST, rule, level);
  const best = fewest(table, PAPER_ROWS).find((b) => b.rule === rule && b.level === level);
  if (!best?.method) return "no method reaches it";
  const second = fewest(
    table,
    PAPER_ROWS.filter((m) => m !== best.method),
  ).find((b) => b.rule === rule && b.level === level);
  const next = second?.method ? `next ${second.method} ${two(second.edits)}` : "no other reaches it";
  if (best.method === FIRST) return `yes: ${two(best.edits)}, ${next}`;
  if (own && own.edits !== null && own.edits - best.edits! < 1e-9 && own.reached === best.reached) {
    return `as few as ${best.method}: ${two(own.edits)}`;
  }
  return `no: ${best.method} ${two(best.edits)}, ${FIRST} ${two(own?.edits ?? null)}`;
}

/** What was run of each reading, what is missing and why, and which rows average fewer scenarios than others. */
export function coveragePart(tables: Tables): string[] {
  const lines = (["paper", "authors"] as const).flatMap((preset) => {
    const results = tables[preset];
    if (!results) return [`- Preset \`${preset}\`: not run.`];
    const found = scenariosOf(results);
    const absent = SCENARIOS.filter(({ id }) => !found.some((s) => s.scenario === id && !s.why));
    const named = absent.map(({ id }) => {
      const why = found.find((s) => s.scenario === id)?.why;
      return why ? `${id} (${why})` : id;
    });
    const head = `- Preset \`${preset}\`: ${found.filter((s) => !s.why).length} scenarios, of the ${SCENARIOS.length} of the settings ${SCENARIOS.length - absent.length}, ${results.runs} runs.`;
    return [
      head + (named.length > 0 ? ` Missing: ${named.join(", ")}.` : ""),
      ...uneven(results).map((line) => `  - ${line}`),
    ];
  });
  return ["## About these runs", "", ...lines, ""];
}

/** Rows that are averages over fewer scenarios than their neighbours. */
function uneven({ table = [] }: Results): string[] {
  return table.flatMap(({ data, method, cells, why }) => {
    const most = Math.max(...table.filter((r) => r.data === data).map((r) => r.cells[0]!.scenarios));
    const own = cells[0]!.scenarios;
    if (own === most) return [];
    const reasons = [...new Set(why.map((line) => line.slice(line.indexOf(": ") + 2)))].join("; ");
    const share = own === 0 ? "none" : `${own} of ${most}, so not to be compared with the rows beside it`;
    return [`${DATA[data as DataName].title}, ${method}: ${share} (${reasons}).`];
  });
}

/** The modification table of one reading and its scenarios. */
export function tablePart(preset: PresetName, results: Results | undefined, notRun: string): string[] {
  const title = `## Modified features, preset \`${preset}\``;
  if (!results) return [title, "", notRun, ""];
  const { version, node, seed, runs, table = [] } = results;
  return [
    title,
    "",
    `cola-xai ${version}, Node ${node}, seed ${seed}, ${runs} runs. Edits per row ± half width (share of the differing columns); ± is the noise of the sampler alone, over its runs on one model and one draw of rows, and says nothing of other models or rows; a dash: fewer than half of the scenarios reach the level (first-hit: in every run); an empty cell: the method cannot be had there (see above).`,
    "",
    sheetMarkdown(without(tableSheet(table), "missing where")),
    "",
    sheetMarkdown(scenarioSheet(scenariosOf(results))),
    "",
    ...againstPaper(table),
    ...notFewest(table),
    ...titled(generatorSheet(scenariosOf(results)), "."),
    ...titled(savedSheet(scenariosOf(results)), SAVED),
  ];
}

const SAVED = ` (no row farther than its transport proposal). A row that flips takes an edit, so from D = 1 no method needs fewer than 0.80; where a coupled counterfactual differs from x in one column, nothing is to be saved.`;

/** A table with its title as a sentence before it; nothing if it has no rows. */
function titled(sheet: Sheet, more: string): string[] {
  return sheet.rows.length === 0 ? [] : [`${sheet.title}${more}`, "", sheetMarkdown(sheet), ""];
}

function without(sheet: Sheet, column: string): Sheet {
  const at = sheet.columns.indexOf(column);
  const cut = <T>(row: readonly T[]): T[] => row.filter((_, k) => k !== at);
  return { ...sheet, columns: cut(sheet.columns), rows: sheet.rows.map(cut) };
}

/** Where another choice of cells on the same coupling is below `minimal`, whose proof needs few differing columns. */
function notFewest(table: readonly TableRow[]): string[] {
  const lines = NAMES.flatMap((data) =>
    LEVELS.flatMap((level) => {
      const edits = (method: string) => cellOf(table, data, method, "first-hit", level)?.edits ?? null;
      const least = edits("OT + minimal");
      return ["OT + top", "OT + greedy"]
        .filter((method) => least !== null && edits(method) !== null && edits(method)! < least - 1e-9)
        .map(
          (method) => `${DATA[data].title} ${percent(level)} ${method} ${two(edits(method))} (${two(least)})`,
        );
    }),
  );
  const found = lines.length === 0 ? "nowhere" : lines.join(", ");
  return [`Where another choice on the transport coupling is below OT + minimal: ${found}.`, ""];
}

const levelOf = (result: ScenarioResult, method: string, level: number): number | null =>
  result.methods.find((m) => m.method === method)?.levels.find((l) => l.level === level)?.firstHit ?? null;

/** How far the generator's rows are, and what CF-p_OT then needs: the scenario decides most of the numbers. */
export function generatorSheet(results: readonly ScenarioResult[]): Sheet {
  const ran = results.filter(({ why }) => why === undefined);
  const known = (values: readonly (number | null)[]): string => {
    const some = values.filter((v) => v !== null);
    return some.length > 0 ? mean(some).toFixed(2) : "–";
  };
  const rows = Object.entries(GENERATORS).flatMap(([key, { title }]) => {
    const own = ran.filter(({ generator }) => generator === key);
    if (own.length === 0) return [];
    const edits = LEVELS.map((level) => known(own.map((r) => levelOf(r, FIRST, level))));
    return [
      [title, own.length, known(own.map((r) => r.unaligned)), known(own.map((r) => r.aligned)), ...edits],
    ];
  });
  return {
    name: "generators",
    title: `The generator's part: columns in which r differs, and edits of ${FIRST} (first-hit)`,
    columns: ["generator", "scenarios", "differing", "after OT", ...LEVELS.map(percent)],
    rows,
  };
}

interface Saved {
  readonly result: ScenarioResult;
  readonly sampled: number;
  readonly ours: number;
}

function savedIn(results: readonly ScenarioResult[]): Saved[] {
  return results.flatMap((result) => {
    const [sampled, ours] = [levelOf(result, FIRST, 0.8), levelOf(result, OURS, 0.8)];
    return sampled === null || ours === null ? [] : [{ result, sampled, ours }];
  });
}

/** What is saved over the scenarios of the modification table alone, per data set. */
export function savedLine(results: Results): string[] {
  const rows = savedIn(scenariosOf(results));
  const each = [...new Set(rows.map(({ result }) => result.data))].map((data) => {
    const own = rows.filter(({ result }) => result.data === data);
    const [sampled, ours] = [mean(own.map((r) => r.sampled)), mean(own.map((r) => r.ours))];
    const saved = percent(1 - ours / sampled);
    const count = `${own.length} ${own.length === 1 ? "scenario" : "scenarios"}`;
    return `${DATA[data as DataName].title} ${two(sampled)} → ${two(ours)} (${saved}, ${count})`;
  });
  return each.length === 0 ? [] : [`over the scenarios of \`table\` alone: ${each.join("; ")}.`];
}

/** Of what the joint choice saves against sampling, how much choosing cells well and stopping saves without it. */
export function partsOfSavingLine(results: Results): string[] {
  const rows = scenariosOf(results).flatMap((result) => {
    const [sampled, minimal, joint] = [FIRST, MINIMAL, OURS].map((method) => levelOf(result, method, 0.8));
    return sampled == null || minimal == null || joint == null
      ? []
      : [{ data: result.data, sampled, minimal, joint }];
  });
  const parts = [...new Set(rows.map(({ data }) => data))].map((data) => {
    const own = rows.filter((row) => row.data === data);
    const [sampled, minimal, joint] = (["sampled", "minimal", "joint"] as const).map((key) =>
      mean(own.map((row) => row[key])),
    );
    const name = DATA[data as DataName].title;
    return { name, sampled: sampled!, minimal: minimal!, joint: joint! };
  });
  const each = parts.map(
    ({ name, sampled, minimal, joint }) =>
      `${name} ${two(sampled)} → ${two(minimal)} → ${two(joint)} (the joint choice saves ${percent(1 - joint / minimal)} of what is left)`,
  );
  const before = parts.filter(({ sampled, minimal, joint }) => sampled - minimal > minimal - joint).length;
  return each.length === 0
    ? []
    : [
        `in ${before} of ${parts.length} data sets most of it is choosing cells minimally and stopping, not the joint choice; ${FIRST} → ${MINIMAL} → ${OURS}: ${each.join("; ")}.`,
      ];
}

/** Where pairs are known: in how many cells keeping each row's own counterfactual needs fewer edits than transport. */
export function pairsLine({ table = [] }: Results, preset: PresetName): string[] {
  const cells = table
    .filter(({ method }) => method === FIRST)
    .flatMap(({ data, cells: own }) =>
      own.flatMap((cell) => {
        const kept = cellOf(table, data, "CF-p_Ect", cell.rule, cell.level);
        const alike = kept?.scenarios === cell.scenarios && kept.reached === cell.reached;
        return alike && kept.edits !== null && cell.edits !== null ? [kept.edits - cell.edits] : [];
      }),
    );
  const fewer = cells.filter((gap) => gap < -1e-9).length;
  return cells.length === 0
    ? []
    : [
        `Where the pairs are known, CF-p_Ect, which is not among the five, needs fewer edits than ${FIRST} in ${fewer} of ${cells.length} cases, preset \`${preset}\`.`,
      ];
}

/** Paper sampling against the joint choice at 80 % of the effect, scenario by scenario. */
export function savedSheet(results: readonly ScenarioResult[]): Sheet {
  const rows = savedIn(results);
  const line = (name: string, of: typeof rows): Cell[] => {
    const [sampled, ours] = [mean(of.map((r) => r.sampled)), mean(of.map((r) => r.ours))];
    return [name, two(sampled), two(ours), percent(1 - ours / sampled)];
  };
  const names = [...new Set(rows.map(({ result }) => result.data))];
  return {
    name: "saved",
    title: `Edits per row at 80 % of MeanD on labels: paper sampling (${FIRST}, first-hit) and ${OURS}`,
    columns: ["scenario", FIRST, OURS, "fewer edits by"],
    rows: [
      ...rows.map((row) => line(row.result.scenario, [row])),
      ...names.map((data) => {
        const own = rows.filter(({ result }) => result.data === data);
        return line(`${DATA[data as DataName].title}, mean of ${own.length}`, own);
      }),
    ],
  };
}
