import type { FigureSpec } from "../figures/contract.ts";
import { untitled } from "../figures/frame.ts";
import { renderSvg } from "../figures/svg.ts";
import { Html, html } from "./html.ts";

/** How much larger than drawn a figure may be shown. */
const ZOOM = 1.1;

/** A figure with its heading and note; wide ones scroll sideways where the page is narrow, others shrink. */
export async function figureHtml(spec: FigureSpec, note: string, wide = false): Promise<Html> {
  const { title } = spec;
  const svg = await renderSvg(untitled(spec));
  const drawn = new Html(
    svg.replace(
      /^<svg([^>]*?)width="([\d.]+)" height="([\d.]+)"/,
      (_, before: string, width: string, height: string) => {
        const zoom = wide ? 1 : ZOOM;
        const [w, h] = [Math.round(zoom * Number(width)), Math.round(zoom * Number(height))];
        return `${html`<svg role="img" aria-label="${spec.description}" `}${before}width="${w}" height="${h}"`;
      },
    ),
  );
  const shown = wide
    ? html`<div class="scroll" tabindex="0" role="region" aria-label="${title}">${drawn}</div>`
    : drawn;
  return html`<figure class="figure${wide && " wide"}"><figcaption><h3>${title}</h3><p class="note">${note}</p></figcaption>${shown}</figure>`;
}
