import { certify, type PlannedRow } from "../../src/certify/certify.ts";
import { isColaError } from "../../src/errors.ts";
import { flatten } from "../../src/flatten/flatten.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { rowOf } from "../../src/num/matrix.ts";
import type { Against } from "../../src/verify/against.ts";
import type { SmallStudy } from "./exact-studies.ts";

export interface TestCertificate {
  readonly text: string;
  readonly rows: number;
  readonly left: number;
  readonly planned: readonly PlannedRow[];
  readonly against: Against;
}

/** The certificate of the first rows of a study, and what it is held against; undefined where there is none. */
export async function certificateOf(study: SmallStudy): Promise<TestCertificate | undefined> {
  const search = exactSearch(study.question);
  if (!search) return undefined;
  const planned = [0, 1, 2].flatMap((id) => {
    const x = rowOf(study.rows, id);
    const plan = search.plan(x);
    return plan.outcome === "found" && plan.features.length > 0 ? [{ id, x, z: plan.z }] : [];
  });
  if (planned.length === 0) return undefined;
  try {
    const { text, rows, left } = await certify({ ...study.question, reach: study.reach }, planned);
    return { text, rows, left: left.length, planned, against: againstOf(study) };
  } catch (error) {
    if (isColaError(error) && error.code === "OPTION_INVALID") return undefined;
    throw error;
  }
}

/** The model's own file, and the table as columns of codes. */
function againstOf({ model, rows, constraints }: SmallStudy): Against {
  const { features } = constraints.schema;
  const column = (k: number): number[] =>
    Array.from({ length: rows.rows }, (_, i) => rows.data[i * rows.cols + k]!);
  return {
    ...flatten(JSON.stringify(model.toJSON!())),
    columns: new Map(features.map(({ name }, k) => [name, column(k)])),
    ids: Array.from({ length: rows.rows }, (_, i) => i),
  };
}
