/**
 * Adds factor · z zᵀ of rows, four at a time, to the lower triangle at `out`: every cell adds the products in the order of
 * the rows. Rows of `rows` and of `out` take `size` bytes, a multiple of 16; what a vector holds beyond the diagonal means nothing.
 */
export function outer(rows: usize, factors: usize, blocks: u32, p: u32, size: usize, out: usize): void {
  const end = (<usize>p) << 3;
  let r0 = rows;
  let f = factors;
  for (let block: u32 = 0; block < blocks; block++) {
    const r1 = r0 + size;
    const r2 = r1 + size;
    const r3 = r2 + size;
    let to = out;
    for (let a: usize = 0; a < end; a += 8) {
      const s0 = f64x2.splat(load<f64>(f) * load<f64>(r0 + a));
      const s1 = f64x2.splat(load<f64>(f, 8) * load<f64>(r1 + a));
      const s2 = f64x2.splat(load<f64>(f, 16) * load<f64>(r2 + a));
      const s3 = f64x2.splat(load<f64>(f, 24) * load<f64>(r3 + a));
      for (let b: usize = 0; b <= a; b += 16) {
        let sum = f64x2.add(v128.load(to + b), f64x2.mul(s0, v128.load(r0 + b)));
        sum = f64x2.add(sum, f64x2.mul(s1, v128.load(r1 + b)));
        sum = f64x2.add(sum, f64x2.mul(s2, v128.load(r2 + b)));
        v128.store(to + b, f64x2.add(sum, f64x2.mul(s3, v128.load(r3 + b))));
      }
      to += size;
    }
    r0 = r3 + size;
    f += 32;
  }
}
