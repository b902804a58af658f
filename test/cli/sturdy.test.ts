import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

const explain = (...words: string[]) =>
  cola("explain", "--model", "tree", "--rows", "3", "--values", "least", "--out", folder, ...words);
const rows = () => JSON.parse(readFileSync(join(folder, "explanation.json"), "utf8")).rows;

test("--retrain gives a second plan and says how often both hold, in words, the same for the same seed", async () => {
  const first = await explain("--retrain", "3", "--judges", "4");
  expect(first.code, first.err).toBe(0);
  expect(first.out).toMatch(/holds in about \d+ of 10 retrained models \([^)]*by 4 of them\)/);
  const told = rows();
  for (const row of told) {
    expect(row.survival.models).toBe(4);
    expect(row.sturdy.scores).toHaveLength(3);
  }
  const german = await explain("--retrain", "3", "--judges", "4", "--locale", "de");
  expect(german.out).toMatch(/hält in etwa \d+ von 10 neu trainierten Modellen/);
  expect(rows()).toEqual(told);
});

test("--also takes model files, and plans without a word on other models are as before", async () => {
  const file = join(folder, "other.json");
  expect((await cola("train", "--model", "tree", "--seed", "5", "--model-out", file)).code).toBe(0);
  const made = await explain("--also", file, "--judges", "0");
  expect(made.code, made.err).toBe(0);
  expect(made.out).toMatch(/other models accept/);
  expect(rows()[0]).not.toHaveProperty("survival");
  await explain();
  expect(rows()[0]).not.toHaveProperty("sturdy");
});

test("what cannot be retrained is refused with the way out", async () => {
  const table = [
    "--data",
    "examples/parts/loans.csv",
    "--id",
    "id",
    "--model",
    "examples/parts/xgboost.json",
  ];
  const made = await cola("explain", ...table, "--retrain", "2", "--out", folder);
  expect(made.code).toBe(2);
  expect(made.err).toContain("--label");
});

test("with a goal of the group they are refused, and a certificate with another objective", async () => {
  const words = ["--model", "tree", "--retrain", "1", "--judges", "1", "--effect", "0.5", "--out", folder];
  const group = await cola("explain", ...words);
  expect(group).toMatchObject({ code: 2, err: expect.stringContaining("leave them out with --effect") });
  const cost = await explain("--objective", "cost", "--certificate", join(folder, "proofs.json"));
  expect(cost).toMatchObject({ code: 2, err: expect.stringContaining("leave out --objective") });
});

test("--plausible plans", async () => {
  const made = await explain("--plausible");
  expect(made.code === 0 || made.code === 1, made.err).toBe(true);
  const plain = await cola("explain", "--rows", "2", "--plausible", "--values", "reference", "--out", folder);
  expect(plain).toMatchObject({ code: 2, err: expect.stringContaining("--plausible") });
});

test("a study with other models is not saved without them", async () => {
  const path = join(folder, "study.json");
  const { code, err } = await cola(
    "study",
    "save",
    path,
    "--model",
    "tree",
    "--retrain",
    "2",
    "--judges",
    "0",
  );
  expect(code).toBe(2);
  expect(err).toContain("the other models of --also and --retrain are not put into the file");
  expect(existsSync(path)).toBe(false);
});
