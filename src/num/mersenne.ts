/**
 * MT19937 (Matsumoto and Nishimura 1998), seeded and read as NumPy's legacy RandomState does, so that splits
 * published as "random_state = 0" can be drawn again. For everything else use `stream`.
 */
export function legacyPermutation(n: number, seed: number): Int32Array {
  const word = mersenne(seed);
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    let mask = i;
    for (let shift = 1; shift < 32; shift *= 2) mask |= mask >>> shift;
    let j = (word() & mask) >>> 0;
    while (j > i) j = (word() & mask) >>> 0;
    const held = order[i]!;
    order[i] = order[j]!;
    order[j] = held;
  }
  return order;
}

function mersenne(seed: number): () => number {
  const state = new Uint32Array(624);
  state[0] = seed >>> 0;
  for (let i = 1; i < 624; i++) {
    const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
    state[i] = Math.imul(1812433253, previous) + i;
  }
  let next = 624;
  return () => {
    if (next === 624) {
      for (let k = 0; k < 624; k++) {
        const y = (state[k]! & 0x80000000) | (state[(k + 1) % 624]! & 0x7fffffff);
        state[k] = state[(k + 397) % 624]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      next = 0;
    }
    let y = state[next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >>> 18;
    return y >>> 0;
  };
}
