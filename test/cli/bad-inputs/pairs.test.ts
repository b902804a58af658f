import { expect } from "vitest";
import { squaredEuclidean } from "../../../src/couple/cost.ts";
import { exact } from "../../../src/couple/exact.ts";
import { transport } from "../../../src/couple/transport.ts";
import { explain } from "../../../src/explain.ts";
import type { Explanation } from "../../../src/explanation.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import {
  answered,
  badInputs,
  call,
  csv,
  file,
  json,
  type Row,
  refine,
  refused,
  told,
  trained,
} from "../../support/bad-inputs.ts";
import { cola } from "../../support/cli.ts";
import { LIST } from "./list.ts";

type Pair = readonly [number, number];
const table = (...rows: readonly Pair[]): string => file(csv(["a", "b"], ...rows));
const refined = async (x: readonly Pair[], r: readonly Pair[], ...rest: string[]): Promise<string[]> =>
  refine(table(...x), table(...r), await trained(), ...rest);
/** The row LOW with the file of another tool. */
const imported = async (content: unknown): Promise<string[]> =>
  refine(table(LOW), json(content), await trained());
const couple = (x: readonly Pair[], r: readonly Pair[], ...rest: string[]): string[] => [
  ...["couple", "--data", table(...x), "--counterfactuals", table(...r), "--json", ...rest],
];

const LOW: Pair = [1, 2];
const HIGH: Pair = [39, 10];
const status = ({ rows }: Explanation): string[] => rows.map((row) => row.status);

/** A coupling of two rows with two references under these weights of the rows. */
const weighed = (a: readonly number[]) => () =>
  call(() => transport(squaredEuclidean(fromRows([[0], [1]]), fromRows([[0], [2]])), { a }));
const plain = (pairs: readonly number[], references = [[5], [6]]) =>
  call(() =>
    explain({
      model: (rows) => rows.data.map((v) => v / 10),
      x: fromRows([[1], [2]]),
      references: fromRows(references),
      pairs,
    }),
  );

