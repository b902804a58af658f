/**
 * Points that may be near a query: sums of bounds over 4-bit codes, 16 points at a time. A block holds, for each pair of
 * columns, 16 bytes: the bin of the first column in the low half of each, that of the second in the high half. `tables`
 * has 16 bytes per column: the bound of each bin in units of which 255 (where sums stay) is more than far enough.
 */

/** Adds the bounds of pairs c … to − 1 of the block at p; a saturated sum tells nothing but that it is too large. */
// @ts-ignore: a decorator of the compiler
@inline
function sums(p: usize, tables: usize, from: u32, to: u32, start: v128): v128 {
  const low = i8x16.splat(15);
  let even = start;
  let odd = i8x16.splat(0);
  for (let c = from; c < to; c++) {
    const codes = v128.load(p + ((<usize>c) << 4));
    const table = tables + ((<usize>c) << 5);
    even = i8x16.add_sat_u(even, i8x16.swizzle(v128.load(table), v128.and(codes, low)));
    odd = i8x16.add_sat_u(odd, i8x16.swizzle(v128.load(table, 16), i8x16.shr_u(codes, 4)));
  }
  return i8x16.add_sat_u(even, odd);
}

/**
 * Lists to `out` the points of blocks from … to − 1 whose sums are below 255, as their place behind the first of these,
 * times 256, and their sum; a look is taken after every `step` pairs. `sum` has room for those of a block.
 */
export function scan(
  codes: usize,
  from: u32,
  to: u32,
  pairs: u32,
  step: u32,
  tables: usize,
  sum: usize,
  out: usize,
): u32 {
  const top = i8x16.splat(-1);
  let count: u32 = 0;
  for (let b = from; b < to; b++) {
    const p = codes + <usize>b * ((<usize>pairs) << 4);
    let bound = i8x16.splat(0);
    let near: u32 = 1;
    for (let c: u32 = 0; c < pairs && near !== 0; c += step) {
      bound = sums(p, tables, c, min(c + step, pairs), bound);
      near = <u32>i8x16.bitmask(i8x16.ne(bound, top));
    }
    if (near === 0) continue;
    v128.store(sum, bound);
    while (near !== 0) {
      const p = ctz(near);
      const place = ((b - from) << 4) + p;
      store<u32>(out + ((<usize>count) << 2), (place << 8) | load<u8>(sum + p));
      count++;
      near &= near - 1;
    }
  }
  return count;
}
