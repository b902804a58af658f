import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTableFile } from "../node/tables.ts";
import { explain } from "../src/explain.ts";
import { rowsShortOf } from "../src/model/short-of.ts";
import { rowOf, takeRows } from "../src/num/matrix.ts";
import { dataOf } from "../study/data.ts";
import { modelOf } from "../study/model.ts";
import { posed, questionOf, type Study, studyOf } from "../study/study.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const ROWS = 200;
const GAPS = 23;
const ROUNDS = 5;
const FILE = join(process.env["COLA_DATA"] ?? "../shared/data", "heloc.csv");

/** 200 people of HELOC, 23 of whom have no value at all, against 200 who have some; both runs in turns. */
export async function benchMissingRows(): Promise<BenchRow[]> {
  if (!existsSync(FILE)) {
    console.log(`skipped: ${FILE} is not there`);
    return [];
  }
  const study = await helocStudy("xgboost");
  const whole = study.data.rows;
  const empty = Array.from({ length: whole.rows }, (_, i) => i).filter((i) =>
    rowOf(whole, i).every((value) => Number.isNaN(value)),
  );
  const short = await rowsShortOf(study.model.model, whole, study.target, 2 * ROWS, {});
  const people = short.filter((i) => !empty.includes(i)).slice(0, ROWS);
  const mixed = [...empty.slice(0, GAPS), ...people.slice(0, ROWS - GAPS)];
  const times: Record<"people" | "mixed", number[]> = { people: [], mixed: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    times.people.push(await cpuMs(() => run(study, people)));
    times.mixed.push(await cpuMs(() => run(study, mixed)));
  }
  const [ours, peer] = [median(times.mixed.slice(1)), median(times.people.slice(1))];
  return [
    {
      name: `${ROWS} rows of HELOC, ${GAPS} of them all missing, against none (${empty.length} in the table)`,
      ours,
      peer,
      unit: "ms CPU",
      bar: "≤ 1.5 × without them",
      ok: ours <= 1.5 * peer,
    },
  ];
}

/** HELOC with its codes −9, −8, −7 read as gaps, and a model trained on it. */
async function helocStudy(name: string): Promise<Study> {
  const table = await readTableFile(FILE, { missing: ["", "-9", "-8", "-7"] });
  const label = table.names.find((column) => /risk_?performance/i.test(column))!;
  const data = dataOf({ table: { source: FILE, table }, options: { label } });
  return studyOf(data, await modelOf({ model: { train: name } }, data, {}), { target: "Good" });
}

/** Counterfactuals and plans of these rows. */
async function run(study: Study, chosen: readonly number[]): Promise<void> {
  const rows = { chosen, x: takeRows(study.data.rows, chosen), ids: chosen };
  await explain(questionOf(study, await posed(study, {}, rows)));
}

if (process.argv[1]?.endsWith("bench/missing-rows.ts")) printTable(await benchMissingRows());
