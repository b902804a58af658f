import { beforeAll, expect, test, vi } from "vitest";
import type { Locale } from "../../show/locales/contract.ts";
import type { en as english } from "../../show/locales/en.ts";
import { calls } from "../../web/engine/calls.ts";
import { defaultChoices } from "../../web/settings.ts";

// As the worker is built: it is told the language of every file it writes, and has none to fall back to.
vi.mock("../../show/locales/en.ts", () => ({ en: undefined }));

let en: Locale;

beforeAll(async () => {
  ({ en } = await vi.importActual<{ en: typeof english }>("../../show/locales/en.ts"));
  await calls.embedded({}, {});
  await calls.run({ ...defaultChoices, model: "tree", rows: 6, overlay: {} }, {});
});

test.each(["explanation", "html", "card", "csv", "dice", "svg", "schema", "model"])(
  "the worker writes %s in the language it is told",
  async (kind) => {
    const made = await calls.files({ kind, locale: en, reasons: {}, date: "2026-05-31" }, {});
    expect(made.length).toBeGreaterThan(0);
    for (const { bytes } of made) expect(bytes.length).toBeGreaterThan(100);
  },
);

test("the worker writes a letter in the language it is told", async () => {
  const told = { position: 0, date: "2026-05-31", sender: "", locale: en, codes: {} };
  const { letter } = await calls.letter(told, {});
  expect(letter.parts.map(({ kind }) => kind)).toContain("reasons");
});
