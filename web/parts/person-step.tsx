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
  const { state, actions } = studio;
  const { data, busy, run, loadedModel } = state;
  if (!data) return null;
  const why = whyNot(state);
  const off = why !== null || busy !== null || run !== null;
  return (
    <>
      <p className="note">{say("oneNote")}</p>
      {why ? <p className="wrong">{tell(why)}</p> : null}
      {loadedModel && isEmbedded(data) && loadedModel.match?.wrong ? (
        <button type="button" onClick={() => void actions.alone()}>
          {say("noTable")}
        </button>
      ) : null}
      <ById studio={studio} off={off} byName={Boolean(data.id)} />
      <Pasted studio={studio} />
      <Fold studio={studio} id="form of one" summary={say("fillIn")}>
        <FilledIn studio={studio} off={off} features={data.schema.features} />
      </Fold>
    </>
  );
}

interface WayProps {
  readonly studio: Studio;
  /** Nobody can be explained now. */
  readonly off: boolean;
}

function ById({ studio, off, byName }: WayProps & { readonly byName: boolean }) {
  const { say } = useSaid();
  const { state, send, actions } = studio;
  const { id } = state.applicant;
  const empty = id.trim() === "";
  return (
    <form
      className="row"
      onSubmit={(e) => {
        e.preventDefault();
        if (!off && !empty) void actions.explainOne({ id });
      }}
    >
      <div className="field grow">
        <label htmlFor="one-id">{say(byName ? "oneById" : "oneByNumber")}</label>
        <input
          id="one-id"
          value={id}
          onChange={(e) => send({ type: "applicant", change: { id: e.target.value } })}
        />
      </div>
      <button type="submit" disabled={off || empty}>
        {say("explainId")}
      </button>
      {empty ? <span className="hint">{say("idFirst")}</span> : null}
    </form>
  );
}

function Pasted({ studio }: Pick<WayProps, "studio">) {
  const { say } = useSaid();
  const { state, send, actions } = studio;
  const { text } = state.applicant;
  const empty = text.trim() === "";
  return (
    <div className="field">
      <label htmlFor="one-row">{say("pasteRow")}</label>
      <textarea
        id="one-row"
        rows={2}
        value={text}
        onChange={(e) => send({ type: "applicant", change: { text: e.target.value } })}
      />
      <button type="button" disabled={empty} onClick={() => actions.paste(text)}>
        {say("fillForm")}
      </button>
      {empty ? <span className="hint">{say("rowFirst")}</span> : null}
    </div>
  );
}

function FilledIn({ studio, off, features }: WayProps & { readonly features: readonly Feature[] }) {
  const { say } = useSaid();
  const { state, send, actions } = studio;
  const { cells } = state.applicant;
  const filled = Object.values(cells).some((cell) => cell !== "");
  return (
    <form
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        if (!off) void actions.explainOne({ cells, name: say("applicantName") });
      }}
    >
      {features
        .filter(({ derived }) => derived === undefined)
        .map((feature) => (
          <Cell
            key={feature.name}
            feature={feature}
            value={cells[feature.name] ?? ""}
            onChange={(value) =>
              send({ type: "applicant", change: { cells: { ...cells, [feature.name]: value } } })
            }
          />
        ))}
      <button type="submit" className="primary" disabled={off || !filled}>
        {say("explainOne")}
      </button>
      {filled ? null : <span className="hint">{say("valueFirst")}</span>}
    </form>
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
