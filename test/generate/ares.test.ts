import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { addBit, bothBits, countBits, countBoth, noBits } from "../../src/generate/ares/bits.ts";
import { type ItemSet, itemSets } from "../../src/generate/ares/item-sets.ts";
import { localSearch } from "../../src/generate/ares/local-search.ts";
import {
  better,
  joined,
  meritOf,
  type ObjectiveSettings,
  type Rule,
  ruleOf,
  standingOf,
} from "../../src/generate/ares/objective.ts";
import { conditionText, type RuleReport } from "../../src/generate/ares/text.ts";
import { ares } from "../../src/generate/ares.ts";
import { binsOf, costOf } from "../../src/generate/bins.ts";
import type { Generated, Task } from "../../src/generate/contract.ts";
import { asModel } from "../../src/model/contract.ts";
import { fromRows, rowOf, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Feature, Model } from "../../src/types.ts";
import { fitNames, loanTask, setNames } from "../support/generate.ts";
import { checkFound, softmaxTask } from "../support/group.ts";
import {
  aresMutants,
  forgivingMerit,
  itemSetMutants,
  localSearchMutants,
} from "../support/mutants/group-generators.ts";
import { refuses } from "../support/refuses.ts";
import { hasSet, productTask } from "../support/set-tasks.ts";

const work = startWork("test");

test("sets of rows", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(99)), fc.uniqueArray(fc.nat(99)), (a, b) => {
      const [p, q] = [a, b].map((list) => {
        const bits = noBits(100);
        for (const i of list) addBit(bits, i);
        return bits;
      }) as [Uint32Array, Uint32Array];
      const both = a.filter((i) => b.includes(i));
      expect([countBits(p), countBits(q)]).toEqual([a.length, b.length]);
      expect(countBoth(p, q)).toBe(both.length);
      expect(countBits(bothBits(p, q))).toBe(both.length);
    }),
  );
});

describe("frequent item sets", () => {
  const tables = fc.record({
    codes: fc.array(fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: -1, max: 2 }))), {
      minLength: 1,
      maxLength: 12,
    }),
    least: fc.integer({ min: 1, max: 4 }),
    longest: fc.integer({ min: 1, max: 4 }),
  });

  /** Every set over different features that is frequent and short enough is found once, and no other. */
  const miningLaw = (mine: typeof itemSets): Promise<void> =>
    fc.assert(
      fc.asyncProperty(tables, async ({ codes, least, longest }) => {
        const limits = { least, longest, most: 1e6 };
        const found = await mine(Int32Array.from(codes.flat()), 4, [0, 1, 2, 3], limits, work);
        const key = (items: ItemSet["items"]): string => items.map(({ k, bin }) => `${k}=${bin}`).join(" ");
        const expected = new Map<string, number>();
        for (let mask = 0; mask < 4 ** 4; mask++) {
          const items = [0, 1, 2, 3].flatMap((k) => {
            const bin = Math.floor(mask / 4 ** k) % 4;
            return bin < 3 ? [{ k, bin }] : [];
          });
          const count = codes.filter((row) => items.every(({ k, bin }) => row[k] === bin)).length;
          if (items.length > 0 && items.length <= longest && count >= least) expected.set(key(items), count);
        }
        expect(new Map(found.map(({ items, count }) => [key(items), count]))).toEqual(expected);
        for (const { rows, count } of found) expect(countBits(rows)).toBe(count);
        expect(found.length).toBe(expected.size);
      }),
    );

  test("are those brute force finds", () => miningLaw(itemSets));
  test.each(Object.entries(itemSetMutants))("%s is refused", (_, mutant) => refuses(() => miningLaw(mutant)));

  test("a cap keeps the shorter and the more frequent", async () => {
    const codes = Int32Array.from([0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1]);
    const all = await itemSets(codes, 3, [0, 1, 2], { least: 1, longest: 3, most: 1000 }, work);
    const some = await itemSets(codes, 3, [0, 1, 2], { least: 1, longest: 3, most: 4 }, work);
    expect(some).toEqual(all.slice(0, 4));
    expect(some[0]!.count).toBe(3);
  });
});

