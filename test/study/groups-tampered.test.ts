import { beforeAll, expect, test } from "vitest";
import { sealed } from "../../src/digest.ts";
import type { Explanation } from "../../src/explanation.ts";
import { checkExplanation } from "../../study/check.ts";
import { calls } from "../../web/engine/calls.ts";
import { defaultChoices } from "../../web/settings.ts";

let explanation: Explanation;
beforeAll(async () => {
  await calls.embedded({}, {});
  const more = { by: ["housing", "age:30", "50"] };
  ({ explanation } = await calls.run({ ...defaultChoices, model: "tree", rows: 40, overlay: {}, more }, {}));
}, 60_000);

type Change = (copy: { readonly groups: NonNullable<Explanation["groups"]> }) => void;
const put = (at: object, values: object): void => void Object.assign(at, values);

/** What somebody may change in a comparison of groups who knows how to make the digest anew. */
const KINDS: Readonly<Record<string, Change>> = {
  "a share": ({ groups }) => put(groups.attributes[0]!.groups[0]!.within1!, { value: 0.123 }),
  "an interval": ({ groups }) => put(groups.attributes[1]!.groups[1]!.within2!, { low: 0 }),
  "a mean": ({ groups }) => put(groups.attributes[0]!.groups[1]!.edits!, { value: 9 }),
  "the rows of a group": ({ groups }) => put(groups.attributes[0]!.groups[0]!, { rows: 999 }),
  "the name of a group": ({ groups }) => put(groups.attributes[0]!.groups[0]!, { group: "castle" }),
  "what plans change": ({ groups }) => put(groups.attributes[1]!.groups[0]!, { features: [] }),
  "a group left out": ({ groups }) => void (groups.attributes[0]!.groups as unknown[]).pop(),
  "an attribute left out": ({ groups }) => void (groups.attributes as unknown[]).pop(),
  "rows in no group": ({ groups }) => put(groups.attributes[0]!, { unknown: 3 }),
  "a chance": ({ groups }) => put(groups.gaps[0]!, { p: 0.9, holm: 1 }),
  "the sides of a gap": ({ groups }) => {
    const { most, least } = groups.gaps[0]!;
    put(groups.gaps[0]!, { most: least, least: most });
  },
  "a gap left out": ({ groups }) => void (groups.gaps as unknown[]).shift(),
};

const wrong = async (value: unknown): Promise<string[]> =>
  (await checkExplanation(value)).checks.flatMap(({ name, ok }) => (ok === false ? [name] : []));

test("groups as they were compared hold, in memory and as text", async () => {
  expect(await wrong(explanation)).toEqual([]);
  const { checks } = await checkExplanation(JSON.parse(JSON.stringify(explanation)));
  expect(checks.find(({ name }) => name === "groups")).toEqual({ name: "groups", ok: true });
});

test.each(Object.entries(KINDS))("%s that was changed with the digest is named", async (_, change) => {
  const copy = JSON.parse(JSON.stringify(explanation));
  change(copy);
  expect(await wrong(sealed(copy))).toEqual(["groups"]);
});
