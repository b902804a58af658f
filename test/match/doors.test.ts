import { expect, test } from "vitest";
import { best } from "../../src/match/best.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { refine } from "../../src/refine/refine.ts";
import type { Goal, Matrix, Target } from "../../src/types.ts";

const code = (c: string) => expect.objectContaining({ code: c });
const model = (rows: Matrix): Float64Array => rows.data.filter((_, c) => c % rows.cols === 0);
const [x, r] = [fromRows([[0, 0]]), fromRows([[1, 1]])];
const target = { above: 0.5 };

test("candidates that are not references are refused, not proven useless", async () => {
  for (const j of [1, -1, 0.5]) {
    await expect(best(model, x, r, { target, among: [[j]] })).rejects.toThrow(code("PAIRS_INVALID"));
    const references = { rows: r, candidates: [[j]] };
    const call = refine({ model, x, q: r, goal: { kind: "each", target }, references });
    await expect(call).rejects.toThrow(code("PAIRS_INVALID"));
  }
});

test("a cost that is not a number is refused", async () => {
  const cost = {
    n: 1,
    m: 1,
    row: (_: number, out: Float64Array) => void out.fill(Number.NaN),
    dense: () => r,
  };
  await expect(best(model, x, r, { target, cost })).rejects.toThrow(code("COST_INVALID"));
});

test("a goal or target of no known kind is refused by name", async () => {
  for (const goal of [undefined, { kind: "every", target }] as unknown as Goal[]) {
    await expect(refine({ model, x, q: r, goal })).rejects.toThrow(code("NAME_UNKNOWN"));
  }
  const none = undefined as unknown as Target;
  await expect(refine({ model, x, q: r, goal: { kind: "each", target: none } })).rejects.toThrow(
    code("TARGET_INVALID"),
  );
});
