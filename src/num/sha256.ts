/** Round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = new Int32Array(64);
const INITIAL = new Int32Array(8);
for (let p = 2, found = 0; found < 64; p++) {
  let divisor = 2;
  while (p % divisor) divisor++;
  if (divisor < p) continue;
  if (found < 8) INITIAL[found] = (Math.sqrt(p) % 1) * 2 ** 32;
  K[found++] = (Math.cbrt(p) % 1) * 2 ** 32;
}

/** Bytes that numbers and texts are laid out in before they are fed. */
const CHUNK = 8192;
const LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** A SHA-256 of the platform, which is faster than one in TypeScript. */
interface PlatformHash {
  update(data: Uint8Array): object;
  digest(encoding: "hex"): string;
}

let platform: (() => PlatformHash) | undefined;

/** From now on digests are the platform's: the same bytes. Undefined: they are made here again. */
export function hashBy(make: typeof platform): void {
  platform = make;
}

/**
 * SHA-256 (FIPS 180-4) that can be fed piece by piece; numbers are fed as their 64 bits, low byte first, −0 as 0 and NaN
 * as one value. Whole blocks are read where they lie.
 */
export class Sha256 {
  readonly #state = INITIAL.slice();
  readonly #block = new Uint8Array(64);
  readonly #words = new Int32Array(64);
  readonly #chunk = new Uint8Array(CHUNK);
  readonly #platform = platform?.();
  #filled = 0;
  #length = 0;

  bytes(data: Uint8Array): this {
    if (this.#platform?.update(data)) return this;
    let at = 0;
    this.#length += data.length;
    if (this.#filled > 0) {
      at = Math.min(64 - this.#filled, data.length);
      this.#block.set(data.subarray(0, at), this.#filled);
      this.#filled += at;
      if (this.#filled < 64) return this;
      this.#compress(this.#block);
    }
    at = this.#compress(data, at);
    this.#block.set(data.subarray(at));
    this.#filled = data.length - at;
    return this;
  }

  /** Feeds UTF-16 code units, low byte first, after the length. */
  text(value: string): this {
    this.numbers([value.length]);
    const chunk = this.#chunk;
    for (let from = 0; from < value.length; from += CHUNK / 2) {
      const count = Math.min(CHUNK / 2, value.length - from);
      for (let c = 0; c < count; c++) {
        const unit = value.charCodeAt(from + c);
        chunk[2 * c] = unit & 255;
        chunk[2 * c + 1] = unit >>> 8;
      }
      this.bytes(chunk.subarray(0, 2 * count));
    }
    return this;
  }

  numbers(values: ArrayLike<number>): this {
    const cells = new Float64Array(this.#chunk.buffer);
    const words = new Uint32Array(this.#chunk.buffer);
    for (let from = 0; from < values.length; from += cells.length) {
      const count = Math.min(cells.length, values.length - from);
      for (let v = 0; v < count; v++) {
        const value = values[from + v]! + 0;
        if (!Number.isNaN(value)) cells[v] = value;
        else words.fill(0xffffffff, 2 * v, 2 * v + 2);
      }
      if (!LITTLE) for (let v = 0; v < count; v++) this.#chunk.subarray(8 * v, 8 * v + 8).reverse();
      this.bytes(this.#chunk.subarray(0, 8 * count));
    }
    return this;
  }

  /** The digest in hexadecimal; the object is used up. */
  hex(): string {
    if (this.#platform) return this.#platform.digest("hex");
    const bits = this.#length * 8;
    const end = new Uint8Array(9 + ((119 - this.#filled) % 64));
    end[0] = 0x80;
    const view = new DataView(end.buffer, end.length - 8);
    view.setUint32(0, bits / 2 ** 32);
    view.setUint32(4, bits);
    this.bytes(end);
    return Array.from(this.#state, (w) => (w >>> 0).toString(16).padStart(8, "0")).join("");
  }

  /** Works the whole blocks of `data` from `at` on into the state; where the rest begins. */
  #compress(data: Uint8Array, at = 0): number {
    const [w, k, state] = [this.#words, K, this.#state];
    let from = at;
    for (; from + 64 <= data.length; from += 64) {
      for (let t = 0, b = from; t < 16; t++, b += 4)
        w[t] = (data[b]! << 24) | (data[b + 1]! << 16) | (data[b + 2]! << 8) | data[b + 3]!;
      for (let t = 16; t < 64; t++) {
        const u = w[t - 15]!;
        const v = w[t - 2]!;
        const s0 = ((u >>> 7) | (u << 25)) ^ ((u >>> 18) | (u << 14)) ^ (u >>> 3);
        const s1 = ((v >>> 17) | (v << 15)) ^ ((v >>> 19) | (v << 13)) ^ (v >>> 10);
        w[t] = (w[t - 16]! + s0 + w[t - 7]! + s1) | 0;
      }
      let a = state[0]!;
      let b = state[1]!;
      let c = state[2]!;
      let d = state[3]!;
      let e = state[4]!;
      let f = state[5]!;
      let g = state[6]!;
      let h = state[7]!;
      for (let t = 0; t < 64; t++) {
        const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
        const t1 = (((h + s1) | 0) + ((((e & f) ^ (~e & g)) + k[t]!) | 0) + w[t]!) | 0;
        const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      state[0]! += a;
      state[1]! += b;
      state[2]! += c;
      state[3]! += d;
      state[4]! += e;
      state[5]! += f;
      state[6]! += g;
      state[7]! += h;
    }
    return from;
  }
}
