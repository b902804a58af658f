/** Drawing of two features, a decision surface and rows that move over it, as plain SVG. */

export interface Scene {
  readonly title: string;
  /** Beside the title. */
  readonly note: string;
  readonly caption: string;
  /** Names and ranges of the two features. */
  readonly axes: readonly [Axis, Axis];
  /** Score in [0, 1] at a point. */
  readonly score: (x: number, y: number) => number;
  /** Rows in the background, e.g. references. */
  readonly dots: readonly Point[];
  readonly moves: readonly { readonly from: Point; readonly to: Point | undefined }[];
}

export interface Axis {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

export type Point = readonly [number, number];

const SIZE = { left: 52, top: 44, width: 400, height: 300, bottom: 74, right: 16 } as const;
const CELLS = 48;
/** From far below the edge to far above it. */
const SHADES = [
  "#e8a87c",
  "#eebd9b",
  "#f3d2bb",
  "#f8e7db",
  "#fdf8f4",
  "#f3f7fb",
  "#d9e6f2",
  "#bfd5e9",
  "#a5c4e0",
  "#8bb3d7",
];
const INK = "#22303c";

const px = (v: number): string => String(Number(v.toFixed(1)));

/** The scene as an SVG text; numbers are rounded to a tenth of a pixel. */
export function draw(scene: Scene): string {
  const [across, up] = scene.axes;
  const at = ([x, y]: Point): Point => [
    SIZE.left + ((x - across.low) / (across.high - across.low)) * SIZE.width,
    SIZE.top + (1 - (y - up.low) / (up.high - up.low)) * SIZE.height,
  ];
  const width = SIZE.left + SIZE.width + SIZE.right;
  const height = SIZE.top + SIZE.height + SIZE.bottom;
  const text = (x: number, y: number, size: number, words: string, more = ""): string =>
    `<text x="${px(x)}" y="${px(y)}" font-size="${size}" fill="${INK}"${more}>${escaped(words)}</text>`;
  const frame = `x="${SIZE.left}" y="${SIZE.top}" width="${SIZE.width}" height="${SIZE.height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans, Verdana, sans-serif" role="img" aria-label="${escaped(`${scene.title}: ${scene.caption}`)}">`,
    `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8Z" fill="${INK}"/></marker><clipPath id="plot"><rect ${frame}/></clipPath></defs>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(SIZE.left, 26, 15, scene.title, ' font-weight="bold"'),
    text(SIZE.left + SIZE.width, 26, 11, scene.note, ' text-anchor="end"'),
    surface(scene),
    `<g clip-path="url(#plot)">${edge(scene, at)}${scene.dots.map((p) => circle(at(p), 1.6, "#6b7a88", "none")).join("")}</g>`,
    `<rect ${frame} fill="none" stroke="${INK}"/>`,
    ...scene.moves.flatMap(({ to, from }) => (to ? [arrow(at(from), at(to))] : [])),
    ...scene.moves.map(({ from, to }) => circle(at(from), 4, "#ffffff", to ? "#b4501e" : "#8a8f94")),
    ...scene.moves.flatMap(({ to }) => (to ? [circle(at(to), 4, "#1f5f99", "#ffffff")] : [])),
    ...across.ticks.map((v) =>
      text(at([v, up.low])[0], SIZE.top + SIZE.height + 16, 11, String(v), ' text-anchor="middle"'),
    ),
    ...up.ticks.map((v) =>
      text(SIZE.left - 6, at([across.low, v])[1] + 4, 11, String(v), ' text-anchor="end"'),
    ),
    text(SIZE.left + SIZE.width / 2, SIZE.top + SIZE.height + 34, 12, across.name, ' text-anchor="middle"'),
    text(
      14,
      SIZE.top + SIZE.height / 2,
      12,
      up.name,
      ` text-anchor="middle" transform="rotate(-90 14 ${SIZE.top + SIZE.height / 2})"`,
    ),
    text(SIZE.left, height - 14, 11, scene.caption),
    "</svg>",
    "",
  ].join("\n");
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const circle = ([x, y]: Point, r: number, fill: string, stroke: string): string =>
  `<circle cx="${px(x)}" cy="${px(y)}" r="${r}" fill="${fill}" stroke="${stroke}"${r > 3 ? ' stroke-width="1.6"' : ""}/>`;

/** From just outside the hollow circle to the rim of the filled one. */
function arrow([x0, y0]: Point, [x1, y1]: Point): string {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 10) return "";
  const at = (share: number): string => `${px(x0 + (x1 - x0) * share)}" y`;
  const [start, end] = [4.5 / length, 1 - 5 / length];
  const y = (share: number): string => px(y0 + (y1 - y0) * share);
  return `<line x1="${at(start)}1="${y(start)}" x2="${at(end)}2="${y(end)}" stroke="${INK}" stroke-width="1.2" marker-end="url(#head)"/>`;
}

/** Cells of equal shade in a row are one rectangle. */
function surface({ axes: [across, up], score }: Scene): string {
  const [w, h] = [SIZE.width / CELLS, SIZE.height / CELLS];
  const shade = (c: number, r: number): string => {
    const x = across.low + ((c + 0.5) / CELLS) * (across.high - across.low);
    const y = up.high - ((r + 0.5) / CELLS) * (up.high - up.low);
    return SHADES[Math.min(SHADES.length - 1, Math.max(0, Math.floor(score(x, y) * SHADES.length)))]!;
  };
  const parts: string[] = [];
  for (let r = 0; r < CELLS; r++) {
    for (let c = 0; c < CELLS; ) {
      const fill = shade(c, r);
      let end = c;
      while (end < CELLS && shade(end, r) === fill) end++;
      parts.push(
        `<rect x="${px(SIZE.left + c * w)}" y="${px(SIZE.top + r * h)}" width="${px((end - c) * w)}" height="${px(h + 0.3)}" fill="${fill}"/>`,
      );
      c = end;
    }
  }
  return `<g shape-rendering="crispEdges">${parts.join("")}</g>`;
}

/** The line on which the score is one half, by marching squares. */
function edge({ axes: [across, up], score }: Scene, at: (p: Point) => Point): string {
  const corner = (c: number, r: number): Point => [
    across.low + (c / CELLS) * (across.high - across.low),
    up.low + (r / CELLS) * (up.high - up.low),
  ];
  const above = (p: Point): number => score(p[0], p[1]) - 0.5;
  const parts: string[] = [];
  for (let r = 0; r < CELLS; r++) {
    for (let c = 0; c < CELLS; c++) {
      const corners = [corner(c, r), corner(c + 1, r), corner(c + 1, r + 1), corner(c, r + 1)];
      const crossings = corners.flatMap((p, t) => {
        const q = corners[(t + 1) % 4]!;
        const [a, b] = [above(p), above(q)];
        if (a > 0 === b > 0) return [];
        const share = a / (a - b);
        return [at([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])])];
      });
      for (let t = 0; t + 1 < crossings.length; t += 2) {
        const [p, q] = [crossings[t]!, crossings[t + 1]!];
        parts.push(`M${px(p[0])} ${px(p[1])}L${px(q[0])} ${px(q[1])}`);
      }
    }
  }
  return `<path d="${parts.join("")}" stroke="${INK}" stroke-width="1.6" stroke-dasharray="5 3" fill="none"/>`;
}
