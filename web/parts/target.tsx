import { dataWord } from "../../show/data-words.ts";
import { percent } from "../../show/sentences.ts";
import { isEmbedded } from "../settings.ts";
import { outputsOf } from "../state/ready.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

/** Classes that are shown with their rows. */
const LISTED = 12;

/** What should be reached: one of the classes, each with how often it occurs, or something else in words. */
export function TargetField({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { choices } = studio.state;
  const outputs = outputsOf(studio.state);
  return (
    <>
      {outputs.length > 1 && outputs.length <= LISTED ? <Classes studio={studio} outputs={outputs} /> : null}
      <div className="field">
        <label htmlFor="target">{say("target")}</label>
        <input
          id="target"
          list="targets"
          value={choices.target}
          placeholder={outputs.length > 1 ? String(outputs.at(-1)) : "score > 0.5"}
          onChange={(e) => studio.actions.choose({ target: e.target.value })}
        />
        <datalist id="targets">
          {[...outputs.slice(0, 30).flatMap((name) => [name, `not ${name}`]), "score >= 0.7"].map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
        <p className="hint">{say("targetHint")}</p>
      </div>
    </>
  );
}

function Classes({ studio, outputs }: { readonly studio: Studio; readonly outputs: readonly string[] }) {
  const { say, count, locale } = useSaid();
  const { choices, data } = studio.state;
  const rows = data?.rows ?? 0;
  const wanted = choices.target === "" && data && isEmbedded(data) ? outputs.at(-1) : choices.target;
  return (
    <fieldset className="classes">
      <legend>{say("wantedClass")}</legend>
      {outputs.map((name) => {
        const at = data?.classes?.indexOf(name) ?? -1;
        const own = at < 0 ? undefined : data?.counts?.[at];
        return (
          <label key={name} className="check">
            <input
              type="radio"
              name="wanted"
              checked={wanted === name}
              onChange={() => studio.actions.choose({ target: name })}
            />
            <span>{dataWord(name, locale)}</span>
            {own === undefined ? null : (
              <>
                <meter
                  min={0}
                  max={1}
                  value={own / rows}
                  aria-label={say("shareOfClass", { name: dataWord(name, locale) })}
                />
                <small>
                  {count(own)} · {percent(own / rows)}
                </small>
              </>
            )}
          </label>
        );
      })}
    </fieldset>
  );
}
