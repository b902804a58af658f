import { type Coded, readCodes, writeCodes } from "../../formats/codes.ts";
import type { Blobs, Ref } from "../../node/store/blobs.ts";
import type { Asking } from "../../src/run/open.ts";
import { openedOf, type Posed, type Study } from "../../study/study.ts";

/**
 * How the rows of a recipe are cut, and where its question is kept: rows and counterfactuals are made once, whoever
 * explains some of them.
 */
export interface Plan {
  readonly rows: number;
  /** Rows of one shard. */
  readonly size: number;
  /** The run hash of the whole. */
  readonly hash: string;
  readonly x: Ref;
  /** Absent: the rows of the table. */
  readonly references?: { readonly ref: Ref; readonly rows: number };
}

/** Keeps the rows of a question and the counterfactuals made for them. */
export async function keepPlan(
  blobs: Blobs,
  study: Study,
  { x, ids, references, pairs }: Posed,
  size: number,
): Promise<Plan> {
  const { hash } = openedOf(study, references).question({ x, ids, ...(pairs ? { pairs } : {}) });
  const keep = (coded: Coded): Promise<Ref> => blobs.put(writeCodes(coded), "parquet");
  const plan: Plan = { rows: x.rows, size, hash: hash(), x: await keep({ codes: x, ids }) };
  if (references === study.data.rows && !pairs) return plan;
  const ref = await keep({ codes: references, ...(pairs ? { pairs } : {}) });
  return { ...plan, references: { ref, rows: references.rows } };
}

/** The question of a plan, open. */
export async function readPlan(
  blobs: Blobs,
  study: Study,
  { rows, x, references, hash }: Plan,
): Promise<Asking> {
  const { cols } = study.data.rows;
  const { codes, ids = [] } = await readCodes(await blobs.get(x), rows, cols);
  const made = references && (await readCodes(await blobs.get(references.ref), references.rows, cols));
  const asked = { x: codes, ids, ...(made?.pairs ? { pairs: made.pairs } : {}) };
  return openedOf(study, made?.codes).question(asked, hash);
}
