import { choleskyInPlace, choleskySolve } from "../src/num/linalg.ts";
import type { Random } from "../src/num/random.ts";

/**
 * KernelSHAP as a peer (Lundberg and Lee 2017, with paired masks): φ = argmin Σ_S w(S) (v(S) − φ₀ − Σ_{u∈S} φ_u)²
 * under Σφ = v(all) − v(∅), w(S) = (k−1) / (C(k,|S|) |S| (k−|S|)). Sizes are enumerated from the outside in
 * while their share of the evaluations covers them, the rest is drawn by weight, without repetition. `value` takes the set of kept
 * players as a bit mask.
 */
export function kernelShap(
  value: (kept: number) => number,
  k: number,
  evaluations: number,
  random: Random,
): Float64Array {
  const all = 2 ** k - 1;
  const [empty, full] = [value(0), value(all)];
  const rows = masksOf(k, evaluations - 2, random).map(({ mask, weight }) => {
    const last = (mask >>> (k - 1)) & 1;
    const z = Float64Array.from({ length: k - 1 }, (_, u) => ((mask >>> u) & 1) - last);
    return { z, target: value(mask) - empty - last * (full - empty), weight };
  });
  const n = k - 1;
  const normal = new Float64Array(n * n);
  const phi = new Float64Array(n);
  for (const { z, target, weight } of rows) {
    for (let a = 0; a < n; a++) {
      phi[a]! += weight * z[a]! * target;
      for (let b = 0; b <= a; b++) normal[a * n + b]! += weight * z[a]! * z[b]!;
    }
  }
  choleskyInPlace(normal, n);
  choleskySolve(normal, n, phi);
  return Float64Array.of(...phi, full - empty - phi.reduce((sum, v) => sum + v, 0));
}

function masksOf(k: number, evaluations: number, random: Random): { mask: number; weight: number }[] {
  const all = 2 ** k - 1;
  const sizes = Array.from({ length: k >> 1 }, (_, t) => t + 1);
  const share = (size: number): number => ((2 * size === k ? 1 : 2) * (k - 1)) / (size * (k - size));
  const out: { mask: number; weight: number }[] = [];
  let left = evaluations;
  while (sizes.length > 0) {
    const size = sizes[0]!;
    const sets = setsOf(k, size);
    const count = (2 * size === k ? 1 : 2) * sets.length;
    const weight = share(size) / sizes.reduce((sum, other) => sum + share(other), 0);
    if (count > left * weight) break;
    sizes.shift();
    left -= count;
    for (const mask of sets) {
      out.push({ mask, weight: share(size) / count });
      if (2 * size !== k) out.push({ mask: all ^ mask, weight: share(size) / count });
    }
  }
  const open = sizes.reduce((sum, size) => sum + share(size), 0);
  const drawn = new Set<number>();
  while (sizes.length > 0 && drawn.size + 2 <= left) {
    const size = drawnSize(sizes, share, random.next() * open);
    const mask = random.sample(k, size).reduce((set, u) => set | (1 << u), 0);
    drawn.add(mask).add(all ^ mask);
  }
  for (const mask of drawn) out.push({ mask, weight: open / drawn.size });
  return out;
}

function drawnSize(sizes: readonly number[], share: (size: number) => number, at: number): number {
  let sum = 0;
  for (const size of sizes) {
    sum += share(size);
    if (at < sum) return size;
  }
  return sizes.at(-1)!;
}

function setsOf(k: number, size: number, from = 0): number[] {
  if (size === 0) return [0];
  const sets: number[] = [];
  for (let u = from; u <= k - size; u++)
    for (const rest of setsOf(k, size - 1, u + 1)) sets.push(rest | (1 << u));
  return sets;
}
