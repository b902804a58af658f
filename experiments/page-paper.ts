import { LEVELS } from "./methods.ts";
import { PAPER_ROWS, PAPER_TABLE } from "./paper-values.ts";
import { percent, two } from "./present.ts";
import { DATA, type DataName } from "./settings.ts";
import type { TableCell, TableRow } from "./table.ts";

interface Compared {
  readonly name: string;
  readonly ours: number | null;
  readonly paper: number | null;
}

/** Every cell the paper prints, beside ours by the rule that is nearer to it. */
function comparedCells(table: readonly TableRow[]): Compared[] {
  return table
    .filter(({ data, method }) => PAPER_TABLE[data] && PAPER_ROWS.includes(method))
    .flatMap(({ data, method, cells }) =>
      LEVELS.map((level) => {
        const paper = PAPER_TABLE[data]![method]?.[String(level)]?.edits ?? null;
        const own = cells.filter((c) => c.level === level).flatMap((c: TableCell) => c.edits ?? []);
        const nearest = own.sort((a, b) => Math.abs(a - (paper ?? 0)) - Math.abs(b - (paper ?? 0)))[0];
        const name = `${DATA[data as DataName].title} ${method} ${percent(level)}`;
        return { name, ours: nearest ?? null, paper };
      }),
    );
}

/** How far from the paper's number a cell may be that agrees with it. */
const AGREES = 0.25;

const near = ({ ours, paper }: Compared, share: number): boolean =>
  ours !== null && paper !== null && Math.abs(ours / paper - 1) <= share;

/** In how many of its cells a reading agrees with the paper's table, and how many of the paper's dashes it reaches. */
export function agreementLine(preset: string, table: readonly TableRow[]): string[] {
  const cells = comparedCells(table);
  const numbers = cells.filter(({ paper }) => paper !== null);
  const dashes = cells.filter(({ paper }) => paper === null);
  if (cells.length === 0) return [];
  const agree = numbers.filter((cell) => near(cell, AGREES)).length;
  const reached = dashes.filter(({ ours }) => ours !== null).length;
  return [
    `Against the paper's table: preset \`${preset}\` agrees within ${percent(AGREES)} in ${agree} of ${numbers.length} cells with a number, by the rule that is nearer to it, and reaches ${reached} of the ${dashes.length} levels where the paper has a dash. The paper's four scenarios of each data set are not known.`,
  ];
}

/** What agrees with the paper's table and what does not, cell by cell. */
export function againstPaper(table: readonly TableRow[]): string[] {
  const cells = comparedCells(table);
  const printed = cells.filter(({ paper }) => paper !== null);
  const both = printed.filter(({ ours }) => ours !== null);
  const within = (share: number): Compared[] => both.filter((cell) => near(cell, share));
  const list = (of: readonly Compared[]): string =>
    of.map(({ name, ours, paper }) => `${name} (${two(ours)}; paper ${paper ?? "–"})`).join(", ") || "none";
  const far = both.filter((cell) => !within(AGREES).includes(cell));
  const lost = printed.filter(({ ours }) => ours === null);
  const dashes = cells.filter(({ paper }) => paper === null);
  const reached = dashes.filter(({ ours }) => ours !== null);
  return [
    "Against the paper's numbers, by the rule (first-hit or mean-curve) that is nearer:",
    "",
    `- Within 10 %: ${list(within(0.1))}.`,
    `- Within ${percent(AGREES)}: ${list(within(AGREES).filter((cell) => !within(0.1).includes(cell)))}.`,
    `- Fewer edits here: ${list(far.filter(({ ours, paper }) => ours! < paper!))}.`,
    `- More edits here: ${list(far.filter(({ ours, paper }) => ours! > paper!))}.`,
    `- The paper has a number, here it is not reached: ${list(lost)}.`,
    `- The paper has a dash: of ${dashes.length} such cells ${dashes.length - reached.length} are dashes here too; reached here: ${list(reached)}.`,
    "",
  ];
}
