import { startWork } from "../budget.ts";
import type { Certificate, CertifiedRow, Proof } from "../certificate.ts";
import type { Cell, WorkOptions } from "../types.ts";
import { choicesOf, costAt } from "../verify/legal.ts";
import { Boxes, waysOf } from "../verify/proof.ts";
import { type CertifyQuestion, headerOf } from "./header.ts";
import { prove } from "./prove.ts";

/** A row and its plan, as codes. */
export interface PlannedRow {
  readonly id: Cell;
  readonly x: Float64Array;
  readonly z: Float64Array;
}

/** Characters a certificate may have. */
const MOST_CHARACTERS = 50_000_000;

/** A certificate as text, the rows it holds, and those it does not, with why. */
interface Certified {
  readonly text: string;
  readonly rows: number;
  readonly left: readonly { readonly id: Cell; readonly why: string }[];
}

/**
 * Writes down why each plan has the fewest edits, and of those the least change, over all legal values, so that it can
 * be checked without the search that found it (src/verify). The optimum is known; only its proof is looked for here.
 */
export async function certify(
  question: CertifyQuestion,
  planned: readonly PlannedRow[],
  options: WorkOptions = {},
): Promise<Certified> {
  const work = startWork("certify", options);
  const header = headerOf(question);
  const rows: string[] = [];
  const left: { id: Cell; why: string }[] = [];
  let size = JSON.stringify({ ...header, rows: [] }).length;
  for (const [i, row] of planned.entries()) {
    const made = rowOf(header, row, () => work.check());
    const text = made ? JSON.stringify(made) : "";
    if (!made) left.push({ id: row.id, why: "no proof short enough to be written down was found" });
    else if (size + text.length + 1 > MOST_CHARACTERS)
      left.push({ id: row.id, why: "the certificate would be larger than 50 MB" });
    else {
      rows.push(text);
      size += text.length + 1;
    }
    if (work.due()) await work.pause(i + 1, planned.length);
  }
  const whole = JSON.stringify({ ...header, rows: [] });
  return { text: `${whole.slice(0, -2)}${rows.join(",")}]}`, rows: rows.length, left };
}

function rowOf(
  header: Omit<Certificate, "rows">,
  { id, x, z }: PlannedRow,
  pulse: () => void,
): CertifiedRow | undefined {
  const certificate = { ...header, rows: [] };
  const codes = Array.from(x);
  let [edits, change] = [0, 0];
  z.forEach((v, k) => {
    if (Object.is(v, x[k])) return;
    const choices = choicesOf(certificate, k, x[k]!, true).slice(1);
    const choice = choices.find(
      ({ value, far }) => Object.is(value, v) || (Math.min(value, far) <= v && v <= Math.max(value, far)),
    );
    edits++;
    change += choice ? costAt(choice, v) : Number.NaN;
  });
  if (edits === 0 || Number.isNaN(change)) return undefined;
  const proofs: Proof[] = [];
  for (const way of waysOf(header.model, header.target)) {
    const proof = prove(header, new Boxes(certificate, way, { x: codes, edits, change }), pulse);
    if (proof === undefined) return undefined;
    proofs.push(proof);
  }
  const plain = (row: Float64Array): (number | null)[] =>
    Array.from(row, (v) => (Number.isNaN(v) ? null : v));
  return { id, x: plain(x), z: plain(z), change, proofs };
}
