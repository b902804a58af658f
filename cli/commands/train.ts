import { checkWritableFile, writeFileWhole } from "../../node/files.ts";
import { encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { splitRows } from "../../src/data/split.ts";
import { ColaError } from "../../src/errors.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { rocAuc } from "../../src/num/stats.ts";
import { savedBundle } from "../../src/read/readers.ts";
import { encodingFor, fit, type ModelName, models } from "../../src/train/registry.ts";
import { about } from "../../study/options.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT, withWork } from "../run.ts";
import { loadData } from "../sources.ts";

/** Trains a classifier on a table, says how good it is on held-out rows, and writes it with its encoder. */
export const trainCommand: CommandSpec = {
  name: "train",
  summary: "train one of the classifiers and save it",
  options: [...about("table"), "model", "modelOut", ...about("run")],
  examples: [
    "cola train --model forest --model-out forest.json",
    "cola train --data loans.csv --label granted --model xgboost",
  ],
  run: (given) =>
    withWork(given, async (work) => {
      const name = (given.model ?? "logistic") as ModelName;
      const path = given.modelOut ?? `${name}.json`;
      checkWritableFile(path);
      const data = await loadData(given, work);
      if (!Object.hasOwn(models, name)) {
        throw new ColaError(
          "NAME_UNKNOWN",
          `train: there is no classifier ${JSON.stringify(name)}; there are ${Object.keys(models).join(", ")}.`,
        );
      }
      const { labels, classes } = data;
      if (!labels || !classes)
        throw new ColaError(
          "OPTION_INVALID",
          "train: --label is missing; give the column with the known outcome.",
        );
      const seed = given.seed ?? 0;
      const options = { classes: [...classes], ...work };
      const train = async (indices: Int32Array) => {
        const rows = takeRows(data.rows, indices);
        const encoder = fitEncoder(data.schema, rows, encodingFor(name));
        const known = Int32Array.from(indices, (i) => labels[i]!);
        const model = await fit(name, encodeRows(encoder, rows), known, options, stream(seed, "train", name));
        return { model, encoder };
      };
      const { train: part, test } = splitRows(data.rows.rows, 0.3, stream(seed, "split"));
      const trial = await train(part);
      const scores = await trial.model.predict(encodeRows(trial.encoder, takeRows(data.rows, test)));
      const truth = Int32Array.from(test, (i) => labels[i]!);
      const auc = classes.length === 2 ? rocAuc(truth, scores) : null;
      const final = await train(Int32Array.from({ length: data.rows.rows }, (_, i) => i));
      writeFileWhole(path, savedBundle(final.model, final.encoder));
      const report = {
        model: name,
        rows: data.rows.rows,
        classes,
        testRows: test.length,
        testAuc: auc,
        file: path,
      };
      process.stdout.write(
        given.json
          ? `${JSON.stringify(report)}\n`
          : `${models[name].title}: trained on ${report.rows} rows of ${data.source}.\n` +
              (auc === null
                ? ""
                : `ROC-AUC on ${test.length} held-out rows (trained on the others): ${auc.toFixed(3)}.\n`) +
              `Written: ${path}\n`,
      );
      return EXIT.ok;
    }),
};
