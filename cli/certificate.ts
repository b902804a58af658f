import { writeFileWhole } from "../node/files.ts";
import { certify } from "../src/certify/certify.ts";
import { type CertifyQuestion, headerOf } from "../src/certify/header.ts";
import { encodeCell } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { ExplainedRow, Explanation } from "../src/explanation.ts";
import { goalReach } from "../src/model/target.ts";
import { rowOf } from "../src/num/matrix.ts";
import type { Goal, WorkOptions } from "../src/types.ts";
import type { Posed, Study } from "../study/study.ts";

/** What is certified; OPTION_INVALID where the goal, the model, the target or the rules have no certificate. */
export function certifiedOf({ data, model, options }: Study, goal: Goal): CertifyQuestion {
  if (goal.kind !== "each")
    throw new ColaError(
      "OPTION_INVALID",
      "--certificate is for plans that reach a target of their own; leave out --effect.",
    );
  if (options.objective !== undefined && options.objective !== "edits")
    throw new ColaError(
      "OPTION_INVALID",
      "--certificate is for plans of the fewest edits; leave out --objective.",
    );
  const question = {
    model: model.model,
    constraints: data.constraints,
    reach: goalReach(model.model, goal),
    minMargin: goal.minMargin ?? 0,
    table: data.rows,
  };
  headerOf(question);
  return question;
}

/**
 * Writes the certificate of all plans that are proven to have the fewest edits and the least change over all legal
 * values; returns what is to be said of it.
 */
export async function writeCertificate(
  path: string,
  question: CertifyQuestion,
  { x, ids }: Posed,
  { rows }: Explanation,
  work: WorkOptions,
): Promise<string[]> {
  const { features } = question.constraints.schema;
  const planned = rows.flatMap((row, i) => {
    if (!isProven(row)) return [];
    const own = rowOf(x, i);
    const z = own.slice();
    for (const { feature, to } of row.edits) {
      const k = features.findIndex(({ name }) => name === feature);
      z[k] = encodeCell(features[k]!, to, i);
    }
    return [{ id: ids[i]!, x: own, z }];
  });
  if (planned.length === 0)
    return [`No plan is proven over all legal values, so ${path} is not written (--values least).`];
  const { text, rows: count, left } = await certify(question, planned, work);
  if (count > 0) writeFileWhole(path, `${text}\n`);
  return [
    ...(count > 0 ? [`${path}: the proofs of ${count} plans, to be checked by cola verify.`] : []),
    ...left.map(({ id, why }) => `${id} is not in ${path}: ${why}.`),
  ];
}

function isProven({ valid, proof, edits }: ExplainedRow): boolean {
  if (!valid || !proof || edits.length === 0) return false;
  return proof.claim === "optimal" && proof.scope === "model" && proof.change === "least" && !proof.least;
}
