import { join } from "node:path";
import { writeTable } from "../../formats/index.ts";
import { checkWritable, writeFileWhole } from "../../node/files.ts";
import { matrixToTable } from "../../src/data/schema.ts";
import type { Generated } from "../../src/generate/contract.ts";
import { generate } from "../../src/generate/registry.ts";
import { rowsShortOf } from "../../src/model/short-of.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";
import { loadData } from "../inputs.ts";
import { loadModelOption, loadTarget } from "../model-input.ts";
import { CONSTRAINTS, MODEL, RUN, TABLE } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";

/** Makes counterfactuals and writes them as a table with the row each belongs to. */
export const generateCommand: CommandSpec = {
  name: "generate",
  summary: "counterfactual rows for the rows that miss the target",
  options: [...TABLE, ...CONSTRAINTS, ...MODEL, "target", "generator", "rows", "out", "plainCsv", ...RUN],
  examples: [
    "cola generate --generator dice-genetic --rows 5",
    "cola generate --data loans.csv --label granted --generator nice",
  ],
  run: (given) =>
    withWork(given, async (work) => {
      if (given.out !== "-") checkWritable(given.out ?? "out");
      const data = await loadData(given, work);
      const loaded = await loadModelOption(given, data, work);
      try {
        const { model } = loaded;
        const target = loadTarget(given, model);
        const chosen = await rowsShortOf(model, data.rows, target, given.rows ?? 10, work);
        const x = takeRows(data.rows, chosen);
        const task = { model, x, references: data.rows, constraints: data.constraints, target };
        const name = given.generator ?? "knn";
        const made: Generated =
          x.rows === 0
            ? nothingFor(x, name)
            : await generate(name, task, work, stream(given.seed ?? 0, "generate"));
        const table = matrixToTable(data.schema, made.rows);
        const of = made.pairs ? [Array.from(made.pairs, (i) => chosen[i]!)] : [];
        const named = {
          ...table,
          names: [...(made.pairs ? ["row"] : []), ...table.names],
          columns: [...of, ...table.columns],
        };
        const path = given.out === "-" ? "-" : join(given.out ?? "out", "counterfactuals.csv");
        const told = path === "-" ? process.stderr : process.stdout;
        writeFileWhole(path, writeTable(named, "csv", { formulaSafe: !given.plainCsv }));
        const ok = made.report.status.filter((status) => status === "ok").length;
        const { details, evaluations, status, reasons } = made.report;
        if (given.json)
          told.write(
            `${JSON.stringify({ generator: name, ok, rows: x.rows, evaluations, status, reasons, details, file: path })}\n`,
          );
        else {
          told.write(`${name}: counterfactuals for ${ok} of ${x.rows} rows, ${evaluations} rows scored.\n`);
          reasons.forEach((reason, i) => {
            if (reason) told.write(`  row ${chosen[i]}: ${status[i]}, ${reason}\n`);
          });
          told.write(`Written: ${path}\n`);
        }
        return ok === x.rows ? EXIT.ok : EXIT.someRows;
      } finally {
        loaded.close();
      }
    }),
};

/** Where every row is at the target there is nothing to make. */
function nothingFor(x: Matrix, name: string): Generated {
  const report = { name, status: [], reasons: [], evaluations: 0, details: {} };
  return { rows: x, pairs: new Int32Array(0), report };
}
