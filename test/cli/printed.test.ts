import { expect, test } from "vitest";
import { cola } from "../support/cli.ts";

test("runs at the same time keep what they print apart, so one that ends late cannot disturb another", async () => {
  const slow = () => cola("explain", "--rows", "1", "--json", "--out", "-");
  const quick = () => cola("datasets", "--json");
  const alone = [await slow(), await quick()];
  expect(alone.map(({ code, out }) => [code, out.length > 100])).toEqual([0, 0].map((code) => [code, true]));
  expect(await Promise.all([slow(), quick()])).toEqual(alone);
});
