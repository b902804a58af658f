import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { hashByNode } from "../../node/sha256.ts";
import { hashBy, Sha256 } from "../../src/num/sha256.ts";

afterEach(() => hashBy(undefined));

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

test("numbers and texts of any length are the bytes they stand for, however they are fed", () => {
  const special = [Number.NaN, -0, 0, 1 / 3, Number.POSITIVE_INFINITY, 5e-324];
  for (const count of [0, 1, 7, 8, 1023, 1024, 1025, 5000]) {
    const values = Float64Array.from({ length: count }, (_, i) => special[i % 7] ?? Math.sin(i));
    const text = "aß€😀".repeat(count);
    const bytes = Buffer.alloc(8 * count);
    values.forEach((v, i) => {
      if (Number.isNaN(v)) bytes.fill(255, 8 * i, 8 * i + 8);
      else bytes.writeDoubleLE(v + 0, 8 * i);
    });
    const length = Buffer.alloc(8);
    length.writeDoubleLE(text.length);
    const expected = createHash("sha256").update("odd").update(bytes).update(length).update(text, "utf16le");
    const whole = new Sha256().bytes(Buffer.from("odd")).numbers(values).text(text);
    expect(whole.hex(), String(count)).toBe(expected.digest("hex"));
  }
});

test("the platform's digests are the same", () => {
  const digest = (): string =>
    new Sha256()
      .bytes(Uint8Array.of(1, 2))
      .numbers([-0, Number.NaN, 1 / 3])
      .text("aß€😀".repeat(5000))
      .hex();
  const own = digest();
  hashByNode();
  expect(digest()).toBe(own);
  hashBy(() => createHash("sha512"));
  expect(digest()).not.toBe(own);
});
