/**
 * Counter-based randomness (Philox 4×32, 10 rounds: Salmon et al. 2011). A stream is a key; its t-th
 * number depends on the key and t alone, so batch size, order and workers cannot change it.
 */
export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /** Uniform whole number in [0, n). */
  int(n: number): number;
  /** Standard normal. */
  normal(): number;
  /** Exponential with mean 1. */
  exponential(): number;
  /** A permutation of 0 … n−1. */
  permutation(n: number): Int32Array;
  /** `count` different whole numbers below n, in random order. */
  sample(n: number, count: number): Int32Array;
  /** An independent stream named below this one. Does not advance this one. */
  split(...names: readonly (string | number)[]): Random;
}

const M0 = 0xd2511f53;
const M1 = 0xcd9e8d57;
const W0 = 0x9e3779b9;
const W1 = 0xbb67ae85;

/** High 32 bits of a 32 × 32 bit product. */
function mulHigh(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const mid = ah * bl + ((al * bl) >>> 16);
  const mid2 = al * bh + (mid & 0xffff);
  return (ah * bh + Math.floor(mid / 65536) + Math.floor(mid2 / 65536)) >>> 0;
}

function philox(counter: number, k0: number, k1: number, out: Uint32Array): void {
  let c0 = counter >>> 0;
  let c1 = Math.floor(counter / 2 ** 32) >>> 0;
  let c2 = 0;
  let c3 = 0;
  let key0 = k0;
  let key1 = k1;
  for (let round = 0; round < 10; round++) {
    const h0 = mulHigh(M0, c0);
    const l0 = Math.imul(M0, c0) >>> 0;
    const h1 = mulHigh(M1, c2);
    const l1 = Math.imul(M1, c2) >>> 0;
    c0 = (h1 ^ c1 ^ key0) >>> 0;
    c1 = l1;
    c2 = (h0 ^ c3 ^ key1) >>> 0;
    c3 = l0;
    key0 = (key0 + W0) >>> 0;
    key1 = (key1 + W1) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** Mixes one 32-bit word into a 64-bit key (two words), murmur style. */
function mix(key: [number, number], word: number): [number, number] {
  let a = Math.imul((key[0] ^ word) >>> 0, 0xcc9e2d51);
  a = Math.imul((a << 15) | (a >>> 17), 0x1b873593);
  let b = Math.imul((key[1] + a) >>> 0, 0x85ebca6b);
  b ^= b >>> 13;
  b = Math.imul(b, 0xc2b2ae35);
  b ^= b >>> 16;
  return [(a ^ (b << 7)) >>> 0, (b + 0x9e3779b9) >>> 0];
}

const floatBits = new Float64Array(1);
const wordBits = new Uint32Array(floatBits.buffer);

function mixName(key: [number, number], name: string | number): [number, number] {
  if (typeof name === "number") {
    floatBits[0] = name === 0 ? 0 : name;
    return mix(mix(key, wordBits[0]!), (wordBits[1]! ^ 0x5bd1e995) >>> 0);
  }
  let k = mix(key, name.length);
  for (let c = 0; c < name.length; c++) k = mix(k, name.charCodeAt(c));
  return k;
}

/** The stream of a seed and a path of names, e.g. `stream(7, "refine", "sample", rowKey)`. */
export function stream(seed: number, ...names: readonly (string | number)[]): Random {
  return fromKey(names.reduce(mixName, mixName([0x243f6a88, 0x85a308d3], seed)));
}

function fromKey(key: [number, number]): Random {
  const block = new Uint32Array(4);
  let counter = 0;
  let used = 4;
  const word = (): number => {
    if (used === 4) {
      philox(counter++, key[0], key[1], block);
      used = 0;
    }
    return block[used++]!;
  };
  const next = (): number => {
    const high = word() >>> 5;
    return (high * 67108864 + (word() >>> 6)) / 9007199254740992;
  };
  const int = (n: number): number => Math.floor(next() * n);
  const sample = (n: number, count: number): Int32Array => {
    const all = Int32Array.from({ length: n }, (_, i) => i);
    for (let i = 0; i < count; i++) {
      const j = i + int(n - i);
      const held = all[i]!;
      all[i] = all[j]!;
      all[j] = held;
    }
    return all.subarray(0, count);
  };
  return {
    next,
    int,
    exponential: () => -Math.log(1 - next()),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    permutation: (n) => sample(n, n),
    sample,
    split: (...names) => fromKey(names.reduce(mixName, key)),
  };
}

/**
 * One key per row from its content and its occurrence among equal rows, so that permuting rows permutes
 * their streams and a row keeps its stream in any batch.
 */
export function rowKeys(rows: { data: Float64Array; rows: number; cols: number }): string[] {
  const seen = new Map<string, number>();
  return Array.from({ length: rows.rows }, (_, i) => {
    let key: [number, number] = [0x13198a2e, 0x03707344];
    let second: [number, number] = [0xa4093822, 0x299f31d0];
    for (let k = 0; k < rows.cols; k++) {
      const v = rows.data[i * rows.cols + k]!;
      key = mixName(key, Number.isNaN(v) ? "missing" : v);
      second = mixName(second, Number.isNaN(v) ? "missing" : v);
    }
    const content = [...key, ...second].map((w) => w.toString(36)).join(".");
    const times = seen.get(content) ?? 0;
    seen.set(content, times + 1);
    return `${content}#${times}`;
  });
}
