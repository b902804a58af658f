import { explain, isColaError } from "../../../src/index.ts";
import { type Fault, faultsOf } from "./check.ts";
import { drawStudy } from "./study.ts";

/** What must not happen; an answer that does not come counts among the faults too. */
const FAULTS: readonly Fault["kind"][] = ["false proof", "invalid plan", "broken constraint"];

export interface Studies {
  /** What was done, counted. */
  readonly text: string;
  readonly faults: readonly string[];
}

/** Answers and checks the studies of `count` seeds. */
export async function runStudies(from: number, count: number): Promise<Studies> {
  const proofs = new Map<string, number>();
  const refused = new Map<string, number>();
  const kinds = new Map<Fault["kind"], number>();
  const faults: string[] = [];
  const add = <K>(map: Map<K, number>, key: K): Map<K, number> => map.set(key, (map.get(key) ?? 0) + 1);
  for (let seed = from; seed < from + count; seed++) {
    const study = drawStudy(seed);
    try {
      const explanation = await explain(study.input);
      for (const { proof } of explanation.rows)
        if (proof) add(proofs, `${proof.claim}${proof.least ? " (cost)" : ""}, ${proof.scope}`);
      for (const { kind, text } of faultsOf(study, explanation)) {
        add(kinds, kind);
        faults.push(`${kind} in study ${seed} (${study.kind}; COLA_STUDY=${seed} runs it alone): ${text}`);
      }
    } catch (error) {
      if (isColaError(error) && error.code !== "INTERNAL") add(refused, error.code);
      else faults.push(`study ${seed} (${study.kind}) throws ${String(error)}`);
    }
  }
  const lines = [
    `${count} studies${[...refused].map(([code, times]) => `, ${times} refused (${code})`).join("")}`,
    ...[...proofs].sort().map(([name, times]) => `  ${times} proofs: ${name}`),
    ...FAULTS.map((kind) => `${kinds.get(kind) ?? 0} × ${kind}`),
  ];
  return { text: lines.join("\n"), faults };
}
