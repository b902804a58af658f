/** Round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = new Uint32Array(64);
const INITIAL = new Uint32Array(8);
{
  const fraction = (v: number): number => ((v - Math.floor(v)) * 2 ** 32) >>> 0;
  let found = 0;
  for (let p = 2; found < 64; p++) {
    let prime = true;
    for (let q = 2; q * q <= p; q++) if (p % q === 0) prime = false;
    if (!prime) continue;
    if (found < 8) INITIAL[found] = fraction(Math.sqrt(p));
    K[found++] = fraction(Math.cbrt(p));
  }
}

const rotate = (v: number, by: number): number => (v >>> by) | (v << (32 - by));

/** SHA-256 (FIPS 180-4) that can be fed piece by piece; numbers are fed as their 64 bits, NaN as one value. */
export class Sha256 {
  readonly #state = INITIAL.slice();
  readonly #block = new Uint8Array(64);
  readonly #words = new Uint32Array(64);
  #filled = 0;
  #length = 0;

  bytes(data: Uint8Array): this {
    for (const byte of data) this.#push(byte);
    return this;
  }

  /** Feeds UTF-16 code units, low byte first, after the length. */
  text(value: string): this {
    this.numbers([value.length]);
    for (let c = 0; c < value.length; c++) {
      const unit = value.charCodeAt(c);
      this.#push(unit & 255);
      this.#push(unit >>> 8);
    }
    return this;
  }

  numbers(values: ArrayLike<number>): this {
    const one = new Float64Array(1);
    const view = new DataView(one.buffer);
    for (let v = 0; v < values.length; v++) {
      one[0] = Number.isNaN(values[v]) ? Number.NaN : values[v]! + 0;
      for (let b = 0; b < 8; b++) this.#push(Number.isNaN(one[0]) ? 255 : view.getUint8(b));
    }
    return this;
  }

  /** The digest in hexadecimal; the object is used up. */
  hex(): string {
    const bits = this.#length * 8;
    this.#push(0x80);
    while (this.#filled !== 56) this.#push(0);
    const high = Math.floor(bits / 2 ** 32);
    for (const word of [high, bits >>> 0]) for (let s = 24; s >= 0; s -= 8) this.#push((word >>> s) & 255);
    return Array.from(this.#state, (w) => w.toString(16).padStart(8, "0")).join("");
  }

  #push(byte: number): void {
    this.#block[this.#filled++] = byte;
    this.#length++;
    if (this.#filled === 64) this.#compress();
  }

  #compress(): void {
    const w = this.#words;
    const view = new DataView(this.#block.buffer);
    for (let t = 0; t < 16; t++) w[t] = view.getUint32(t * 4);
    for (let t = 16; t < 64; t++) {
      const [a, b] = [w[t - 15]!, w[t - 2]!];
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t]! + w[t]!) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((v, i) => {
      this.#state[i]! += v;
    });
    this.#filled = 0;
  }
}
