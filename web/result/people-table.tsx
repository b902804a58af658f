// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows that are not in sight
// biome-ignore-all lint/suspicious/noArrayIndexKey: columns keep their place
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { formatCell } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Chips } from "./edit-chips.tsx";
import { usePrinting } from "./use-printing.ts";
import { markOf, personName, SIGNS, scoreText, signOf, statusWords } from "./words.ts";

/** People on paper; the report has everybody. */
const PRINTED = 1000;
/** Rows drawn above and below what is seen. */
const SPARE = 6;

interface Props {
  /** Under which its place is found again. */
  readonly id: string;
  readonly studio: Studio;
  readonly explanation: Explanation;
  readonly count: number;
  readonly rowAt: (position: number) => ExplainedRow;
  /** −1 for none. */
  readonly selected: number;
  readonly onSelect: (position: number) => void;
  readonly view: "changes" | "all";
  readonly label: string;
}

/** People and their edits. Only the rows in sight are in the page, so ten thousand scroll as ten do. */
export function PeopleTable(props: Props) {
  const { id, studio, explanation, count, rowAt, selected, onSelect, view, label } = props;
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600, width: 900, scale: 1 });
  const width = seen.width / seen.scale;
  const stacked = view === "changes" && width < STACKED_BELOW;
  const height = (stacked ? 80 : 46) * seen.scale;
  const room = stacked ? width : width - FIRST_COLUMNS;
  const frame = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is found when the table comes and kept when it goes
  useLayoutEffect(() => {
    const it = box.current!;
    it.scrollTop = studio.state.view.scrolled[id] ?? 0;
    const measure = (): void => setSeen(seenOf(it));
    const watch = new ResizeObserver(measure);
    watch.observe(it);
    const { of } = studio.state.view;
    return () => {
      watch.disconnect();
      studio.send({ type: "scrolled", of, id, top: it.scrollTop });
    };
  }, [id]);
  useEffect(() => {
    const it = box.current!;
    if (selected < 0) return;
    const [top, bottom] = [selected * height, (selected + 1) * height];
    const below = it.clientHeight - HEAD * seen.scale;
    if (top < it.scrollTop) it.scrollTop = top;
    else if (bottom > it.scrollTop + below) it.scrollTop = bottom - below;
  }, [selected, height, seen.scale]);
  const printing = usePrinting();
  const first = printing ? 0 : Math.max(0, Math.floor(seen.top / height) - SPARE);
  const last = Math.min(count, printing ? PRINTED : Math.ceil((seen.top + seen.height) / height) + SPARE);
  const onKeyDown = (e: KeyboardEvent): void => {
    const to = steppedTo(e.key, selected, count, Math.max(1, Math.floor(seen.height / height) - 1));
    if (to === undefined) return;
    e.preventDefault();
    onSelect(to);
  };
  const shown = selected >= first && selected < last;
  return (
    <div
      ref={box}
      className={`people ${view} ${stacked ? "stacked" : ""}`}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      aria-activedescendant={shown ? `person-${selected}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={() => {
        cancelAnimationFrame(frame.current);
        frame.current = requestAnimationFrame(() => {
          if (box.current) setSeen(seenOf(box.current));
        });
      }}
    >
      <Head explanation={explanation} view={view} />
      <div role="rowgroup" className="people-body" style={printing ? {} : { height: count * height }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => (
          <Person
            key={first + i}
            explanation={explanation}
            row={rowAt(first + i)}
            position={first + i}
            top={printing ? null : (first + i) * height}
            height={height}
            chosen={first + i === selected}
            view={view}
            room={room}
            onSelect={onSelect}
          />
        ))}
      </div>
    </div>
  );
}

/** The person whom a key leads to, where it leads anywhere. */
function steppedTo(key: string, selected: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: selected + 1,
    ArrowUp: selected - 1,
    PageDown: selected + page,
    PageUp: selected - page,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, to));
}

/** Height of the head row. */
const HEAD = 38;
/** Below this width the edits stand under the person. */
const STACKED_BELOW = 620;
/** Width of person and scores. */
const FIRST_COLUMNS = 330;

/** Lengths are of letters of 16 pixels; `scale`: how much larger they are here. */
function seenOf({ scrollTop, clientHeight, clientWidth }: HTMLElement) {
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  return { top: scrollTop, height: clientHeight, width: clientWidth, scale };
}

function Head({ explanation, view }: Pick<Props, "explanation" | "view">) {
  const { say } = useSaid();
  const names = view === "changes" ? [say("whatWouldChange")] : explanation.schema.features.map(labelOf);
  return (
    <div role="rowgroup" className="people-head">
      <div role="row" className="person head" aria-rowindex={1} tabIndex={-1}>
        {[say("person"), say("before"), say("after"), ...names].map((name, k) => (
          <span
            role="columnheader"
            key={k}
            className={COLUMNS[k] ?? (view === "all" ? "value" : "edits")}
            tabIndex={-1}
          >
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

const COLUMNS = ["name", "score", "score"];

interface PersonProps extends Pick<Props, "explanation" | "view" | "onSelect"> {
  readonly row: ExplainedRow;
  readonly position: number;
  /** null: below the one before. */
  readonly top: number | null;
  readonly height: number;
  readonly chosen: boolean;
  /** Pixels for the edits. */
  readonly room: number;
}

function Person({ explanation, row, position, top, height, chosen, view, room, onSelect }: PersonProps) {
  const { say, locale } = useSaid();
  const mark = markOf(explanation, row);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
    <div
      role="row"
      id={`person-${position}`}
      className="person"
      aria-rowindex={position + 2}
      aria-selected={chosen}
      tabIndex={-1}
      style={top === null ? { minHeight: height } : { transform: `translateY(${top}px)`, height }}
      onClick={() => onSelect(position)}
    >
      <Cell className="name" title={personName(row, locale)}>
        {inMiddle(personName(row, locale))}
      </Cell>
      <Cell className="score">{scoreText(explanation, row.before, locale)}</Cell>
      <Cell className={`score ${mark}`}>
        {scoreText(explanation, row.after, locale)}
        <span aria-hidden="true">{MARKS[mark]}</span>
        <span className="unseen">{say(mark === "moved" ? "withTheGroup" : statusWords(row))}</span>
      </Cell>
      {view === "changes" ? (
        <Cell className="edits">
          {row.edits.length === 0 ? (
            <em>{row.valid || mark === "moved" ? say("nothing") : say(statusWords(row))}</em>
          ) : null}
          <Chips explanation={explanation} row={row} room={room} />
        </Cell>
      ) : (
        <Values explanation={explanation} row={row} />
      )}
    </div>
  );
}

/** Letters of a name that have room, and those kept at its end, where names of one list differ. */
const [NAME, TAIL] = [14, 7];

const inMiddle = (name: string): string =>
  name.length > NAME ? `${name.slice(0, NAME - TAIL - 1)}…${name.slice(-TAIL)}` : name;

const MARKS = { good: " ✓", bad: " ✗", moved: "" } as const;

interface CellProps {
  readonly className: string;
  readonly title?: string;
  readonly children: ReactNode;
}

function Cell({ className, title, children }: CellProps) {
  return (
    <span role="gridcell" className={className} tabIndex={-1} title={title}>
      {children}
    </span>
  );
}

function Values({ explanation, row }: { readonly explanation: Explanation; readonly row: ExplainedRow }) {
  const { locale } = useSaid();
  const edits = new Map(row.edits.map((edit) => [edit.feature, edit]));
  return explanation.schema.features.map((feature, k) => {
    const edit = edits.get(feature.name);
    const sign = edit && signOf(explanation.schema, edit);
    return (
      <Cell key={feature.name} className={`value ${sign ?? ""}`}>
        {edit && sign ? (
          <>
            <s>{formatCell(edit.from, locale)}</s> <i aria-hidden="true">{SIGNS[sign]}</i>{" "}
            <b>{formatCell(edit.to, locale)}</b>
          </>
        ) : (
          formatCell(row.x[k] ?? null, locale)
        )}
      </Cell>
    );
  });
}
