import { useEffect, useRef } from "react";
import { letterSize } from "../../show/letter/size.ts";
import { capital } from "../../show/sentences.ts";
import { Select } from "../parts/controls.tsx";
import type { LetterView } from "../state/view.ts";
import type { Studio } from "../studio.ts";
import { languages } from "../words/said.ts";
import { useSaid } from "../words/use-said.ts";

/** The letter for one person as it will be printed, or why there is none. */
export function LetterPanel({ studio, letter }: { readonly studio: Studio; readonly letter: LetterView }) {
  const { say, tell } = useSaid();
  const { actions, send } = studio;
  const { made, trouble, language, sender } = letter;
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (box.current && !box.current.open) box.current.showModal();
  }, []);
  const close = (): void => send({ type: "letter", letter: null });
  return (
    <dialog ref={box} className="letter" aria-label={say("letter")} onClose={close}>
      <div className="row no-print">
        <Select
          label={say("letterLanguage")}
          value={language}
          options={Object.entries(languages).map(([tag, { title }]) => [tag, title] as const)}
          onChange={(tag) => void actions.letter({ language: tag })}
        />
        <div className="field">
          <label htmlFor="sender">{say("sender")}</label>
          <input
            id="sender"
            value={sender}
            onChange={(e) => void actions.letter({ sender: e.target.value })}
          />
        </div>
        <button type="button" disabled={!made} onClick={() => print()}>
          {say("print")}
        </button>
        <button type="button" disabled={!made} onClick={() => void actions.saveLetter()}>
          {say("saveLetter")}
        </button>
        <button type="button" className="quiet" onClick={() => box.current?.close()}>
          {say("close")}
        </button>
      </div>
      {trouble ? (
        <p className="wrong" role="alert">
          {capital(tell(trouble).replace(/^letter: /, ""))}
        </p>
      ) : null}
      {made ? <Page letter={made.letter} /> : null}
    </dialog>
  );
}

function Page({ letter }: { readonly letter: NonNullable<LetterView["made"]>["letter"] }) {
  const { lang, title, sender, about, date, parts, sign, code, basis, made } = letter;
  return (
    <article lang={lang} className={`letter-page ${letterSize(letter)}`}>
      <header>
        {sender ? <p className="sender">{sender}</p> : null}
        <h2>{title}</h2>
        <p>
          {about[0]} <b>{about[1]}</b> · {date[0]} <b>{date[1]}</b>
        </p>
      </header>
      {parts.map(({ kind, heading, before, items, after }) => (
        <section key={kind} className={`letter-${kind}`}>
          <h3>{heading}</h3>
          {before.map((text) => (
            <p key={text}>{text}</p>
          ))}
          {items.length > 0 ? (
            <ol>
              {items.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ol>
          ) : null}
          {after.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </section>
      ))}
      <div className="sign">
        {sign.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <footer>
        <p>
          {code[0]}: <b>{code[1]}</b>. {code[2]}
        </p>
        {basis.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p>{made}</p>
      </footer>
    </article>
  );
}
