import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { deflate } from "../../show/report/deflate.ts";
import { stream } from "../../src/num/random.ts";

/** Bytes of many kinds: random, repeated near and far, of few values, of one, of a shape that makes codes long. */
function* samples(): Generator<readonly [string, Uint8Array]> {
  const random = stream(1, "deflate");
  const of = (n: number, value: (i: number) => number): Uint8Array =>
    Uint8Array.from({ length: n }, (_, i) => value(i));
  for (const n of [0, 1, 2, 3, 4, 257, 258, 259, 1000]) yield [`${n} alike`, of(n, () => 65)];
  for (const n of [1, 3, 300, 70_000]) yield [`${n} at random`, of(n, () => random.int(256))];
  for (const few of [2, 3, 7]) yield [`20,000 of ${few} values`, of(20_000, () => 48 + random.int(few))];
  const piece = of(400, () => random.int(256));
  yield ["far apart, within the window", of(60_000, (i) => piece[i % 32_700] ?? 0)];
  yield ["further apart than the window", of(80_000, (i) => piece[i % 40_000] ?? 0)];
  // Counts like Fibonacci's numbers give the longest codes there are.
  const steps = [1, 1];
  while (steps.length < 24) steps.push(steps.at(-1)! + steps.at(-2)!);
  yield [
    "codes that have to be shortened",
    Uint8Array.from(steps.flatMap((count, s) => Array(count).fill(s))),
  ];
}

test.each([...samples()])("zlib gives back %s", (_, bytes) => {
  expect(Buffer.compare(inflateRawSync(deflate(bytes)), bytes)).toBe(0);
});

test("text of numbers and names is about as small as zlib makes it", async () => {
  const random = stream(2, "deflate");
  const row = () => [random.int(1e6), random.next().toPrecision(5), ["yes", "no", null][random.int(3)]];
  const text = new TextEncoder().encode(JSON.stringify(Array.from({ length: 5000 }, row)));
  const { deflateRawSync } = await import("node:zlib");
  expect(deflate(text).length).toBeLessThan(1.15 * deflateRawSync(text).length);
});
