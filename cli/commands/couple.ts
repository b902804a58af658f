import { couplingNamed } from "../../src/couple/registry.ts";
import { embed, fitMetric, metricCost, scaledRows } from "../../src/data/metric.ts";
import { ColaError } from "../../src/errors.ts";
import { rowKeys, stream } from "../../src/num/random.ts";
import { hasTable, loadData } from "../inputs.ts";
import { tableOptions } from "../limits.ts";
import { RUN, TABLE } from "../options.ts";
import type { CommandSpec } from "../parse.ts";
import { loadReferences } from "../references.ts";
import { EXIT, withWork } from "../run.ts";

/** Entries printed for people; --json has all. */
const SHOWN = 20;

/** Couples two tables: which counterfactual belongs to which row, by distance alone. */
export const coupleCommand: CommandSpec = {
  name: "couple",
  summary: "pair rows with counterfactuals; no model is asked",
  options: [...TABLE, "counterfactuals", "coupling", ...RUN],
  examples: ["cola couple --data x.csv --counterfactuals r.csv --coupling transport --json"],
  run: (given) =>
    withWork(given, async (work) => {
      if (!hasTable(given) || !given.counterfactuals) {
        throw new ColaError(
          "OPTION_INVALID",
          "couple: give --data with the rows and --counterfactuals with the others.",
        );
      }
      const data = await loadData(given);
      const { references, pairs, x, chosen } = await loadReferences(
        given.counterfactuals,
        data,
        tableOptions(given),
      );
      const metric = fitMetric(data.schema, data.rows);
      const points = embed(metric, [x, references]) ?? [
        scaledRows(metric, x),
        scaledRows(metric, references),
      ];
      const { name, rows, cols, mass, cost, gap, converged, iterations } = await couplingNamed(
        given.coupling ?? "transport",
      ).couple({
        ...work,
        x: points[0]!,
        r: points[1]!,
        cost: metricCost(metric, x, references),
        random: stream(given.seed ?? 0, "couple"),
        keys: rowKeys(x),
        ...(pairs ? { pairs: Array.from(pairs, (i, j): [number, number] => [i, j]) } : {}),
      });
      const entries = Array.from(rows, (i, e) => ({ row: chosen[i]!, reference: cols[e]!, mass: mass[e]! }));
      if (given.json)
        process.stdout.write(`${JSON.stringify({ name, cost, gap, converged, iterations, entries })}\n`);
      else {
        process.stdout.write(
          `${name}: ${entries.length} pairs, cost ${cost}, gap ${gap}, ${converged ? "converged" : "NOT converged"}.\n`,
        );
        for (const { row, reference, mass: share } of entries.slice(0, SHOWN)) {
          process.stdout.write(`  row ${row} – reference ${reference}: ${share.toPrecision(4)}\n`);
        }
        if (entries.length > SHOWN)
          process.stdout.write(`  … and ${entries.length - SHOWN} more (--json prints all)\n`);
      }
      return converged ? EXIT.ok : EXIT.budget;
    }),
};
