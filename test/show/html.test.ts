import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { en } from "../../show/locales/en.ts";
import { escapeHtml, html } from "../../show/report/html.ts";
import { packer, reportRow, unpack } from "../../show/report/pack.ts";
import { hashSource } from "../../show/report/policy.ts";
import { madeUpExplanation } from "../support/explanations.ts";
import { escapesOnce } from "../support/mutants/show.ts";
import { refuses } from "../support/refuses.ts";

type Template = (strings: TemplateStringsArray, ...parts: readonly string[]) => { readonly text: string };

/** Whatever is put into an element or an attribute, markup stays what the template says. */
function escapingLaw(tag: Template): void {
  const nasty = fc.oneof(
    fc.string(),
    fc.constantFrom("</p>", '" onload="x', "' x='", "a<b>c", "&lt;", "<script>", "x<!--", "]]>"),
  );
  fc.assert(
    fc.property(nasty, nasty, (inside, value) => {
      const { text } = tag`<p title="${value}">${inside}</p>`;
      const found = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/s.exec(text);
      expect(found).not.toBeNull();
      expect([found![1], found![2]].map(plainText)).toEqual([value, inside]);
    }),
  );
}

const plainText = (text: string | undefined): string =>
  (text ?? "").replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name] ?? "'",
  );

describe("templates", () => {
  test("escape every value", () => {
    escapingLaw(html);
    expect(escapeHtml(`<a b="c" d='e'>&`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  });

  test("that trust some values are noticed", async () => {
    await refuses(() => escapingLaw(escapesOnce));
  });

  test("nest, list and leave out", () => {
    expect(html`<ul>${[1, 2].map((n) => html`<li>${n}</li>`)}${false}${null}</ul>`.text).toBe(
      "<ul><li>1</li><li>2</li></ul>",
    );
  });
});

test("hashes are those a browser computes", () => {
  for (const text of ["", "body{}", "ü → ▲"]) {
    expect(hashSource(text)).toBe(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  }
});

test("packed rows come back, attributions with five digits", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(99),
      (rows, cols, seed) => {
        const { rows: told, ...about } = madeUpExplanation({ rows, cols, seed });
        const { schema } = about;
        const context = { ...about, locale: en, codes: {} };
        const { proofs, pack } = packer(schema);
        for (const row of told.map((r) => reportRow(r, context))) {
          const back = unpack(schema, proofs, JSON.parse(JSON.stringify(pack(row))));
          const short = (phi: number): number => Number(phi.toPrecision(5));
          const edits = (list: typeof row.edits) =>
            list.map((e) => ({ ...e, attribution: short(e.attribution) }));
          expect(back).toEqual({
            ...row,
            attributions: row.attributions.map(short),
            edits: edits(row.edits),
            proposal: edits(row.proposal),
            alternatives: row.alternatives.map((plan) => ({ ...plan, edits: edits(plan.edits) })),
          });
        }
      },
    ),
    { numRuns: 30 },
  );
});
