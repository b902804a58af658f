import { expect, test } from "vitest";
import { readCodes, writeCodes } from "../../formats/codes.ts";
import { matrix } from "../../src/num/matrix.ts";

test("rows as codes come back to the bit, with their names and numbers", async () => {
  const odd = [Number.NaN, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1 / 3, 5e-324, 2 ** 60, 0];
  const codes = matrix(
    25_000,
    8,
    Float64Array.from({ length: 200_000 }, (_, i) => odd[i % 7]! * (i % 5)),
  );
  const ids = Array.from({ length: 25_000 }, (_, i) => [i, `p${i}`, null, true, "7"][i % 5]!);
  const pairs = Int32Array.from({ length: 25_000 }, (_, i) => (i % 9) - 1);
  const read = await readCodes(writeCodes({ codes, ids, pairs }), 25_000, 8);
  expect(read.codes.data.every((value, i) => Object.is(value, codes.data[i]))).toBe(true);
  expect(read.ids).toEqual(ids);
  expect(read.pairs).toEqual([...pairs]);
  expect(await readCodes(writeCodes({ codes }), 25_000, 8)).not.toHaveProperty("ids");
});
