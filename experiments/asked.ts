import { createHash } from "node:crypto";
import type { Matrix, Model } from "../src/types.ts";

/** The rows a model is asked for, each counted once however often it is asked. */
export class Asked {
  private readonly seen = new Set<string>();

  get count(): number {
    return this.seen.size;
  }

  add({ data, rows, cols }: Matrix): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const width = cols * data.BYTES_PER_ELEMENT;
    for (let i = 0; i < rows; i++) {
      const row = bytes.subarray(i * width, (i + 1) * width);
      this.seen.add(createHash("sha1").update(row).digest("base64"));
    }
  }
}

/** The same model, and what it is asked. */
export function listened(model: Model, asked: Asked): Model {
  return {
    ...model,
    predict: (rows, output) => {
      asked.add(rows);
      return model.predict(rows, output);
    },
  };
}

/** The model as a plain function of rows: what it is made of cannot be seen. */
export const blackBox = (model: Model): Model => ({
  outputs: model.outputs,
  predict: (rows, output) => model.predict(rows, output),
});
