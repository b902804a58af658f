import { ColaError } from "../../src/errors.ts";

interface PngOptions {
  /** Pixels per unit of the SVG. Default 2. */
  readonly scale?: number;
}

const FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"];

/**
 * An SVG figure as PNG bytes, in Node. Text is set in DejaVu Sans from files, never in a font of the machine, so
 * the same figure has the same bytes everywhere.
 */
export async function renderPng(svg: string, { scale = 2 }: PngOptions = {}): Promise<Uint8Array> {
  if (!(scale > 0 && scale <= 16)) {
    throw new ColaError(
      "OPTION_INVALID",
      `renderPng: scale is ${scale}; give a number above 0 and at most 16.`,
      {
        scale,
      },
    );
  }
  const { Resvg, fontFiles } = await load();
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: "DejaVu Sans" };
  return new Resvg(svg, { fitTo: { mode: "zoom", value: scale }, font }).render().asPng();
}

async function load() {
  try {
    const { Resvg } = await import("@resvg/resvg-js");
    const { createRequire } = await import("node:module");
    const { resolve } = createRequire(import.meta.url);
    return { Resvg, fontFiles: FONTS.map((name) => resolve(`dejavu-fonts-ttf/ttf/${name}`)) };
  } catch (cause) {
    throw new ColaError(
      "PEER_MISSING",
      "renderPng: PNG files are made by resvg; install it with `npm install @resvg/resvg-js dejavu-fonts-ttf`.",
      { packages: ["@resvg/resvg-js", "dejavu-fonts-ttf"] },
      cause,
    );
  }
}
