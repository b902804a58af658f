import { readArrowNumbers, writeArrowNumbers } from "../../formats/arrow.ts";
import { columnOf } from "../../node/model/answers.ts";
import { ColaError } from "../../src/errors.ts";
import { outputIndex } from "../../src/model/contract.ts";
import type { CellOptions } from "../../src/read/cells.ts";
import type { Feature, Matrix, Model } from "../../src/types.ts";
import type { OutsideSource } from "../../study/parts.ts";

const OWNER = "bridge";
/** Batches whose answers are kept: the outputs of a model are asked one after the other about the same rows. */
const KEPT = 4;

/** What came back for a question: scores of all outputs as an Arrow table, or why there are none. */
export type Reply = { readonly scores: Uint8Array } | { readonly error: string; readonly late: boolean };

/** Puts rows, as an Arrow table of codes, to the other side. */
export type AskModel = (rows: Uint8Array) => Promise<Reply>;

interface AskedSource extends OutsideSource {
  /** The columns of a question, once a table is bound: a cell of a column with categories is the index of one. */
  columns(): readonly Feature[];
}

/** A model that the other side of the bridge answers for, all outputs in one answer. */
export function askedSource(
  outputs: readonly string[],
  identity: readonly unknown[],
  ask: AskModel,
): AskedSource {
  let columns: readonly Feature[] = [];
  return {
    title: "model of the caller",
    identity: ["bridge", outputs, ...identity],
    columns: () => columns,
    call: ({ schema, inputs = [] }: CellOptions) => {
      columns = schema?.features ?? inputs.map((name) => ({ name, kind: "numeric" }));
      return { model: askedModel(outputs, columns, ask), close: () => {} };
    },
  };
}

function askedModel(outputs: readonly string[], columns: readonly Feature[], ask: AskModel): Model {
  const names = columns.map(({ name }) => name);
  const kept: { readonly rows: Buffer; readonly scores: Promise<Matrix> }[] = [];
  const scoresOf = (rows: Matrix): Promise<Matrix> => {
    const { buffer, byteOffset, byteLength } = rows.data;
    const own = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
    const held = kept.find((one) => one.rows.equals(own));
    if (held) return held.scores;
    const scores = answered(ask, names, rows);
    kept.unshift({ rows: Buffer.from(own), scores });
    kept.length = Math.min(kept.length, KEPT);
    return scores;
  };
  const model: Model = {
    outputs,
    inputs: names,
    predict: async (rows, output) => {
      const { data, cols: width } = await scoresOf(rows);
      return columnOf(OWNER, { data, width }, outputs, outputIndex(model, output));
    },
  };
  return model;
}

async function answered(ask: AskModel, names: readonly string[], rows: Matrix): Promise<Matrix> {
  const reply = await ask(writeArrowNumbers(names, rows));
  if ("error" in reply) {
    throw new ColaError(
      reply.late ? "PREDICT_TIMEOUT" : "PREDICT_FAILED",
      `${OWNER}: the model failed on a batch of ${rows.rows} rows: ${reply.error}`,
      { rows: rows.rows },
    );
  }
  const scores = readArrowNumbers(reply.scores);
  if (scores.rows === rows.rows && scores.cols > 0) return scores;
  throw new ColaError(
    "PREDICT_SHAPE",
    `${OWNER}: ${rows.rows} rows were asked about and ${scores.rows} scores of ${scores.cols} outputs came back; answer with one row of scores per row, in order.`,
    { rows: rows.rows, scores: scores.rows },
  );
}
