import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";
import { dataFile } from "../support/fixtures.ts";
import { temporaryFolder } from "../support/folder.ts";

const HELOC = dataFile("heloc.csv");
const folder = temporaryFolder();

test.skipIf(HELOC === undefined)(
  "no plan on HELOC leads to or from −9, also where a column has few other values (skipped without its file)",
  async () => {
    const table = join(folder, "heloc.csv");
    const lines = readFileSync(HELOC!, "utf8").split("\n").slice(0, 1500);
    writeFileSync(table, lines.join("\n"));
    const explained = async (...words: string[]): Promise<Explanation> => {
      const { out, err } = await cola(
        ...["explain", "--data", table, "--label", "RiskPerformance", ...words],
        ...["--json", "--formats", "csv", "--out", join(folder, "out")],
      );
      expect(err).toMatch(/^MaxDelqEver has -9 in 419 rows beside values from 2 to 8/m);
      return JSON.parse(out) as Explanation;
    };

    const where = "ExternalRiskEstimate == -9 and NumTotalTrades == -9";
    const empty = await explained("--target", "Good", "--where", where, "--rows", "5");
    expect(empty.rows).toHaveLength(5);
    for (const { edits, reason, relaxation } of empty.rows) {
      expect(edits).toEqual([]);
      expect(relaxation!.missing).toEqual([relaxation!.feature]);
      expect(reason).toMatch(/Letting \w+ be filled in \(editMissing\) would allow a plan of 1 edit/);
    }

    const vary = "MaxDelq2PublicRecLast12M,MaxDelqEver";
    const worse = await explained("--target", "Bad", "--vary", vary, "--rows", "30");
    const edits = worse.rows.flatMap((row) => row.edits);
    expect(edits.length).toBeGreaterThan(10);
    for (const { from, to } of edits) expect(Math.min(Number(from), Number(to))).toBeGreaterThanOrEqual(0);
  },
);
