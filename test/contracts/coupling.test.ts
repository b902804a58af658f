import { describe, expect, test } from "vitest";
import { checkCoupling } from "../../src/contracts/coupling.ts";
import { type CouplingMethod, couplings } from "../../src/couple/registry.ts";
import { couplingMutants } from "../support/mutants/couple.ts";

describe("every coupling of the registry keeps the contract", () => {
  test.each(Object.entries<CouplingMethod>(couplings))("%s", async (_, { couple, columns }) => {
    const results = await checkCoupling((task) => couple(task), { columns });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.map(({ law }) => law).includes("column marginals")).toBe(columns);
  });
});

describe("the contract refuses", () => {
  test.each(Object.entries(couplingMutants))("%s", async (_, { law, couple, columns = false }) => {
    const results = await checkCoupling(couple, { columns });
    const broken = results.find((result) => result.law === law);
    expect(broken).toMatchObject({ ok: false });
    expect(broken!.message).not.toBe("");
  });

  test("a coupling that throws, in each law, with its message", async () => {
    const results = await checkCoupling(() => {
      throw new Error("no partner today");
    });
    expect(results.length).toBeGreaterThan(5);
    for (const result of results) expect(result).toMatchObject({ ok: false, message: "no partner today" });
  });
});
