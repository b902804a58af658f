import { parquetRead } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { matrix } from "../src/num/matrix.ts";
import type { Cell, Matrix } from "../src/types.ts";

/** Rows as codes, with a name and a number for each where they have them. */
export interface Coded {
  readonly codes: Matrix;
  readonly ids?: readonly Cell[];
  readonly pairs?: ArrayLike<number>;
}

/** Rows as a Parquet file that is read back to the bit, a column at a time: no row is ever an object. */
export function writeCodes({ codes: { rows, cols, data }, ids, pairs }: Coded): Uint8Array {
  const column = (k: number): Float64Array =>
    Float64Array.from({ length: rows }, (_, i) => data[i * cols + k]!);
  const columnData = [
    ...Array.from({ length: cols }, (_, k) => double(`c${k}`, column(k))),
    ...(pairs ? [double("pair", Float64Array.from(pairs))] : []),
    ...(ids
      ? [{ name: "id", data: ids.map((id) => JSON.stringify(id)), type: "STRING" as const, nullable: false }]
      : []),
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

const double = (name: string, data: Float64Array) => ({
  ...{ name, data, nullable: false },
  ...{ type: "DOUBLE" as const, encoding: "PLAIN" as const },
});

/** The buffer of some bytes, copied where it holds others, too. */
const wholeBuffer = (bytes: Uint8Array): ArrayBuffer =>
  bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
    ? bytes.buffer
    : new Uint8Array(bytes).buffer;

export async function readCodes(bytes: Uint8Array, rows: number, cols: number): Promise<Coded> {
  const codes = matrix(rows, cols, new Float64Array(rows * cols));
  const [ids, pairs]: [Cell[], number[]] = [[], []];
  await parquetRead({
    file: wholeBuffer(bytes),
    onChunk({ columnName, columnData, rowStart }) {
      for (let i = 0; i < columnData.length; i++) {
        const value: unknown = columnData[i];
        if (columnName === "id") ids[rowStart + i] = JSON.parse(value as string) as Cell;
        else if (columnName === "pair") pairs[rowStart + i] = value as number;
        else codes.data[(rowStart + i) * cols + Number(columnName.slice(1))] = value as number;
      }
    },
  });
  return { codes, ...(ids.length > 0 ? { ids } : {}), ...(pairs.length > 0 ? { pairs } : {}) };
}
