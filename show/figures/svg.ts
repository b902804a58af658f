import { ColaError } from "../../src/errors.ts";
import type { FigureSpec } from "./contract.ts";
import { config } from "./theme.ts";

/**
 * A figure as SVG text, in Node without a DOM and in a page whose policy forbids `eval`: expressions are
 * interpreted, never compiled. The same specification gives the same text on every machine.
 */
export async function renderSvg(spec: FigureSpec): Promise<string> {
  const { compile, parse, View, expressionInterpreter } = await load();
  // The renderer writes into the data it is given.
  const own = structuredClone(spec) as unknown as Parameters<typeof compile>[0];
  const { spec: compiled } = compile(own, { config });
  const view = new View(parse(compiled, undefined, { ast: true }), {
    renderer: "none",
    expr: expressionInterpreter,
  });
  try {
    return withoutNoise(await view.toSVG());
  } finally {
    view.finalize();
  }
}

async function load() {
  try {
    const [{ compile }, { parse, View }, { expressionInterpreter }] = await Promise.all([
      import("vega-lite"),
      import("vega"),
      import("vega-interpreter"),
    ]);
    return { compile, parse, View, expressionInterpreter };
  } catch (cause) {
    throw new ColaError(
      "PEER_MISSING",
      "renderSvg: figures are drawn by vega; install it with `npm install vega vega-lite vega-interpreter`.",
      { packages: ["vega", "vega-lite", "vega-interpreter"] },
      cause,
    );
  }
}

/** Invisible parts that the renderer leaves behind. */
const EMPTY =
  /<path class="(?:foreground|background)"[^>]* d=""[^>]*\/>|<path class="background"[^>]* d="M0,0h0v0h0Z"[^>]*\/>|<text [^>]*\/>|<text [^>]*opacity="0"[^>]*>[^<]*<\/text>/g;

const FONT = ` font-family="${config.font}"`;

/** Drops what cannot be seen, names the font once, rounds coordinates to 0.01; text between tags is left alone. */
function withoutNoise(svg: string): string {
  return svg.replace(EMPTY, "").replace(/<[^>]*>/g, (tag) =>
    tag
      .replace(FONT, "")
      .replace("<svg", `<svg${FONT}`)
      .replace(/ (?:opacity="1"|pointer-events="none"|stroke-miterlimit="4"|aria-hidden="true")/g, "")
      .replace(/ (?:class|role|aria-roledescription|version|xmlns:xlink)="[^"]*"/g, "")
      .replace(/-?\d+\.\d{3,}(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100)),
  );
}
