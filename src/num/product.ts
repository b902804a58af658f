/** A matrix inside a vector: cell (i, k) is data[at + i·row + k·col]. */
export interface Strided {
  readonly data: Float64Array;
  readonly at: number;
  readonly row: number;
  readonly col: number;
}

/**
 * out[i, j] += Σ_k a[i, k] · b[j, k] for i < n, j < m, k < depth; `out` is row-major from its first cell. Tiles of
 * 2 × 4 sums share their loads; each sum runs over k in order, so a cell does not depend on n or m.
 */
export function addProduct(
  out: Float64Array,
  n: number,
  m: number,
  depth: number,
  a: Strided,
  b: Strided,
): void {
  const { data: u, col: uk } = a;
  const { data: v, col: vk } = b;
  for (let i = 0; i < n; i += 2) {
    // Past the end the last row or column is repeated and its sums are thrown away.
    const i1 = Math.min(i + 1, n - 1);
    for (let j = 0; j < m; j += 4) {
      let a0 = a.at + i * a.row;
      let a1 = a.at + i1 * a.row;
      let b0 = b.at + j * b.row;
      let b1 = b.at + Math.min(j + 1, m - 1) * b.row;
      let b2 = b.at + Math.min(j + 2, m - 1) * b.row;
      let b3 = b.at + Math.min(j + 3, m - 1) * b.row;
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      for (let k = 0; k < depth; k++) {
        const p = u[a0]!;
        const q = u[a1]!;
        const w0 = v[b0]!;
        const w1 = v[b1]!;
        const w2 = v[b2]!;
        const w3 = v[b3]!;
        s00 += p * w0;
        s01 += p * w1;
        s02 += p * w2;
        s03 += p * w3;
        s10 += q * w0;
        s11 += q * w1;
        s12 += q * w2;
        s13 += q * w3;
        a0 += uk;
        a1 += uk;
        b0 += vk;
        b1 += vk;
        b2 += vk;
        b3 += vk;
      }
      addFour(out, i * m + j, m - j, s00, s01, s02, s03);
      if (i1 > i) addFour(out, i1 * m + j, m - j, s10, s11, s12, s13);
    }
  }
}

/** Adds the first `count` of four sums. */
function addFour(
  out: Float64Array,
  at: number,
  count: number,
  s0: number,
  s1: number,
  s2: number,
  s3: number,
): void {
  out[at]! += s0;
  if (count > 1) out[at + 1]! += s1;
  if (count > 2) out[at + 2]! += s2;
  if (count > 3) out[at + 3]! += s3;
}
