import { type MouseEvent, useMemo } from "react";
import { percent } from "../../show/sentences.ts";
import { useSaid } from "../words/use-said.ts";
import { useMedia } from "./use-media.ts";

interface Line {
  readonly id: string;
  readonly title: string;
  readonly points: readonly { readonly edits: number; readonly value: number }[];
}

const [WIDE, NARROW, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [640, 320, 270, 52, 40, 26, 16];
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2", "1 2", "12 4"];

/** Effect against the number of edits, as steps; a mark where the budget is. */
export function Curve({
  lines,
  mark,
  yTitle,
  label,
  most,
  onPoint,
}: {
  readonly lines: readonly Line[];
  readonly mark?: number;
  readonly yTitle: string;
  readonly label: string;
  readonly most: number;
  /** A number of edits is chosen on the curve; a slider beside it does the same by keys. */
  readonly onPoint?: (edits: number) => void;
}) {
  const { say } = useSaid();
  // Drawn narrower on a phone, not smaller: letters keep their size.
  const width = useMedia("(max-width: 34rem)") ? NARROW : WIDE;
  const top = useMemo(
    () => lines.reduce((most, line) => line.points.reduce((m, p) => Math.max(m, p.value), most), 1e-9),
    [lines],
  );
  const high = top <= 1 ? 1 : top;
  const x = (edits: number): number => LEFT + ((width - LEFT - RIGHT) * edits) / Math.max(1, most);
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.max(0, value) / high);
  // biome-ignore lint/correctness/useExhaustiveDependencies: x and y follow from these
  const drawn = useMemo(() => lines.map((line) => steps(line, x, y)), [lines, width, most, high]);
  const choose = (e: MouseEvent<SVGSVGElement>): void => {
    const box = e.currentTarget.getBoundingClientRect();
    const share = (((e.clientX - box.left) / box.width) * width - LEFT) / (width - LEFT - RIGHT);
    onPoint?.(Math.round(most * Math.min(1, Math.max(0, share))));
  };
  const at = mark === undefined ? undefined : valueAt(lines[0]?.points ?? [], mark);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the slider beside it does the same by keys
    <svg
      className={`curve ${onPoint ? "chosen" : ""}`}
      onClick={choose}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <line className="grid" x1={LEFT} x2={width - RIGHT} y1={y(share * high)} y2={y(share * high)} />
          <text x={LEFT - 8} y={y(share * high) + 4} textAnchor="end">
            {high === 1 ? percent(share) : (share * high).toPrecision(2)}
          </text>
        </g>
      ))}
      {ticks(most).map((edits) => (
        <text key={edits} x={x(edits)} y={HEIGHT - BOTTOM + 18} textAnchor="middle">
          {edits}
        </text>
      ))}
      <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 4} textAnchor="middle">
        {say("axisEdits")}
      </text>
      <text x={LEFT} y={TOP - 12} className="axis-title">
        {yTitle}
      </text>
      {lines.map((line, i) => (
        <path key={line.id} className={`line line-${i}`} strokeDasharray={DASHES[i]} d={drawn[i]} />
      ))}
      {mark !== undefined && at !== undefined ? (
        <>
          <line className="mark" x1={x(mark)} x2={x(mark)} y1={TOP} y2={HEIGHT - BOTTOM} />
          <circle className="mark-dot" cx={x(mark)} cy={y(at)} r="6" />
        </>
      ) : null}
    </svg>
  );
}

export function dashOf(i: number): string {
  return DASHES[i] ?? "";
}

/** The value of the last point at or before a budget. */
export function valueAt(points: Line["points"], edits: number): number | undefined {
  let found: number | undefined;
  for (const point of points) {
    if (point.edits > edits) break;
    found = point.value;
  }
  return found;
}

/** A line as steps; of points that fall together on the screen the last is drawn. */
function steps({ points }: Line, x: (v: number) => number, y: (v: number) => number): string {
  const drawn: string[] = [];
  points.forEach((p, i) => {
    const at = x(p.edits);
    const next = points[i + 1];
    if (i > 0 && next && Math.round(2 * x(next.edits)) === Math.round(2 * at)) return;
    const [h, v] = [at.toFixed(1), y(p.value).toFixed(1)];
    drawn.push(i === 0 ? `M${h},${v}` : `H${h}V${v}`);
  });
  return drawn.join("");
}

function ticks(most: number): number[] {
  const rough = Math.max(1, most / 6);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * size).find((s) => s >= rough) ?? rough;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
