/**
 * Bytes as RFC 1951 packs them, which browsers unpack (`deflate-raw`). The compressors of browsers and of Node differ from
 * version to version; a report has the same bytes everywhere, so that it can be compared word for word.
 */
export function deflate(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Bits();
  const finder = new Finder(bytes);
  let at = 0;
  do {
    const block = new Int32Array(Math.min(BLOCK, bytes.length - at));
    let count = 0;
    while (at < bytes.length && count < block.length) {
      const found = finder.longest(at);
      block[count++] = found === 0 ? bytes[at]! : found;
      const length = found === 0 ? 1 : found & 511;
      for (let i = 0; i < length; i++) finder.learn(at + i);
      at += length;
    }
    writeBlock(out, block.subarray(0, count), at === bytes.length);
  } while (at < bytes.length);
  return out.bytes();
}

/** Symbols of a block. */
const BLOCK = 1 << 16;
const WINDOW = 1 << 15;
const [SHORTEST, LONGEST] = [3, 258];
/** Earlier places that are looked at. */
const TRIES = 24;

/** Where the same bytes stood before. A find is one number: distance above 9 bits, length below; 0 is none. */
class Finder {
  private readonly heads = new Int32Array(1 << 16).fill(-1);
  private readonly before = new Int32Array(WINDOW);

  constructor(private readonly all: Uint8Array) {}

  private key(at: number): number {
    const { all } = this;
    return (Math.imul(all[at]! | (all[at + 1]! << 8) | (all[at + 2]! << 16), 0x9e3779b1) >>> 16) & 0xffff;
  }

  learn(at: number): void {
    if (at + SHORTEST > this.all.length) return;
    const key = this.key(at);
    this.before[at & (WINDOW - 1)] = this.heads[key]!;
    this.heads[key] = at;
  }

  longest(at: number): number {
    const { all } = this;
    const most = Math.min(LONGEST, all.length - at);
    if (most < SHORTEST) return 0;
    let [best, distance] = [SHORTEST - 1, 0];
    let from = this.heads[this.key(at)]!;
    for (let tries = TRIES; tries > 0 && from >= 0 && at - from < WINDOW; tries--) {
      if (all[from + best] === all[at + best]) {
        let same = 0;
        while (same < most && all[from + same] === all[at + same]) same++;
        if (same > best) [best, distance] = [same, at - from];
        if (best >= most) break;
      }
      const next = this.before[from & (WINDOW - 1)]!;
      if (next >= from) break;
      from = next;
    }
    return distance === 0 ? 0 : (distance << 9) | best;
  }
}

/** First length or distance of each symbol, and how many bits follow it. */
function steps(
  first: number,
  counts: readonly number[],
): { readonly start: Int32Array; readonly extra: Int32Array } {
  const extra = Int32Array.from(counts);
  const start = new Int32Array(extra.length);
  let at = first;
  for (let s = 0; s < extra.length; s++) {
    start[s] = at;
    at += 1 << extra[s]!;
  }
  return { start, extra };
}
const LENGTHS = steps(3, [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
  ...[2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5],
]);
const DISTANCES = steps(
  1,
  Array.from({ length: 30 }, (_, s) => Math.max(0, (s >> 1) - 1)),
);
/** The longest match has a symbol of its own. */
const LAST = 285;
const END = 256;

function stepOf({ start }: typeof LENGTHS, value: number): number {
  let s = start.length - 1;
  while (start[s]! > value) s--;
  return s;
}

