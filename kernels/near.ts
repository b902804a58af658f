/**
 * Columns that may be near a row, by priced squared distances in f32: ‖r_j‖² − v_j (`base`) and −2x·r_j (`products`), which
 * is the distance less ‖x‖² and v_j, up to a rounding that the caller knows. A block is 32 columns, eight vectors.
 */

// @ts-ignore: a decorator of the compiler
@inline
function plus(sum: v128, x: v128, points: usize): v128 {
  return f32x4.add(sum, f32x4.mul(x, v128.load(points)));
}

/** −2x·r_j of all blocks: `points` has for each coordinate their 32 values, `query` is −2x. */
export function product(points: usize, blocks: u32, depth: u32, query: usize, products: usize): void {
  const end = query + ((<usize>depth) << 2);
  let p = points;
  let out = products;
  for (let b: u32 = 0; b < blocks; b++) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let s4 = s0;
    let s5 = s0;
    let s6 = s0;
    let s7 = s0;
    for (let q = query; q < end; q += 4) {
      const x = v128.load32_splat(q);
      s0 = plus(s0, x, p);
      s1 = plus(s1, x, p + 16);
      s2 = plus(s2, x, p + 32);
      s3 = plus(s3, x, p + 48);
      s4 = plus(s4, x, p + 64);
      s5 = plus(s5, x, p + 80);
      s6 = plus(s6, x, p + 96);
      s7 = plus(s7, x, p + 112);
      p += 128;
    }
    v128.store(out, s0);
    v128.store(out, s1, 16);
    v128.store(out, s2, 32);
    v128.store(out, s3, 48);
    v128.store(out, s4, 64);
    v128.store(out, s5, 80);
    v128.store(out, s6, 96);
    v128.store(out, s7, 112);
    out += 128;
  }
}

/** Priced distances of four columns. */
// @ts-ignore: a decorator of the compiler
@inline
function priced(base: usize, products: usize): v128 {
  return f32x4.add(v128.load(base), v128.load(products));
}

/** A mark for each of eight columns at or below the edge. */
// @ts-ignore: a decorator of the compiler
@inline
function marks(base: usize, products: usize, edge: v128): u32 {
  const low = <u32>i32x4.bitmask(f32x4.le(priced(base, products), edge));
  return low | (<u32>i32x4.bitmask(f32x4.le(priced(base + 16, products + 16), edge)) << 4);
}

/** The count-th smallest of the 32 numbers at `all`, or `ceiling` if that is less; `best` has room for count numbers. */
// @ts-ignore: a decorator of the compiler
@inline
function smallest(all: usize, best: usize, count: u32, ceiling: f32): f32 {
  const last = best + ((<usize>count) << 2) - 4;
  for (let t = best; t <= last; t += 4) store<f32>(t, ceiling);
  for (let at = all; at < all + 128; at += 4) {
    const value = load<f32>(at);
    if (value >= load<f32>(last)) continue;
    let t = last;
    while (t > best && load<f32>(t - 4) > value) {
      store<f32>(t, load<f32>(t - 4));
      t -= 4;
    }
    store<f32>(t, value);
  }
  return load<f32>(last);
}

/**
 * Lists to `out` all columns at most `slack` above the count-th smallest priced distance, or above `ceiling` if that is
 * less, and gives their number; for count 0 those up to `ceiling`. The smallest of 32 interleaved parts bound the count-th
 * smallest of all from above. `least` has room for a vector a block, `best` for 32 + count numbers.
 */
export function near(
  products: usize,
  base: usize,
  blocks: u32,
  least: usize,
  best: usize,
  count: u32,
  ceiling: f32,
  slack: f32,
  out: usize,
): u32 {
  const size = (<usize>blocks) << 7;
  let m0 = f32x4.splat(Infinity);
  let m1 = m0;
  let m2 = m0;
  let m3 = m0;
  let m4 = m0;
  let m5 = m0;
  let m6 = m0;
  let m7 = m0;
  for (let at: usize = 0; at < size; at += 128) {
    const p = products + at;
    const q = base + at;
    const s0 = priced(q, p);
    const s1 = priced(q + 16, p + 16);
    const s2 = priced(q + 32, p + 32);
    const s3 = priced(q + 48, p + 48);
    let low = f32x4.pmin(f32x4.pmin(s0, s1), f32x4.pmin(s2, s3));
    m0 = f32x4.pmin(m0, s0);
    m1 = f32x4.pmin(m1, s1);
    m2 = f32x4.pmin(m2, s2);
    m3 = f32x4.pmin(m3, s3);
    const s4 = priced(q + 64, p + 64);
    const s5 = priced(q + 80, p + 80);
    const s6 = priced(q + 96, p + 96);
    const s7 = priced(q + 112, p + 112);
    low = f32x4.pmin(low, f32x4.pmin(f32x4.pmin(s4, s5), f32x4.pmin(s6, s7)));
    m4 = f32x4.pmin(m4, s4);
    m5 = f32x4.pmin(m5, s5);
    m6 = f32x4.pmin(m6, s6);
    m7 = f32x4.pmin(m7, s7);
    v128.store(least + (at >> 3), low);
  }
  v128.store(best, m0);
  v128.store(best, m1, 16);
  v128.store(best, m2, 32);
  v128.store(best, m3, 48);
  v128.store(best, m4, 64);
  v128.store(best, m5, 80);
  v128.store(best, m6, 96);
  v128.store(best, m7, 112);
  const limit = (count === 0 ? ceiling : smallest(best, best + 128, count, ceiling)) + slack;
  const edge = f32x4.splat(limit);
  let found = out;
  for (let at: usize = 0; at < size; at += 128) {
    if (!v128.any_true(f32x4.le(v128.load(least + (at >> 3)), edge))) continue;
    const p = products + at;
    const q = base + at;
    let close =
      marks(q, p, edge) |
      (marks(q + 32, p + 32, edge) << 8) |
      (marks(q + 64, p + 64, edge) << 16) |
      (marks(q + 96, p + 96, edge) << 24);
    while (close !== 0) {
      store<u32>(found, <u32>(at >> 2) + ctz(close));
      close &= close - 1;
      found += 4;
    }
  }
  return <u32>((found - out) >> 2);
}
