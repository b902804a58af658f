import type { Certificate, CertifiedRow } from "../certificate.ts";
import { type Against, checkColumns, checkInputs, checkModel, checkTable } from "./against.ts";
import { type Choice, checkCells, choicesOf, costAt, numbersOf } from "./legal.ts";
import { Boxes, follow, waysOf } from "./proof.ts";
import { encode, Fault, insist, numberOf, reaches, scoresOf } from "./score.ts";

export interface Verdict {
  readonly accepted: boolean;
  /** Rows whose plans are proven. */
  readonly rows: number;
  /** The first thing that is wrong. */
  readonly fault?: string;
  /** What was not checked but taken from the certificate. */
  readonly trusted: readonly string[];
}

/** Blanks aside, the text is what was read of it: another reader of JSON reads nothing else. */
const saysOnce = (text: string, read: unknown): boolean =>
  text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1") === JSON.stringify(read);

/** Checks every claim of a certificate; stops at the first that does not hold. */
export async function verify(text: string, against: Against): Promise<Verdict> {
  const trusted: string[] = [];
  let [rows, where] = [0, ""];
  try {
    const certificate = JSON.parse(text) as Certificate;
    insist(saysOnce(text, certificate), "a key is given twice, or a number is none that can be kept");
    const known = certificate.format === "cola-certificate" && certificate.version === 1;
    insist(known, "this is not a certificate of version 1");
    checkInputs(certificate, against, trusted);
    await checkModel(certificate, against, trusted);
    checkColumns(certificate, against, trusted);
    checkCells(certificate);
    insist(certificate.rows.length > 0, "no row is certified");
    const ids = new Set(certificate.rows.map(({ id }) => String(id)));
    insist(ids.size === certificate.rows.length, "a row is certified twice");
    for (const row of certificate.rows) {
      where = `row ${row.id}: `;
      checkTable(certificate, row, against);
      checkRow(certificate, row);
      rows++;
    }
    return { accepted: true, rows, trusted };
  } catch (error) {
    if (error instanceof Fault) return { accepted: false, rows, fault: `${where}${error.message}`, trusted };
    const what = error instanceof Error ? error.message : String(error);
    return { accepted: false, rows, fault: `${where}the certificate is damaged (${what})`, trusted };
  }
}

/** The plan is legal, at the target, costs what is said, and no other has fewer edits, or as few and less change. */
function checkRow(certificate: Certificate, row: CertifiedRow): void {
  const { schema, columns, inputs, model, target } = certificate;
  const [x, z] = [row.x.map(numberOf), row.z.map(numberOf)];
  insist(x.length === schema.features.length && z.length === x.length, "cells are missing");
  let [edits, change] = [0, 0];
  z.forEach((v, k) => {
    if (Object.is(v, x[k])) return;
    const feature = schema.features[k]!;
    const onWay = ({ value, far }: Choice): boolean =>
      Math.min(value, far) <= v &&
      v <= Math.max(value, far) &&
      numbersOf(feature, columns[k]!)(v, true) === v;
    const choices = choicesOf(certificate, k, x[k]!, true).slice(1);
    const choice = choices.find((one) => Object.is(one.value, v) || onWay(one));
    insist(choice !== undefined, `${feature.name} may not become ${v}`);
    edits++;
    change += costAt(choice, v);
  });
  const scores = (codes: readonly number[]): number[] =>
    scoresOf(
      model,
      inputs.map((input) => encode(input, codes[input.feature]!)),
    );
  insist(edits > 0 && reaches(target, scores(z)), "the plan does not reach the target");
  insist(!reaches(target, scores(x)), "x is at the target without a plan");
  const told = Math.abs(change - row.change) <= 1e-9 * Math.max(1, change);
  insist(told, `the plan changes by ${change}, not by ${row.change}`);
  const ways = waysOf(model, target);
  insist(row.proofs.length === ways.length, "there is not one proof for each way to the target");
  for (const [w, way] of ways.entries())
    follow(new Boxes(certificate, way, { x, edits, change: row.change }), row.proofs[w]!);
}