function writeBlock(out: Bits, block: Int32Array, last: boolean): void {
  const [counts, far] = [new Int32Array(286), new Int32Array(30)];
  counts[END] = 1;
  for (const found of block) {
    if (found < 256) counts[found]!++;
    else {
      counts[lengthSymbol(found & 511)]!++;
      far[stepOf(DISTANCES, found >> 9)]!++;
    }
  }
  const [own, other] = [codesOf(counts, 15), codesOf(far, 15)];
  out.put(last ? 1 : 0, 1);
  out.put(2, 2);
  writeLengths(out, own.lengths, other.lengths);
  for (const found of block) {
    if (found < 256) {
      own.put(out, found);
      continue;
    }
    const [length, distance] = [found & 511, found >> 9];
    const symbol = lengthSymbol(length);
    own.put(out, symbol);
    if (symbol !== LAST) out.put(length - LENGTHS.start[symbol - 257]!, LENGTHS.extra[symbol - 257]!);
    const s = stepOf(DISTANCES, distance);
    other.put(out, s);
    out.put(distance - DISTANCES.start[s]!, DISTANCES.extra[s]!);
  }
  own.put(out, END);
}

const lengthSymbol = (length: number): number => (length === LONGEST ? LAST : 257 + stepOf(LENGTHS, length));

/** The order in which the lengths of the code for lengths stand. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Lengths of both codes, each told by a third. */
function writeLengths(out: Bits, own: Uint8Array, other: Uint8Array): void {
  const all = [...own, ...other];
  const counts = new Int32Array(19);
  for (const length of all) counts[length]!++;
  const code = codesOf(counts, 7);
  out.put(own.length - 257, 5);
  out.put(other.length - 1, 5);
  out.put(ORDER.length - 4, 4);
  for (const symbol of ORDER) out.put(code.lengths[symbol]!, 3);
  for (const length of all) code.put(out, length);
}

interface Codes {
  readonly lengths: Uint8Array;
  put(out: Bits, symbol: number): void;
}

/** Huffman's code for the counts, of at most so many bits; a code of one symbol gets a second, as readers expect. */
function codesOf(counts: Int32Array, most: number): Codes {
  const weights = counts.slice();
  for (let s = 0; weights.filter((w) => w > 0).length < 2; s++) weights[s] ||= 1;
  let lengths = huffman(weights);
  while (lengths.some((length) => length > most)) {
    weights.forEach((w, s) => {
      if (w > 0) weights[s] = (w >> 1) | 1;
    });
    lengths = huffman(weights);
  }
  const codes = new Int32Array(lengths.length);
  let next = 0;
  for (let bits = 1; bits <= most; bits++, next <<= 1)
    for (let s = 0; s < lengths.length; s++) if (lengths[s] === bits) codes[s] = reversed(next++, bits);
  return { lengths, put: (out, symbol) => out.put(codes[symbol]!, lengths[symbol]!) };
}

/** Bits of each symbol's code: the two lightest nodes are joined until one is left. */
function huffman(weights: Int32Array): Uint8Array {
  const lengths = new Uint8Array(weights.length);
  let nodes = Array.from(weights, (weight, s) => ({ weight, symbols: [s] })).filter(
    ({ weight }) => weight > 0,
  );
  while (nodes.length > 1) {
    nodes.sort((a, b) => a.weight - b.weight || a.symbols[0]! - b.symbols[0]!);
    const [a, b, ...rest] = nodes as [(typeof nodes)[number], (typeof nodes)[number]];
    const symbols = [...a.symbols, ...b.symbols];
    for (const s of symbols) lengths[s]!++;
    nodes = [...rest, { weight: a.weight + b.weight, symbols }];
  }
  return lengths;
}

function reversed(code: number, bits: number): number {
  let turned = 0;
  for (let b = 0; b < bits; b++) turned |= ((code >> b) & 1) << (bits - 1 - b);
  return turned;
}

/** Bits, the lowest of a byte first. */
class Bits {
  private buffer = new Uint8Array(1 << 16);
  private size = 0;
  private held = 0;
  private count = 0;

  put(value: number, bits: number): void {
    this.held |= value << this.count;
    this.count += bits;
    while (this.count >= 8) {
      if (this.size === this.buffer.length) this.grow();
      this.buffer[this.size++] = this.held & 255;
      this.held >>>= 8;
      this.count -= 8;
    }
  }

  private grow(): void {
    const wider = new Uint8Array(2 * this.buffer.length);
    wider.set(this.buffer);
    this.buffer = wider;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    this.put(0, 7);
    return this.buffer.slice(0, this.size);
  }
}
