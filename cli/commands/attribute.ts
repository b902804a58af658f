import { pshap } from "../../src/attribute/pshap.ts";
import { labelOf } from "../../src/data/schema.ts";
import { ColaError } from "../../src/errors.ts";
import { goalScore } from "../../src/model/goal-score.ts";
import { reachOf } from "../../src/model/target.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { about } from "../../study/options.ts";
import { ownRows } from "../../study/own.ts";
import { coupledBy } from "../pairing.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { hasTable, withStudy } from "../sources.ts";

const SHOWN_ROWS = 10;
const SHOWN_FEATURES = 4;

/** p-SHAP: how much each feature gives to f(x) − f(r), the references weighted by their coupling. */
export const attributeCommand: CommandSpec = {
  name: "attribute",
  summary: "Shapley values of rows against coupled references",
  options: [...about("table", "model"), "counterfactuals", "target", "coupling", ...about("run")],
  examples: ["cola attribute --data x.csv --counterfactuals r.csv --model model.json --coupling transport"],
  run: (given) =>
    withWork(given, async (work) => {
      if (!hasTable(given) || !given.counterfactuals || !given.model) {
        throw new ColaError("OPTION_INVALID", "attribute: give --data, --counterfactuals and --model.");
      }
      return withStudy(given, work, async ({ data, model: loaded, target, own }) => {
        const others = await ownRows(own!, data);
        const { references, pairs, x, chosen } = others;
        const name = given.coupling ?? (pairs ? "exact" : "transport");
        const coupling = await coupledBy(name, data, others, given.seed ?? 0, work);
        const { model, output } = goalScore(loaded.model, reachOf(loaded.model, target));
        const phi = await pshap(model, x, references, coupling, {
          ...work,
          output,
          seed: given.seed ?? 0,
        });
        const features = data.schema.features.map((f) => f.name);
        const rows = Array.from({ length: x.rows }, (_, i) => [...rowOf(phi.values, i)]);
        const { base, exact: isExact, space, residual, evaluations } = phi;
        if (given.json)
          process.stdout.write(
            `${JSON.stringify({ features, rows, base: [...base], exact: isExact, space, residual, evaluations })}\n`,
          );
        else {
          process.stdout.write(
            `${isExact ? "Exact" : "Sampled"}, on the ${space}, residual ${residual.toExponential(1)}.\n`,
          );
          rows.slice(0, SHOWN_ROWS).forEach((values, i) => {
            const order = values
              .map((v, k) => ({ v, k }))
              .sort((a, b) => Math.abs(b.v) - Math.abs(a.v))
              .slice(0, SHOWN_FEATURES);
            const parts = order.map(
              ({ v, k }) => `${labelOf(data.schema.features[k]!)} ${v >= 0 ? "+" : ""}${v.toFixed(3)}`,
            );
            process.stdout.write(`  row ${chosen[i]}: ${parts.join(", ")}\n`);
          });
        }
        return EXIT.ok;
      });
    }),
};