// biome-ignore format: one bad input per line, where it fits
const ROWS: readonly Row[] = [
  [
    "3.1",
    "has no plan",
    () => refined([LOW], [LOW]),
    answered(1, ({ rows }) => {
      expect(rows).toMatchObject([{ status: "infeasible", edits: [], proposal: [], valid: false }]);
      expect(rows[0]!.reason).toMatch(/reference/);
    }),
  ],
  [
    "3.2",
    "has no plan and says so",
    () => refined([LOW], [[2, 2]]),
    answered(1, ({ rows }) => {
      expect(rows).toMatchObject([{ status: "infeasible", edits: [], valid: false }]);
      expect(rows[0]!.reason).toMatch(/reference/);
    }),
  ],
  ["3.3", "needs no edit", () => refined([HIGH], [[38, 9]]), answered(0, ({ rows }) => expect(rows).toMatchObject([{ status: "ok", edits: [], valid: true }]))],
  ["3.4", "fewer rows than references", () => refined([LOW, [2, 3]], [HIGH, [38, 9], [37, 8], [36, 10], [35, 9]]), answered(0, (e) => expect(status(e)).toEqual(["ok", "ok"]))],
  ["3.4", "more rows than references", () => refined([LOW, [2, 3], [3, 3]], [HIGH, [38, 9]]), answered(0, (e) => expect(status(e)).toEqual(["ok", "ok", "ok"]))],
  ["3.4", "paired by number", () => couple([LOW, [2, 3], [3, 3]], [HIGH, [38, 9]], "--coupling", "exact"), refused("PAIRS_INVALID", /row 2 with reference 2 is outside the tables \(m = 2\)/)],
  ["3.4", "pairs for other references", () => plain([0]), refused("PAIRS_INVALID", "1 pairs for 2 references")],
  ["3.5", "a file without rows", () => refined([LOW], []), refused("TABLE_INVALID", "no row")],
  ["3.5", "a matrix without rows", () => plain([], []), refused("INPUT_EMPTY", "references")],
  [
    "3.5",
    "a DiCE file without counterfactuals",
    () => imported({
          test_data: [[[1, 2, 0]]],
          cfs_list: [null],
          local_importance: null,
          summary_importance: null,
          data_interface: { outcome_name: "y", data_df: "dummy_data" },
          feature_names: ["a", "b"],
          feature_names_including_target: ["a", "b", "y"],
          model_type: "classifier",
          desired_class: 1,
          desired_range: null,
          metadata: { version: "2.0" },
        }),
    refused("INPUT_EMPTY", "no counterfactual"),
  ],
  [
    "3.6",
    "get the same plan",
    () => refined([LOW, LOW, LOW], [HIGH, HIGH]),
    answered(0, ({ rows }) => {
      expect(rows[0]!.edits.length).toBeGreaterThan(0);
      expect(rows.map((row) => row.edits)).toEqual([rows[0]!.edits, rows[0]!.edits, rows[0]!.edits]);
    }),
  ],
  ["3.7", "serves all rows", () => refined([LOW, [2, 3], [4, 1]], [HIGH]), answered(0, ({ rows }) => expect(rows.map((row) => row.reference)).toEqual([0, 0, 0]))],
  ["3.7", "coupled by transport", () => refined([LOW, [2, 3], [4, 1]], [HIGH], "--coupling", "transport"), answered(0, (e) => expect(e.coupling).toMatchObject({ converged: true, entries: 3 }))],
  [
    "3.8",
    "a permutation all the same, the same each time",
    async () => {
      const words = couple([LOW, LOW, LOW, LOW], [HIGH, HIGH, HIGH, HIGH], "--coupling", "transport");
      const [one, two] = [await cola(...words), await cola(...words)];
      expect(one.out).toBe(two.out);
      return one;
    },
    told(({ entries, gap }: { entries: { reference: number; mass: number }[]; gap: number }) => {
      expect(new Set(entries.map((e) => e.reference)).size).toBe(4);
      expect(entries.map((e) => e.mass)).toEqual([0.25, 0.25, 0.25, 0.25]);
      expect(gap).toBe(0);
    }),
  ],
  [
    "3.9",
    "a row with two references keeps both",
    () =>
      call(() =>
        exact(
          [
            [0, 0],
            [0, 1],
            [1, 1],
          ],
          2,
        ),
      ),
    told(({ mass }: { mass: Record<string, number> }) =>
      expect(Object.values(mass)).toEqual([0.25, 0.25, 0.5]),
    ),
  ],
  ["3.9", "a row without a reference", () => call(() => exact([[0, 0], [2, 1], [2, 0]], 2)), refused("PAIRS_INVALID", "row 1 has no partner")],
  ["3.9", "a pair outside the tables", () => call(() => exact([[0, 7]], 2)), refused("PAIRS_INVALID", /reference 7 is outside/)],
  ["3.9", "a reference of no row", () => plain([0, 7]), refused("PAIRS_INVALID", /pairs\[1\] is 7.*0 … 1/)],
  [
    "3.9",
    "Alibi rows that are not ours",
    () => imported({ meta: {}, data: { orig: { X: [[7, 7]] }, cf: { X: [[39, 10]] } } }),
    refused("PAIRS_INVALID", "not among the rows of x"),
  ],
  ["3.10", "", weighed([-0.5, 1.5]), refused("WEIGHTS_INVALID", /a\[0\] is -0\.5.*not negative/)],
  ["3.11", "all", weighed([0, 0]), refused("WEIGHTS_INVALID", /sums to 0.*one/)],
  [
    "3.11",
    "one",
    weighed([0, 1]),
    told(({ mass, rows }: { mass: Record<string, number>; rows: Record<string, number> }) => {
      expect(new Set(Object.values(rows))).toEqual(new Set([1]));
      expect(Object.values(mass)).toEqual([0.5, 0.5]);
    }),
  ],
  ["3.12", "", weighed([Number.NaN, 1]), refused("WEIGHTS_INVALID", /a\[0\] is NaN/)],
  ["3.13", "", weighed([0.5, 0.7]), refused("WEIGHTS_INVALID", /sums to 1\.2.*divide them by their sum/)],
  ["3.13", "too few", weighed([1]), refused("INPUT_SHAPE", "1")],
];

badInputs("3 pairs", LIST.pairs, ROWS);
