import { join } from "node:path";
import { writeTable } from "../../formats/index.ts";
import { checkWritable, writeFileWhole } from "../../node/files.ts";
import { matrixToTable } from "../../src/data/schema.ts";
import type { Generated } from "../../src/generate/contract.ts";
import { generate } from "../../src/generate/registry.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";
import { about, OPTIONS } from "../../study/options.ts";
import { rowsOf } from "../../study/study.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { withStudy } from "../sources.ts";

/** Makes counterfactuals and writes them as a table with the row each belongs to. */
export const generateCommand: CommandSpec = {
  name: "generate",
  summary: "counterfactual rows for the rows that miss the target",
  options: [
    ...about("table", "constraints", "model"),
    "target",
    "generator",
    "rows",
    "out",
    "plainCsv",
    ...about("run"),
  ],
  examples: [
    "cola generate --generator dice-genetic --rows 5",
    "cola generate --data loans.csv --label granted --generator nice",
  ],
  run: (given) =>
    withWork(given, async (work) => {
      if (given.out !== "-") checkWritable(given.out ?? "out");
      return withStudy(given, work, async (study) => {
        const { data, model, target } = study;
        const { chosen, x } = await rowsOf(study, work);
        const task = { model: model.model, x, references: data.rows, constraints: data.constraints, target };
        const name = given.generator ?? OPTIONS.generator.default;
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
        const output = path === "-" ? process.stderr : process.stdout;
        writeFileWhole(path, writeTable(named, "csv", { formulaSafe: !given.plainCsv }));
        const ok = made.report.status.filter((status) => status === "ok").length;
        const { details, evaluations, status, reasons } = made.report;
        if (given.json)
          output.write(
            `${JSON.stringify({ generator: name, ok, rows: x.rows, evaluations, status, reasons, details, file: path })}\n`,
          );
        else {
          output.write(`${name}: counterfactuals for ${ok} of ${x.rows} rows, ${evaluations} rows scored.\n`);
          reasons.forEach((reason, i) => {
            if (reason) output.write(`  row ${chosen[i]}: ${status[i]}, ${reason}\n`);
          });
          output.write(`Written: ${path}\n`);
        }
        return ok === x.rows ? EXIT.ok : EXIT.someRows;
      });
    }),
};

/** Where every row is at the target there is nothing to make. */
function nothingFor(x: Matrix, name: string): Generated {
  const report = { name, status: [], reasons: [], evaluations: 0, details: {} };
  return { rows: x, pairs: new Int32Array(0), report };
}
