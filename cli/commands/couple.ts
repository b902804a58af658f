import { ColaError } from "../../src/errors.ts";
import { about } from "../../study/options.ts";
import { ownRows } from "../../study/own.ts";
import { coupledBy } from "../pairing.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { hasTable, loadData, ownSource } from "../sources.ts";

/** Entries printed for people; --json has all. */
const SHOWN = 20;

/** Couples two tables: which counterfactual belongs to which row, by distance alone. */
export const coupleCommand: CommandSpec = {
  name: "couple",
  summary: "pair rows with counterfactuals; no model is asked",
  options: [...about("table"), "counterfactuals", "coupling", ...about("run")],
  examples: ["cola couple --data x.csv --counterfactuals r.csv --coupling transport --json"],
  run: (given) =>
    withWork(given, async (work) => {
      if (!hasTable(given) || !given.counterfactuals) {
        throw new ColaError(
          "OPTION_INVALID",
          `couple: --${hasTable(given) ? "counterfactuals" : "data"} is missing; give --data with the rows and --counterfactuals with the others.`,
        );
      }
      const own = await ownSource(given, given.counterfactuals);
      const data = await loadData(given, work, undefined, own);
      const loaded = await ownRows(own, data);
      const method = given.coupling ?? "transport";
      const { name, rows, cols, mass, cost, gap, converged, iterations } = await coupledBy(
        method,
        data,
        loaded,
        given.seed ?? 0,
        work,
      );
      const { chosen } = loaded;
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