/** Made-up rules over ten rows: who is covered, who gets there, at what cost, in which group. */
const rulesOf = fc.array(
  fc.record({
    group: fc.option(fc.nat(2)),
    rows: fc.array(
      fc.record({ in: fc.boolean(), there: fc.boolean(), cost: fc.integer({ min: 1, max: 9 }) }),
      {
        minLength: 10,
        maxLength: 10,
      },
    ),
    features: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 9 },
);
const groups = [0, 1, 2].map((k): ItemSet => {
  const rows = noBits(10);
  for (let i = 0; i < 10; i++) if (i % 3 !== k) addBit(rows, i);
  return { items: [{ k, bin: 0 }], rows, count: countBits(rows) };
});

function madeRules(
  given: (typeof rulesOf extends fc.Arbitrary<infer T> ? T : never) & readonly unknown[],
): Rule[] {
  return given.map(({ group, rows, features }) => {
    const [applies, reaches] = [noBits(10), noBits(10)];
    rows.forEach((row, i) => {
      if (row.in) addBit(applies, i);
      if (row.in && row.there) addBit(reaches, i);
    });
    const from = { items: [], rows: applies, count: countBits(applies) };
    const cost = Float64Array.from(rows, (row) => (row.in ? row.cost : 0));
    const to = Array.from({ length: features }, () => 0);
    return ruleOf(group === null ? undefined : groups[group], { from, to, applies, reaches, cost });
  });
}

const SETTINGS = { bins: 10, rules: 4, width: 7, groups: 2 };
const weights = fc.constantFrom([1, 0], [1, 0.1], [0, 1], [1, 1, 0.2, 0.1], [1, 0, 0, 0]);

describe("the objective", () => {
  /** With two weights, one more rule never hurts. */
  const moreLaw = (merit: typeof meritOf): void =>
    fc.assert(
      fc.property(rulesOf, fc.constantFrom([1, 0], [1, 0.1], [0, 1]), (given, lambda) => {
        const settings: ObjectiveSettings = { ...SETTINGS, lambda };
        const [last, ...rest] = madeRules(given);
        const before = merit(settings, standingOf(10, rest))[0];
        expect(merit(settings, standingOf(10, [...rest, last!]))[0]).toBeGreaterThanOrEqual(before - 1e-9);
      }),
    );

  test("two weights: more rules are never worse", () => moreLaw(meritOf));
  test("unreached rows for nothing are refused", () => refuses(() => moreLaw(forgivingMerit)));

  test("both forms by hand", () => {
    const [rule] = madeRules([
      {
        group: null,
        features: 2,
        rows: Array.from({ length: 10 }, (_, i) => ({ in: i < 4, there: i < 3, cost: 2 })),
      },
    ]);
    const standing = standingOf(10, [rule!]);
    // Three of ten rows get there at cost 2, the others count 70: U = 10 · 7.
    expect(meritOf({ ...SETTINGS, lambda: [1, 0] }, standing)[0]).toBeCloseTo(30);
    expect(meritOf({ ...SETTINGS, lambda: [0, 1] }, standing)[0]).toBeCloseTo(70 - (3 * 2 + 7 * 70) / 10);
    // (10·4 − 1 missed) + 4 covered − 2 features + (10·4·7 − 2 bins moved).
    expect(meritOf({ ...SETTINGS, lambda: [1, 1, 1, 1] }, standing)[0]).toBeCloseTo(39 + 4 - 2 + 278);
    expect(joined(standing, rule!).cost).toEqual(standing.cost);
  });
});

describe("local search", () => {
  /** Keeps its bounds, ends where no deletion, addition or swap helps, and gains by every rule it may add. */
  const searchLaw = (search: typeof localSearch): Promise<void> =>
    fc.assert(
      fc.asyncProperty(rulesOf, weights, async (given, lambda) => {
        const ground = madeRules(given);
        let before = meritOf({ ...SETTINGS, lambda }, standingOf(10, []));
        for (const rules of [1, 2, 3, 4]) {
          const settings = { ...SETTINGS, rules: 4, lambda };
          const chosen = await search(10, ground, { ...settings, rules }, work);
          const merit = (set: readonly Rule[]) => meritOf(settings, standingOf(10, set));
          const fits = (set: readonly Rule[]): boolean =>
            set.length <= rules && new Set(set.map(({ group }) => group)).size <= settings.groups;
          expect(fits(chosen)).toBe(true);
          expect(better(before, merit(chosen))).toBe(false);
          before = merit(chosen);
          const without = (rule: Rule): Rule[] => chosen.filter((r) => r !== rule);
          const other = ground.filter((rule) => !chosen.includes(rule));
          const next = [
            ...chosen.map(without),
            ...other.map((rule) => [...chosen, rule]),
            ...chosen.flatMap((out) => other.map((rule) => [...without(out), rule])),
          ];
          for (const set of next) if (fits(set)) expect(better(merit(set), before)).toBe(false);
        }
      }),
    );

  test("ends in a local optimum, the better the more rules", () => searchLaw(localSearch));
  test.each(Object.entries(localSearchMutants))("%s is refused", (_, mutant) =>
    refuses(() => searchLaw(mutant)),
  );
});

describe("rules for a model", () => {
  const reports = ({ report }: Generated): RuleReport[] => report.details["rules"] as RuleReport[];
  const coverage = ({ report }: Generated): number => report.details["coverage"] as number;
  const run = (task: Task, options: object) => ares(task, options, stream(3, "ares"));

  test.each(fitNames.flatMap((fit) => setNames.map((set) => ({ fit, set }))))(
    "$fit · $set: rows are at the target, coverage is what is reported",
    async ({ fit, set }) => {
      const task = await loanTask(set, fit);
      const found = await run(task, {});
      await checkFound(task, found);
      expect(coverage(found)).toBe(found.rows.rows / task.x.rows);
      expect(coverage(found)).toBeGreaterThan(0.3);
      expect(reports(found).length).toBeLessThanOrEqual(20);
    },
  );

  /** A row takes the cheapest of the rules that take it to the target. */
  const cheapestLaw = async (
    generate: (task: Task, options: object) => Promise<Generated>,
  ): Promise<void> => {
    const task = await loanTask("mixed", "logistic");
    const all = await run(task, { count: 20 });
    const one = await generate(task, {});
    const bins = binsOf(task.constraints, task.references, 10);
    const cost = ({ rows, pairs }: Generated, t: number): number =>
      costOf(task.constraints, bins, rowOf(task.x, pairs![t]!), rowOf(rows, t));
    const least = new Map<number, number>();
    all.pairs!.forEach((i, t) => {
      least.set(i, Math.min(cost(all, t), least.get(i) ?? Number.POSITIVE_INFINITY));
    });
    expect(new Map(Array.from(one.pairs!, (i, t) => [i, cost(one, t)]))).toEqual(least);
    expect(all.rows.rows).toBeGreaterThan(one.rows.rows);
  };

  test("every row gets its cheapest rule", () => cheapestLaw(run));
  test.each(Object.entries(aresMutants))("%s is refused", (_, mutant) => refuses(() => cheapestLaw(mutant)));

  test("more rules never lower coverage", async () => {
    for (const fit of ["logistic", "forest"] as const) {
      const task = await loanTask("mixed", fit);
      let before = 0;
      for (const rules of [1, 2, 3, 5, 20]) {
        const found = await run(task, { rules });
        expect(reports(found).length).toBeLessThanOrEqual(rules);
        expect(coverage(found)).toBeGreaterThanOrEqual(before);
        before = coverage(found);
      }
      expect(before).toBeGreaterThan(0.5);
    }
  });

  test("rules in words, and their numbers add up", async () => {
    const task = await loanTask("mixed", "logistic");
    const found = await run(task, {});
    for (const rule of reports(found)) {
      expect(rule.text).toMatch(/^For everyone: where .+, go to .+\.$/);
      expect(rule.where.length).toBe(rule.to.length);
      expect(rule.reaches).toBeLessThanOrEqual(rule.applies);
      expect(rule.where.some((part, t) => part === rule.to[t])).toBe(false);
    }
    const { meanCost, profile } = found.report.details as { meanCost: number; profile: { cost: number }[] };
    expect(profile.at(-1)).toMatchObject({ coverage: coverage(found) });
    expect(profile.map(({ cost }) => cost)).toEqual(
      profile.map(({ cost }) => cost).toSorted((a, b) => a - b),
    );
    expect(meanCost).toBeGreaterThan(0);
    expect(meanCost).toBeLessThanOrEqual(profile.at(-1)!.cost);
  });

  test("every rule for a group, where everyone is ruled out, in at most so many groups", async () => {
    const task = await loanTask("mixed", "forest");
    const found = await run(task, { everyone: false, groups: 2, rules: 6 });
    expect(reports(found).length).toBeGreaterThan(0);
    const named = reports(found).map(({ group }) => group.join(" and "));
    expect(new Set(named).size).toBeLessThanOrEqual(2);
    expect(named).not.toContain("");
    for (const { text, group } of reports(found)) expect(text).toContain(`For ${group.join(" and ")}:`);
  });

  test("four weights trade coverage for rules that miss less", async () => {
    const task = await loanTask("mixed", "forest");
    const missed = (found: Generated): number =>
      reports(found).reduce((sum, { applies, reaches }) => sum + applies - reaches, 0);
    const [greedy, careful] = [await run(task, {}), await run(task, { lambda: [10, 1, 0, 0] })];
    expect(missed(careful)).toBeLessThan(missed(greedy));
    await checkFound(task, careful);
  });

  test("conditions in words", () => {
    const age: Feature = { name: "age", kind: "integer", label: "Age", unit: "years" };
    const bins = { count: 3, low: 18, width: 10.5, levels: false };
    expect([0, 1, 2].map((bin) => conditionText(age, bins, bin))).toEqual([
      "Age 18 to 28 years",
      "Age 29 to 38 years",
      "Age 39 to 49 years",
    ]);
    expect(conditionText({ name: "rate", kind: "numeric" }, { ...bins, low: 0, width: 0.25 }, 2)).toBe(
      "rate in [0.5, 0.75]",
    );
    const home: Feature = { name: "home", kind: "categorical", categories: ["rent", "own"] };
    expect(conditionText(home, { count: 2, low: 0, width: 1, levels: true }, 1)).toBe("home = own");
  });

  test("a row no rule covers says so", async () => {
    const task = await loanTask("mixed", "forest");
    const { report } = await run(task, { rules: 1 });
    const reasons = new Set(
      report.reasons.filter((reason) => reason !== "").map((r) => r.replace(/\d+/g, "n")),
    );
    expect(reasons.size).toBeGreaterThan(0);
    for (const reason of reasons) {
      expect(reason).toMatch(
        /^(none of the n rules covers it|the rules that cover it \(n of n\) do not .+)$/,
      );
    }
  });

  test("classes of three, and a class to leave", async () => {
    for (const target of [{ class: "green" }, { class: ["red", "blue"] }, { class: "red", not: true }]) {
      const task = softmaxTask(target);
      const found = await run(task, {});
      await checkFound(task, found);
      expect(coverage(found)).toBeGreaterThan(0.5);
    }
  });

  test("a model that fails on one row costs this row alone", async () => {
    const task = await loanTask("mixed", "logistic");
    const model = asModel(task.model);
    const poison = String(rowOf(task.x, 2));
    const predict: Model["predict"] = (rows, output) => {
      for (let t = 0; t < rows.rows; t++) if (String(rowOf(rows, t)) === poison) throw new Error("poison");
      return model.predict(rows, output);
    };
    const found = await run({ ...task, model: { ...model, predict } }, {});
    expect(found.report.status[2]).toBe("model_error");
    expect(found.report.status.filter((s) => s === "ok").length).toBeGreaterThan(10);
  });

  test("a limit leaves what was found: some rows ok, the others out of budget", async () => {
    const task = await loanTask("mixed", "logistic");
    const found = await run(task, { limits: { modelRows: task.x.rows + task.references.rows + 100 } });
    expect(new Set(found.report.status)).toEqual(new Set(["ok", "budget"]));
    expect(found.report.evaluations).toBeLessThanOrEqual(task.x.rows + task.references.rows + 100);
    await checkFound(task, found);
  });
});

test.skipIf(!hasSet("german"))(
  "German Credit in the right direction (skipped without its file)",
  async () => {
    const task = productTask("german", "forest", 60);
    const found = await ares(task, {}, stream(3, "german"));
    await checkFound(task, found);
    expect(found.report.details["coverage"]).toBeGreaterThan(0.9);
    expect(found.report.details["meanCost"]).toBeLessThan(3);
  },
);

describe("the authors' variant", () => {
  test("moves rows at the target away from it, by its first rule, and returns every one of them", async () => {
    const task = await loanTask("mixed", "forest");
    const x = takeRows(
      task.references,
      Array.from({ length: 60 }, (_, i) => i),
    );
    const model = asModel(task.model);
    const granted = (await model.predict(x, 1)).map((s) => Number(s > 0.5));
    const found = await ares({ ...task, x }, { preset: "authors" }, stream(1, "authors"));
    const { coverage, affected, rules } = found.report.details as {
      coverage: number;
      affected: number;
      rules: RuleReport[];
    };
    expect(affected).toBe(granted.reduce((a, b) => a + b, 0));
    expect([...found.pairs!].sort((a, b) => a - b)).toEqual(
      [...granted.keys()].filter((i) => granted[i] === 1),
    );
    const left = (await model.predict(found.rows, 1)).filter((s) => s <= 0.5).length;
    expect(left / affected).toBeCloseTo(coverage);
    expect(rules[0]!.reaches / affected).toBeCloseTo(coverage);
    expect(coverage).toBeGreaterThan(0);
    found.report.status.forEach((status, i) => {
      expect(status).toBe(granted[i] ? "ok" : "infeasible");
    });
    const moved = [...found.pairs!].filter((i, t) => String(rowOf(x, i)) !== String(rowOf(found.rows, t)));
    expect(moved.length).toBe(rules[0]!.applies);
  });
});

test("options out of range are refused", async () => {
  const task = await loanTask("levels", "logistic");
  for (const wrong of [
    { lambda: [1] },
    { lambda: [1, -1] },
    { support: 2 },
    { rules: 0 },
    { magnitude: 2 },
  ]) {
    await expect(ares(task, wrong as object, stream(0, "x"))).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  }
  const empty = { ...task, x: fromRows([]) };
  await expect(ares(empty, {}, stream(0, "x"))).rejects.toMatchObject({ code: "INPUT_EMPTY" });
});
