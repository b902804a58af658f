import { levelText } from "../../show/data-words.ts";
import { hasLevels, labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Feature } from "../../src/types.ts";
import { isEmbedded } from "../settings.ts";
import { whyNot } from "../state/ready.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Fold } from "./controls.tsx";

/** Explains one person alone: a row of the table by its name, a row that is pasted, or one that is filled in. */
export function PersonStep({ studio }: { readonly studio: Studio }) {
  const { say, tell } = useSaid();
  const { state, send, actions } = studio;
  const { data, applicant, busy, run } = state;
  if (!data) return null;
  const why = whyNot(state);
  const off = why !== null || busy !== null || run !== null;
  const change = (to: Partial<typeof applicant>): void => send({ type: "applicant", change: to });
  const filled = Object.values(applicant.cells).some((cell) => cell !== "");
  return (
    <>
      <p className="note">{say("oneNote")}</p>
      {why ? <p className="wrong">{tell(why)}</p> : null}
      {state.loadedModel && isEmbedded(data) && state.loadedModel.match?.wrong ? (
        <button type="button" onClick={() => void actions.alone()}>
          {say("noTable")}
        </button>
      ) : null}
      <form
        className="row"
        onSubmit={(e) => {
          e.preventDefault();
          if (!off && applicant.id.trim() !== "") void actions.explainOne({ id: applicant.id });
        }}
      >
        <div className="field grow">
          <label htmlFor="one-id">{say(data.id ? "oneById" : "oneByNumber")}</label>
          <input id="one-id" value={applicant.id} onChange={(e) => change({ id: e.target.value })} />
        </div>
        <button type="submit" disabled={off || applicant.id.trim() === ""}>
          {say("explainId")}
        </button>
        {applicant.id.trim() === "" ? <span className="hint">{say("idFirst")}</span> : null}
      </form>
      <div className="field">
        <label htmlFor="one-row">{say("pasteRow")}</label>
        <textarea
          id="one-row"
          rows={2}
          value={applicant.text}
          onChange={(e) => change({ text: e.target.value })}
        />
        <button
          type="button"
          disabled={applicant.text.trim() === ""}
          onClick={() => actions.paste(applicant.text)}
        >
          {say("fillForm")}
        </button>
        {applicant.text.trim() === "" ? <span className="hint">{say("rowFirst")}</span> : null}
      </div>
      <Fold studio={studio} id="form of one" summary={say("fillIn")}>
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            if (!off) void actions.explainOne({ cells: applicant.cells, name: say("applicantName") });
          }}
        >
          {data.schema.features
            .filter(({ derived }) => derived === undefined)
            .map((feature) => (
              <Cell
                key={feature.name}
                feature={feature}
                value={applicant.cells[feature.name] ?? ""}
                onChange={(value) => change({ cells: { ...applicant.cells, [feature.name]: value } })}
              />
            ))}
          <button type="submit" className="primary" disabled={off || !filled}>
            {say("explainOne")}
          </button>
          {filled ? null : <span className="hint">{say("valueFirst")}</span>}
        </form>
      </Fold>
    </>
  );
}

interface CellProps {
  readonly feature: Feature;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Cell({ feature, value, onChange }: CellProps) {
  const { say, locale } = useSaid();
  const id = `one ${feature.name}`;
  const { unit, min, max, kind } = feature;
  return (
    <div className="field">
      <label htmlFor={id}>
        {labelOf(feature)} {unit ? <small>{unit}</small> : null}
      </label>
      {hasLevels(feature) ? (
        <select id={id} value={value} onChange={(e) => onChange(e.target.value)}>
          <option value="">{say("notKnown")}</option>
          {levelsOf(feature).map((level) => (
            <option key={level} value={level}>
              {levelText(feature, level, locale)}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="number"
          step={kind === "integer" ? 1 : "any"}
          min={min}
          max={max}
          placeholder={say("notKnown")}
          value={value}
          onChange={(e) => onChange(e.target.value)}
        />
      )}
    </div>
  );
}
