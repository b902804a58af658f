import { expect, test } from "vitest";
import { verify } from "../../src/verify/verify.ts";
import { certificateOf } from "../support/certificates.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";

const STUDIES = process.env["COLA_SOAK"] === "1" ? 1500 : 60;

async function accepted(study: SmallStudy): Promise<number> {
  // A forest drawn at random is in no file: its rules are of all libraries at once.
  if (study.what.includes("wild")) return 0;
  const made = await certificateOf(study);
  if (!made) return 0;
  expect(made.left, study.what).toBe(0);
  const verdict = await verify(made.text, made.against);
  expect(verdict, study.what).toMatchObject({ accepted: true, rows: made.rows });
  return made.rows;
}

test("certificates of random studies are accepted, checked against model file and table", async () => {
  let rows = 0;
  for (let seed = 0; seed < STUDIES; seed++) rows += await accepted(smallStudy(seed));
  for (let seed = 0; seed < STUDIES / 2; seed++) rows += await accepted(hardStudy(seed));
  expect(rows).toBeGreaterThan(STUDIES);
  if (STUDIES > 100) process.stdout.write(`certificates: ${rows} rows accepted\n`);
}, 1_200_000);
