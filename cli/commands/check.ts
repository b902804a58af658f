import { readTableFile } from "../../node/tables.ts";
import { startWork } from "../../src/budget.ts";
import { checkModel } from "../../src/contracts/model.ts";
import { ColaError } from "../../src/errors.ts";
import { scorer } from "../../src/model/scorer.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { about, type Given } from "../../study/options.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { tableOptions, withStudy } from "../sources.ts";

/** Rows the laws are tried on. */
const SAMPLE = 200;

/** Runs the conformance suite on a model, compares it with reference scores, and measures its speed. */
export const checkCommand: CommandSpec = {
  name: "check",
  summary: "does a model answer as it should, and as your own scores say?",
  options: [...about("table", "model"), "reference", "tolerance", ...about("run")],
  examples: [
    "cola check --model forest",
    "cola check --data x.csv --model model.onnx --reference scores.csv",
  ],
  run: (given) =>
    withWork(given, (work) =>
      withStudy(given, work, async ({ data, model: loaded }) => {
        const reference = given.reference
          ? await referenceScores(given, given.reference, data.rows.rows)
          : undefined;
        const rows = reference ? data.rows : takeRows(data.rows, first(Math.min(SAMPLE, data.rows.rows)));
        const laws = await checkModel(loaded.model, rows, {
          ...work,
          ...(reference ? { reference } : {}),
          ...(given.tolerance === undefined ? {} : { tolerance: given.tolerance }),
        });
        const start = performance.now();
        await scorer(loaded.model, startWork("check", work)).score(rows);
        const rowsPerSecond = Math.round(rows.rows / Math.max(1e-6, (performance.now() - start) / 1000));
        const ok = laws.every((law) => law.ok);
        if (given.json)
          process.stdout.write(`${JSON.stringify({ model: loaded.title, ok, rowsPerSecond, laws })}\n`);
        else {
          for (const law of laws) {
            const mark = law.ok ? paint.good("✔") : paint.bad("✘");
            process.stdout.write(`${mark} ${law.law}${law.message ? `: ${law.message}` : ""}\n`);
          }
          process.stdout.write(`${loaded.title}: ${rowsPerSecond} rows per second on ${rows.rows} rows.\n`);
        }
        return ok ? EXIT.ok : EXIT.model;
      }),
    ),
};

const first = (count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => i);

/** The last column of a table with one score per row of the data. */
async function referenceScores(given: Given, path: string, rows: number): Promise<Float64Array> {
  const table = await readTableFile(path, tableOptions(given));
  const scores = Float64Array.from(table.columns.at(-1)!, Number);
  if (table.rows === rows && scores.every(Number.isFinite)) return scores;
  throw new ColaError(
    "INPUT_SHAPE",
    `${path}: needs one finite score for each of the ${rows} rows in its last column, but has ${table.rows} rows.`,
    { path, rows: table.rows },
  );
}
