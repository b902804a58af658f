import fc from "fast-check";
import { trimMutants, goalMutants } from "./test/support/mutants/group-generators.ts";
import { goals, trimmedSorted } from "./src/generate/discount/transport.ts";
import { mean, quantile, sorted } from "./src/num/stats.ts";
function trimmedByHand(a: readonly number[], b: readonly number[], trim: number): number {
  const keep = (values: readonly number[]): number[] => {
    const [low, high] = [quantile(values, trim), quantile(values, 1 - trim)];
    const kept = values.filter((v) => v >= low && v <= high);
    return (kept.length > 0 ? kept : [...values]).sort((p, q) => p - q);
  };
  const [left, right] = [keep(a), keep(b)];
  if (left.length === right.length) return mean(left.map((v, t) => (v - right[t]!) ** 2)) / (1 - 2 * trim);
  const pair = left.flatMap((v) => right.map(() => v)); const partner = right.flatMap((v) => left.map(() => v));
  return mean(pair.map((v, t) => (v - partner[t]!) ** 2)) / (1 - 2 * trim);
}
const samples = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 1, maxLength: 12 });
const law=(distance:any, seed:number)=>{ let n=0; const r=fc.check(fc.property(samples, samples, fc.constantFrom(0.05, 0.1, 0.3), (a, b, trim) => { n++; const e=trimmedByHand(a,b,trim); return Math.abs(distance(sorted(a),sorted(b),trim)-e) < 1e-9*(1+e); }),{seed}); return [n, r.numShrinks, r.failed]; };
let worst=0;
for (const [name,d] of [["real",trimmedSorted],...Object.entries(trimMutants)] as any) { worst=0; let fails=0; for (let seed=0; seed<150; seed++){ const t=performance.now(); const [n,s,f]=law(d,seed); const ms=performance.now()-t; if (f) fails++; if(ms>worst){worst=ms; } if(ms>2000) console.log(name,seed,ms,n,s);} console.log(name,"worst",worst.toFixed(0),"fails",fails); }
