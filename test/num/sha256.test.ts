import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Sha256 } from "../../src/num/sha256.ts";

test("equals the platform's SHA-256 for any bytes and any cutting", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
      const expected = createHash("sha256").update(bytes).digest("hex");
      expect(new Sha256().bytes(bytes.subarray(0, cut)).bytes(bytes.subarray(cut)).hex()).toBe(expected);
    }),
    { numRuns: 200, seed: 5 },
  );
});

test("numbers: −0 is 0, every NaN is one value, texts do not run into each other", () => {
  const digest = (feed: (h: Sha256) => Sha256): string => feed(new Sha256()).hex();
  expect(digest((h) => h.numbers([-0]))).toBe(digest((h) => h.numbers([0])));
  expect(digest((h) => h.numbers([Number.NaN]))).toBe(digest((h) => h.numbers([0 / 0])));
  expect(digest((h) => h.text("ab").text("c"))).not.toBe(digest((h) => h.text("a").text("bc")));
});
