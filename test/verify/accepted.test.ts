import { expect, test } from "vitest";
import { numbersOf } from "../../src/verify/legal.ts";
import { verify } from "../../src/verify/verify.ts";
import { certificateOf } from "../support/certificates.ts";
import { hardStudy, type SmallStudy, smallStudy } from "../support/exact-studies.ts";
import { smoothFitted } from "../support/smooth-studies.ts";

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
  for (let seed = 0; seed < STUDIES / 2; seed++) rows += await accepted(smoothFitted(seed));
  expect(rows).toBeGreaterThan(STUDIES);
  if (STUDIES > 100) process.stdout.write(`certificates: ${rows} rows accepted\n`);
}, 1_200_000);

test("steps closer together than numbers end the checker's search, as they end ours", () => {
  const column = { low: 0, high: 1e18, decimals: 0, weight: 1 };
  for (const feature of [{ step: 7, min: 1 }, { step: 1e-5 }, { step: 1e-300 }, {}]) {
    const nearest = numbersOf({ name: "a", kind: "numeric", ...feature }, column);
    for (let t = 0; t < 50; t++) expect(nearest(1e17 + 16 * t, true)).toBe(1e17 + 16 * t);
  }
});
