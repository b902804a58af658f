import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  edgesOf,
  formatScore,
  formatSigned,
  goalSentence,
  percent,
  proofSentence,
} from "../../show/sentences.ts";
import type { Target } from "../../src/types.ts";

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

describe("numbers as people read them", () => {
  test("1 of 2 is 50 %, and only all is 100 %", () => {
    expect([0, 0.001, 1 / 3, 0.5, 0.999, 1].map((share) => plain(percent(share)))).toEqual([
      "0 %",
      "<1 %",
      "33 %",
      "50 %",
      ">99 %",
      "100 %",
    ]);
  });

  test("a score never seems to be on the other side of an edge", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (v, e) => {
          expect(Math.sign(Number(formatScore(v, [e])) - e)).toBe(Math.sign(v - e));
        },
      ),
    );
    expect(formatScore(0.49996, [0.5])).toBe("0.49996");
    expect(formatScore(0.49996)).toBe("0.500");
    expect([formatScore(123456.789), formatScore(123456.789, [123456.8])]).toEqual(["123457", "123456.7890"]);
  });

  test("differences carry their sign and never read as zero", () => {
    expect([0.1234, -0.00042, 1234.5].map((value) => formatSigned(value))).toEqual([
      "+0.123",
      "−0.00042",
      "+1234.5",
    ]);
  });
});

test("goals are told in one sentence, with the edges they name", () => {
  const each = (target: Target): string => goalSentence({ kind: "each", target }, "risk");
  expect(each({ class: "granted" })).toBe("Each row should be given the class granted.");
  expect(each({ class: ["a", "b"], not: true })).toBe("Each row should be given a class other than a, b.");
  expect(each({ above: 0.2, max: 0.4 })).toBe("For each row the score risk should be > 0.2, ≤ 0.4.");
  expect(plain(goalSentence({ kind: "group", level: 0.8, on: "label" }, "risk"))).toBe(
    "Together the predicted labels of the rows should cover 80 % of the way to those of the examples.",
  );
  expect(edgesOf({ kind: "each", target: { class: 1, threshold: 0.7 } }, 2)).toEqual([0.7]);
  expect(edgesOf({ kind: "each", target: { class: "a" } }, 3)).toEqual([]);
  expect(edgesOf({ kind: "each", target: { below: 3, min: 1 } }, 1)).toEqual([3, 1]);
});

test("a proof always says over what it holds", () => {
  const one = { scope: "references", references: [7] } as const;
  const two = { scope: "references", references: [7, 9] } as const;
  expect([
    proofSentence({ claim: "optimal", ...one }),
    proofSentence({ claim: "optimal", ...two }),
    proofSentence({ claim: "optimal", least: "cost", ...two }),
    proofSentence({ claim: "at least", edits: 3, ...one }),
    proofSentence({ claim: "at least", edits: 1, ...one }),
    proofSentence({ claim: "none exists", ...two }),
    proofSentence({ claim: "none exists", scope: "model" }),
  ]).toEqual([
    "no plan with fewer edits exists that takes its values from this example",
    "no plan with fewer edits exists that takes its values from one of the 2 examples searched",
    "no plan of lower cost exists that takes its values from one of the 2 examples searched",
    "at least 3 edits are needed with values from this example",
    "at least 1 edit is needed with values from this example",
    "no plan that takes its values from one of the 2 examples searched reaches the goal",
    "no permitted values reach the goal",
  ]);
});
