import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

const TABLE = ["--data", "examples/parts/loans.csv", "--id", "id"];
const MODEL = ["--model", "examples/parts/xgboost.json"];
const proofs = join(folder, "proofs.json");

test("proofs that explain writes are accepted by verify, and refused once they are touched", async () => {
  const goal = ["--outputs", "refused,granted", "--target", "granted", "--values", "least", "--rows", "4"];
  const out = ["--out", join(folder, "out"), "--certificate", proofs];
  const made = await cola("explain", ...TABLE, ...MODEL, ...goal, ...out);
  expect(made.code, made.err).toBe(0);
  expect(made.out).toContain("the proofs of 4 plans");

  const whole = await cola("verify", proofs, ...MODEL, ...TABLE);
  expect(whole).toMatchObject({ code: 0, out: expect.stringContaining("holds for 4 rows") });
  const json = JSON.parse((await cola("verify", proofs, ...MODEL, "--json")).out);
  expect(json).toMatchObject({ accepted: true, rows: 4 });
  expect(json.trusted.join()).toContain("range, decimals and scale of income");

  const certificate = JSON.parse(readFileSync(proofs, "utf8"));
  certificate.rows[1].change /= 2;
  writeFileSync(proofs, JSON.stringify(certificate));
  const spoilt = await cola("verify", proofs, ...MODEL, ...TABLE);
  expect(spoilt.code).toBe(1);
  expect(spoilt.out).toMatch(/is refused: row A\d+: the plan changes by/);

  const other = await cola("verify", proofs, "--model", "examples/parts/model.onnx");
  expect(other).toMatchObject({ code: 1, out: expect.stringContaining("is refused") });
  expect((await cola("verify", proofs)).err).toContain("--model");
});

test("a goal that has no certificate is refused before the run, and nothing is written", async () => {
  const out = join(folder, "none");
  const goal = ["--label", "guarantor", "--model", "logistic", "--target", "true in [0.6, 0.9]"];
  const told = await cola(
    "explain",
    ...TABLE,
    ...goal,
    "--certificate",
    join(folder, "c.json"),
    "--out",
    out,
  );
  expect(told.code).toBe(2);
  expect(told.err).toContain("not for ranges or several classes");
  expect(existsSync(out)).toBe(false);
});
