import { expect, test, vi } from "vitest";
import { de } from "../../show/locales/de.ts";
import { calls } from "../../web/engine/calls.ts";
import { letterFile, resultFiles } from "../../web/engine/files.ts";
import { defaultChoices } from "../../web/settings.ts";

// The worker of the page carries no language to fall back to.
vi.mock("../../show/locales/en.ts", () => ({ en: undefined }));

test("every file of a result is written in the language that is told, and in no other", async () => {
  await calls.embedded({}, {});
  const more = { by: ["housing"], alternatives: 2 };
  const asked = { ...defaultChoices, model: "xgboost", rows: 12, overlay: {}, more };
  const { explanation } = await calls.run(asked, {});
  for (const kind of ["html", "card", "explanation", "csv", "parquet", "dice", "svg", "schema"]) {
    const made = await resultFiles(explanation, kind, { locale: de, reasons: {}, date: "2026-05-31" });
    expect(made.length, kind).toBeGreaterThan(0);
    for (const { bytes } of made) expect(bytes.length, kind).toBeGreaterThan(20);
  }
  const letters = explanation.rows.filter(({ valid }) => valid).slice(0, 5);
  const written = await Promise.allSettled(
    letters.map((row) => letterFile(explanation, row, { locale: de, date: "2026-05-31" })),
  );
  const failed = written.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(failed.filter((why) => !why.includes("no letter for"))).toEqual([]);
});
