import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { useSaid } from "../words/use-said.ts";
import { changeParts, changeText, SIGNS, signOf } from "./words.ts";

interface ChipsProps {
  readonly explanation: Explanation;
  readonly row: ExplainedRow;
  /** Pixels there are. */
  readonly room: number;
}

/** Pixels of a letter and of what is around a chip's text, a little more than they are. */
const [LETTER, AROUND] = [8, 38];

/** The edits that fit; how many more there are is said, and the person's plan has them all. */
export function Chips({ explanation, row, room }: ChipsProps) {
  const { say, locale } = useSaid();
  const { schema } = explanation;
  const texts = row.edits.map((edit) => changeText(schema, edit, locale));
  let left = room - AROUND;
  let fit = texts.findIndex((text, i) => {
    left -= LETTER * text.length + AROUND;
    return left < (i === texts.length - 1 ? 0 : LETTER * say("moreEdits", { count: "99" }).length);
  });
  if (fit < 0) fit = texts.length;
  const shown = Math.max(1, fit);
  const more = texts.length - shown;
  return (
    <>
      {row.edits.slice(0, shown).map((edit, i) => (
        <span key={edit.feature} className={`chip ${signOf(schema, edit)}`} title={texts[i]}>
          <i aria-hidden="true">{SIGNS[signOf(schema, edit)]}</i>
          <Change parts={changeParts(schema, edit, locale)} />
        </span>
      ))}
      {more > 0 ? (
        <span className="more" title={texts.slice(shown).join(", ")}>
          {say("moreEdits", { count: String(more) })}
        </span>
      ) : null}
    </>
  );
}

/** Texts no longer than this need no less room when they are cut. */
const SHORT = 3;
const cutIf = (text: string): string => (text.length > SHORT ? "cut" : "");

/** A change in little room: name and old value are cut first. */
function Change({ parts: { name, from, to } }: { readonly parts: ReturnType<typeof changeParts> }) {
  return (
    <>
      <span className={cutIf(name)}>{name} </span>
      <span className={cutIf(from)}>{from} </span>
      <span className="to">→ {to}</span>
    </>
  );
}
