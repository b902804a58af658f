import fc from "fast-check";
import { expect, test } from "vitest";
import { checkReasonCodes } from "../../show/reason-codes.ts";
import { principalReasons, vagueReasons } from "../../show/reasons.ts";
import type { Schema } from "../../src/types.ts";
import { ignoresTheSign, namesAll } from "../support/mutants/show.ts";
import { refuses } from "../support/refuses.ts";

const schema: Schema = {
  features: Array.from({ length: 8 }, (_, k) => ({
    name: `f${k}`,
    kind: "numeric" as const,
    label: `F${k}`,
    unit: "kg",
    ...(k === 2 ? { immutable: true } : {}),
  })),
};

const rowOf = (attributions: readonly number[]) => ({
  x: attributions.map((_, k) => k),
  attributions,
  proposal: [{ feature: "f0", from: 0, to: 9, attribution: attributions[0]! }],
  edits: [{ feature: "f0", from: 0, to: 9, attribution: attributions[0]! }],
  valid: true,
});

/** At most four, largest first, all pulling the way the whole row is pulled, none of them left out for a smaller. */
function reasonsLaw(impl: typeof principalReasons): void {
  const phi = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(phi, { minLength: 8, maxLength: 8 }), (values) => {
      const found = impl(schema, rowOf(values), { minShare: 0 });
      const away = Math.sign(values.reduce((sum, v) => sum + v, 0));
      const expected = values
        .filter((v) => v !== 0 && Math.sign(v) === away)
        .sort((a, b) => Math.abs(b) - Math.abs(a))
        .slice(0, 4);
      expect(found.map((reason) => reason.attribution)).toEqual(expected);
    }),
  );
}

test("reasons are what pulls the row away, at most four", () => {
  reasonsLaw(principalReasons);
});

test.each([ignoresTheSign, namesAll])("other reasons are noticed: %o", async (mutant) => {
  await refuses(() => reasonsLaw(mutant));
});

test("a feature nobody may change can be a reason, and says so", () => {
  const [first, second] = principalReasons(schema, rowOf([-0.1, 0, -0.4, 0, 0, 0, 0, 0]));
  expect(first).toMatchObject({ feature: "f2", changeable: false, text: "F2: 2 kg" });
  expect(second).toMatchObject({ feature: "f0", changeable: true, text: "F0: 0 kg, compared with 9 kg" });
  expect(first!.share).toBeCloseTo(0.8);
});

test("the user's own codes are used, and names of objects are not codes", () => {
  const odd: Schema = { features: [{ name: "constructor", kind: "numeric" }, ...schema.features.slice(1)] };
  const row = rowOf([-0.5, -0.3, 0, 0, 0, 0, 0, 0]);
  expect(principalReasons(odd, row, { codes: { f1: { code: "R7", text: "Debts are high" } } })).toMatchObject(
    [
      { feature: "constructor", text: "constructor: 0" },
      { feature: "f1", code: "R7", text: "Debts are high" },
    ],
  );
});

test("a row that needs no change has no reasons", () => {
  expect(principalReasons(schema, { ...rowOf([-1, 0, 0, 0, 0, 0, 0, 0]), edits: [] })).toEqual([]);
});

test("wordings that name no factor are found", () => {
  const codes = {
    a: { code: "1", text: "Insufficient score" },
    b: { code: "2", text: "Internal policy" },
    c: { code: "3", text: "Other" },
    d: { code: "4", text: "Income too low for the amount asked" },
    e: { code: "5" },
    f: { code: "6", text: "Unzureichende Bonität" },
    g: { code: "7", text: "aus geschäftlichen Gründen" },
    h: { code: "8", text: "Interne Richtlinien" },
    i: { code: "9", text: "Das Einkommen ist für den Betrag zu niedrig" },
    j: { code: "10", text: "Sonstige" },
    k: { code: "11", text: "Another loan is not paid back; brother is guarantor" },
  };
  expect(vagueReasons(codes).map(({ feature }) => feature)).toEqual(["a", "b", "c", "f", "g", "h", "j"]);
});

test("codes of features there are none of are refused, where the schema is known", () => {
  const codes = { f0: { code: "R1" }, incomee: { code: "R2" } };
  expect(checkReasonCodes("codes.json", codes)).toBe(codes);
  expect(() => checkReasonCodes("codes.json", codes, schema)).toThrow(/no feature "incomee".*f0/);
  expect(checkReasonCodes("codes.json", { f0: codes.f0 }, schema)).toEqual({ f0: codes.f0 });
});
