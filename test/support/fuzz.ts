import { isColaError } from "../../src/errors.ts";
import type { Random } from "../../src/num/random.ts";

/** Mutated files per parser: few in the plain run, many with COLA_SOAK=1. */
export const FUZZ_RUNS = process.env["COLA_SOAK"] === "1" ? 10_000 : 500;

/** A few bytes changed, cut, repeated, or written over with bytes that parsers trip on. */
export function mutate(random: Random, bytes: Uint8Array): Uint8Array {
  let out: Uint8Array = Uint8Array.from(bytes);
  const times = 1 + random.int(3);
  for (let t = 0; t < times && out.length > 0; t++) {
    const at = random.int(out.length);
    const kind = random.int(9);
    if (kind <= 2) out[at] = random.int(256);
    else if (kind <= 4) out[at]! ^= 1 << random.int(8);
    else if (kind === 5) out = out.slice(0, at);
    else if (kind === 6) out = join(out.slice(0, at), out.slice(at + 1 + random.int(20)));
    else if (kind === 7) out = join(out.slice(0, at), out.slice(Math.max(0, at - random.int(40))));
    else out.set(NASTY[random.int(NASTY.length)]!.slice(0, out.length - at), at);
  }
  return out;
}

const NASTY = [
  "-1",
  "99999999999",
  "NaN",
  "null",
  "1e999",
  "[[[[",
  "}}",
  '"__proto__":',
  "\u0000\u0000",
  "ÿÿÿÿÿÿÿÿ",
].map((text) => Uint8Array.from(text, (c) => c.charCodeAt(0)));

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** Reads a mutated file: a ColaError is fine, so is a value; anything else escapes. */
export async function survives<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isColaError(error)) return undefined;
    throw error;
  }
}
