import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedKey } from "../../cli/json-keys.ts";
import { keyMutants } from "../support/mutants/cli.ts";

type Find = typeof repeatedKey;

/** Texts with a key that stands twice, and where. */
const TWICE: readonly (readonly [text: string, path: string])[] = [
  ['{"a":1,"a":2}', "a"],
  ['{"features":{"income":{"min":1,"max":2,"min":3}}}', "features.income.min"],
  ['{"inputs":[{"feature":"a"},[],{"feature":"b","feature":"b"}]}', "inputs[2].feature"],
  ['[[0,{"b":{},"b":[]}]]', "[0][1].b"],
  [String.raw`{"\u0061":1,"a":2}`, "a"],
  [String.raw`{"a\\":"\"a\":1,\"a\":2","a\\":0}`, "a\\"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"":0 , "" :1}', ""],
];

/** A JSON text in which no object has a key twice gives nothing; one key given again is found with its path. */
function finds(find: Find): void {
  for (const [text, path] of TWICE) expect(find(text), text).toBe(path);
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, wide) => {
      expect(find(JSON.stringify(value, null, wide ? 2 : 0))).toBeUndefined();
      const key = fc.sample(fc.string(), { numRuns: 1, seed: 1 })[0]!;
      const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
      expect(find(`{"list":[0,{${member},${member}}]}`)).toBe(`list[1].${key}`);
    }),
  );
}

test("a key that stands twice in one object is found with its path, and nothing else is", () =>
  finds(repeatedKey));

test.each(Object.entries(keyMutants))("%s is not that", (_, mutant) => {
  expect(() => finds(mutant)).toThrow();
});
