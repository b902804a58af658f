import { bind, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { ColaError } from "../src/errors.ts";
import { takeRows } from "../src/num/matrix.ts";
import { type Random, stream } from "../src/num/random.ts";
import { encodingFor, fit, type ModelName, models } from "../src/train/registry.ts";
import type { Model, WorkOptions } from "../src/types.ts";
import type { Data, Fitted } from "./parts.ts";

/** What a fitted model is, by the name it can be trained under here; undefined where that is not known. */
export function kindOf(trained: string | undefined, fitted: Fitted | undefined): ModelName | undefined {
  const saved = fitted?.model.toJSON?.() as { readonly type?: string; readonly name?: string } | undefined;
  const kind = trained ?? (saved?.type === "trees" ? saved.name : saved?.type?.replace(/-file$/, ""));
  return kind !== undefined && Object.hasOwn(models, kind) ? (kind as ModelName) : undefined;
}

/**
 * `count` models of one kind, each trained on a bootstrap of the table: as many rows, drawn with replacement. They read
 * the same encoded columns, and which they are depends on the seed and their number alone.
 */
export async function retrained(
  kind: ModelName,
  data: Data,
  outputs: readonly string[],
  seed: number,
  [from, to]: readonly [number, number],
  work: WorkOptions,
): Promise<Model[]> {
  const { labels, classes, schema, rows, constraints } = data;
  if (!labels || !classes)
    throw new ColaError(
      "OPTION_INVALID",
      "options.retrain trains models on the table, so it needs options.label, the column with the known outcome.",
    );
  const encoder = fitEncoder(schema, rows, encodingFor(kind));
  const encoded = encodeRows(encoder, rows);
  const names = outputs.length === classes.length ? outputs : classes;
  const made: Model[] = [];
  for (let b = from; b < to; b++) {
    const random = stream(seed, "retrain", kind, b);
    const drawn = bootstrap(random, labels, classes.length);
    const known = Int32Array.from(drawn, (i) => labels[i]!);
    const options = { classes: [...names], ...work };
    const fitted = await fit(kind, takeRows(encoded, drawn), known, options, random.split("fit"));
    made.push(bind(fitted, encoder, constraints));
  }
  return sharing(made);
}

/** Rows drawn with replacement, one of each class among them. */
function bootstrap(random: Random, labels: ArrayLike<number>, classes: number): Int32Array {
  const drawn = Int32Array.from({ length: labels.length }, () => random.int(labels.length));
  for (let c = 0; c < classes; c++) {
    const first = Array.from(labels).indexOf(c);
    if (first >= 0 && !drawn.some((i) => labels[i] === c)) drawn[c] = first;
  }
  return drawn;
}

/** The models with one encoder between them, so that a search sees one set of columns. */
function sharing(all: readonly Model[]): Model[] {
  const encoding = all[0]?.encoding;
  if (!encoding) return [...all];
  return all.map((model) => ({ ...model, encoding: { ...encoding, model: model.encoding!.model } }));
}
