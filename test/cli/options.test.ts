import { expect, test } from "vitest";
import { couplings } from "../../src/couple/registry.ts";
import type { Explanation } from "../../src/explanation.ts";
import { generators } from "../../src/generate/registry.ts";
import { policies } from "../../src/refine/policies.ts";
import {
  badInputs,
  explain,
  explainFile,
  file,
  good,
  json,
  misused,
  type Row,
  refused,
} from "../support/bad-inputs.ts";
import { cola } from "../support/cli.ts";

// biome-ignore format: one bad option per line
const ROWS: readonly Row[] = [
  ["o.1", "unknown model", () => explain(good, "--model", "oracle"), refused("NAME_UNKNOWN", "logistic")],
  ["o.1", "unknown generator", () => explain(good, "--generator", "magic"), misused(/--generator.*knn/)],
  ["o.1", "unknown coupling", () => explain(good, "--coupling", "magic"), misused(/--coupling.*transport/)],
  ["o.1", "unknown format", () => explain(good, "--formats", "docx"), refused("NAME_UNKNOWN", "html")],
  ["o.1", "unknown policy", () => explain(good, "--policy", "magic"), misused(/--policy.*greedy/)],
  ["o.1", "unknown option", () => explain(good, "--nonsense"), misused(/nonsense/)],
  ["o.2", "no label to train on", () => explainFile(file(good)), refused("OPTION_INVALID", "--label")],
  ["o.2", "unknown class", () => explain(good, "--target", "maybe"), refused("TARGET_INVALID", "no, yes")],
  ["o.2", "empty range", () => explain(good, "--target", "score in [3, 1]"), refused("TARGET_INVALID", "range")],
  ["o.2", "reasons that are too vague", () => explain(good, "--reasons", json({ a: { code: "1", text: "other" } })), refused("OPTION_INVALID", /a .*too vague/)],
  ["o.2", "reasons of the wrong make", () => explain(good, "--reasons", json({ a: "because" })), refused("OPTION_INVALID", /reason codes\.a must be an object/)],
  ["o.3", "effect above 1", () => explain(good, "--effect", "2"), misused(/--effect.*from 0 to 1/)],
  ["o.3", "0 rows", () => explain(good, "--rows", "0"), misused(/--rows.*at least 1/)],
];

badInputs("o options", ["names", "targets and files", "ranges"], ROWS);

test("an unknown command is refused, help is not", async () => {
  expect((await cola("nonsense")).code).toBe(2);
  expect((await cola("--help")).code).toBe(0);
});

test("the help names every generator, coupling and policy there is", async () => {
  const { out } = await cola("explain", "--help");
  const names = [generators, couplings, policies].flatMap((registry) => Object.keys(registry));
  expect(names.length).toBeGreaterThan(15);
  for (const name of [...names, "match", "joint"]) expect(out).toContain(JSON.stringify(name));
});

test("a name that has a comma stands in back quotes in a list", async () => {
  const table = good.replace("a,b", '"a, b",c');
  const words = explain(table, "--freeze", "`a, b`,c", "--freeze", "`c`");
  const { schema } = JSON.parse((await cola(...words)).out) as Explanation;
  expect(schema.features.map(({ name, immutable }) => [name, immutable])).toEqual([
    ["a, b", true],
    ["c", true],
  ]);
});
