/**
 * The numbers rounded to multiples of 2^e, with e so small that 2^53 still holds the sum of all |v|: sums
 * and differences of them are exact in any order. So equal splits have equal gains whatever the column
 * they are found in, and a sibling's histogram is its parent's minus the other's to the last bit.
 */
export function fixedPoint(values: Float64Array, out = new Float64Array(values.length)): Float64Array {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  const exponent = Math.max(-1022, Math.ceil(Math.log2(most * values.length)) - 52);
  const unit = 2 ** exponent;
  const inverse = 2 ** -exponent;
  for (let i = 0; i < values.length; i++) out[i] = Math.round(values[i]! * inverse) * unit;
  return out;
}
