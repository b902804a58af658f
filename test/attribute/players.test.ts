import { describe, expect, test } from "vitest";
import { pshap } from "../../src/attribute/index.ts";
import { exact, uniform } from "../../src/couple/index.ts";
import { fromRows, matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import type { Matrix, Model, ModelLike } from "../../src/types.ts";
import { byRow, COLS, farthest, forestModel, GROUPS, linearModel } from "../support/attribute.ts";
import { gaussian } from "../support/couple.ts";
import { forbiddenDropped, groupsSplit } from "../support/mutants/attribute.ts";
import { refuses } from "../support/refuses.ts";

describe("players", () => {
  const bumpy = byRow((z) => Math.sin(z[0]! * z[4]!) + z[2]! * z[5]! - Math.abs(z[3]! - z[1]!) * z[0]!);
  const [x, r] = [gaussian(2, COLS, 5, "x"), gaussian(2, COLS, 5, "r")];

  const groupLaw = async (impl: typeof pshap): Promise<void> => {
    const grouped = await impl(bumpy, x, r, uniform(2, 2), { groups: GROUPS });
    // Player u of the substitute chooses between row 0 … 3 of the stacked rows for all columns of group u.
    const stack = [...[0, 1].map((i) => rowOf(x, i)), ...[0, 1].map((j) => rowOf(r, j))];
    const substitute = byRow((choice) => {
      const z = new Float64Array(COLS);
      for (const [u, own] of GROUPS.entries()) for (const c of own) z[c] = stack[choice[u]!]![c]!;
      return (bumpy(matrix(1, COLS, z)) as Float64Array)[0]!;
    });
    const choices = (rows: number[]): Matrix => fromRows(rows.map((row) => [row, row, row]));
    const brute = await pshap(substitute, choices([0, 1]), choices([2, 3]), uniform(2, 2));
    expect(farthest(grouped.values, brute.values)).toBeLessThan(1e-14);
  };
  test("a group is one player: the same as a function of whole groups", () => groupLaw(pshap));
  test("groups played column by column are refused", () => refuses(() => groupLaw(groupsSplit)));

  test("an encoding moves as a whole: one-hot columns of a level", async () => {
    const inner: Model = {
      outputs: ["score"],
      predict: (rows) => bumpy(rows) as Float64Array,
    };
    // Table column 0 becomes encoded columns 0–3 (one-hot), column 1 becomes 4, column 2 becomes 5.
    const encode = (rows: Matrix): Matrix =>
      fromRows(
        Array.from({ length: rows.rows }, (_, i) => {
          const [level, a, b] = rowOf(rows, i);
          return [0, 1, 2, 3].map((l) => Number(l === level)).concat(a!, b!);
        }),
      );
    const encoding = { model: inner, encode, groups: [[0, 1, 2, 3], [4], [5]] };
    const bound: Model = { outputs: ["score"], predict: (rows) => inner.predict(encode(rows)), encoding };
    const [tx, tr] = [
      fromRows([
        [0, 1.5, -1],
        [2, 0.3, 2],
      ]),
      fromRows([
        [3, 1.5, 2],
        [1, -1, 0.7],
      ]),
    ];
    const found = await pshap(bound, tx, tr, uniform(2, 2));
    const plain = await pshap((rows) => bound.predict(rows), tx, tr, uniform(2, 2));
    expect(found.values.cols).toBe(3);
    expect(farthest(found.values, plain.values)).toBeLessThan(1e-14);
  });

  test("a column of no player holds x", async () => {
    const found = await pshap(bumpy, x, r, exact(2), { groups: [[0], [1], [2]] });
    const held = matrix(
      2,
      COLS,
      r.data.map((v, at) => (at % COLS < 3 ? v : x.data[at]!)),
    );
    const wanted = await pshap(bumpy, x, held, exact(2));
    expect(Array.from(found.base)).toEqual(Array.from(wanted.base));
    for (const i of [0, 1])
      expect(Array.from(rowOf(found.values, i))).toEqual(Array.from(rowOf(wanted.values, i).subarray(0, 3)));
  });

  const allowed = Uint8Array.of(1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1);
  /** r as row i may take it. */
  const held = (i: number): Matrix =>
    matrix(
      2,
      COLS,
      r.data.map((v, at) => (allowed[i * COLS + (at % COLS)] ? v : x.data[i * COLS + (at % COLS)]!)),
    );
  const allowedLaw = async (impl: typeof pshap): Promise<void> => {
    for (const model of [
      bumpy,
      forestModel(4, "logistic"),
      linearModel(4, "identity"),
    ] satisfies ModelLike[]) {
      for (const flags of [allowed, matrix(2, COLS, Float64Array.from(allowed))]) {
        const found = await impl(model, x, r, uniform(2, 2), { allowed: flags });
        expect(found.residual).toBeLessThan(1e-12);
        for (const i of [0, 1]) {
          const wanted = await pshap(model, takeRows(x, [i]), held(i), uniform(1, 2));
          expect(farthest(wanted.values, takeRows(found.values, [i]))).toBeLessThan(1e-15);
          expect(Math.abs(wanted.base[0]! - found.base[i]!)).toBeLessThan(1e-15);
        }
      }
    }
  };
  test("a forbidden cell of a reference is x's, and efficiency is against these rows", () =>
    allowedLaw(pshap));
  test("forbidden cells dropped after the game are refused", () =>
    refuses(() => allowedLaw(forbiddenDropped)));
});
