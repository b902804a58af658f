import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCli } from "../../cli/program.ts";

const parts = (name: string): string => `examples/parts/${name}`;
const loans = ["--data", parts("loans.csv"), "--id", "id"];
const xgboost = ["--model", parts("xgboost.json"), "--outputs", "refused,granted", "--target", "granted"];

/** A fixed set of runs through every kind of model, generator and coupling: what `cola explain` is told. */
export const STUDIES: Readonly<Record<string, readonly string[]>> = {
  logistic: ["--rows", "20", "--formats", "html,csv,svg,parquet"],
  network: ["--rows", "6", "--model", "mlp", "--generator", "dice-gradient"],
  process: ["--rows", "4", "--model", "gp", "--generator", "dice-genetic"],
  support: ["--rows", "6", "--model", "svm", "--generator", "globe-ce", "--coupling", "sinkhorn"],
  radial: ["--rows", "6", "--model", "rbf", "--generator", "direct", "--coupling", "coarsened"],
  forest: ["--rows", "6", "--model", "forest", "--generator", "discount", "--coupling", "transport"],
  boosting: ["--rows", "6", "--model", "gradboost", "--generator", "ares", "--coupling", "joint"],
  xgboost: [...loans, ...xgboost, "--rows", "8", "--alternatives", "3"],
  onnx: [
    ...loans,
    "--model",
    parts("model.onnx"),
    "--encoding",
    parts("encoding.json"),
    "--target",
    "granted",
  ],
  constraints: [
    ...loans,
    ...xgboost,
    "--rows",
    "4",
    "--constraints",
    parts("constraints.json"),
    "--locale",
    "de",
  ],
};

/** As a program: runs them all into a folder, each in one of its own. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [name, words] of Object.entries(STUDIES)) {
    const code = await runCli(["explain", ...words, "--seed", "7", "--out", join(process.argv[2]!, name)]);
    // 1: some row has no plan, which is a result as well.
    if (code > 1) throw new Error(`${name} ended with ${code}`);
  }
}
