/** A set of rows, one bit each. */
export type Bits = Uint32Array;

export function noBits(rows: number): Bits {
  return new Uint32Array(Math.ceil(rows / 32));
}

/** All of `rows` rows. */
export function allBits(rows: number): Bits {
  const bits = noBits(rows);
  for (let i = 0; i < rows; i++) addBit(bits, i);
  return bits;
}

export function addBit(bits: Bits, i: number): void {
  bits[i >>> 5]! |= 1 << (i & 31);
}

export function hasBit(bits: Bits, i: number): boolean {
  return ((bits[i >>> 5]! >>> (i & 31)) & 1) === 1;
}

export function bothBits(a: Bits, b: Bits): Bits {
  return a.map((word, w) => word & b[w]!);
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (let w = 0; w < bits.length; w++) count += ones(bits[w]!);
  return count;
}

/** |a ∩ b|. */
export function countBoth(a: Bits, b: Bits): number {
  let count = 0;
  for (let w = 0; w < a.length; w++) count += ones(a[w]! & b[w]!);
  return count;
}

function ones(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
