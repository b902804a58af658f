import type { InputSpec } from "../../src/data/binding.ts";
import { hasLevels, labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Feature } from "../../src/types.ts";
import { type Match, NOT_CHOSEN } from "../engine/protocol.ts";
import { save } from "../result/save.ts";
import { isEmbedded } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { inPageWords } from "../words/page-words.ts";
import { useSaid } from "../words/use-said.ts";
import { FileButton, NumberField, Scroll } from "./controls.tsx";

interface Props {
  readonly studio: Studio;
  readonly match: Match;
}

/** Every input of a model file with the column it is made of; what is chosen can be saved as an encoding file. */
export function MatchPanel({ studio, match }: Props) {
  const { say } = useSaid();
  const { actions } = studio;
  const { schema, gaps = [] } = studio.state.data!;
  const { features } = schema;
  const found = match.inputs.filter(({ spec }) => spec).length;
  const hasGap = (spec: InputSpec | null): boolean => spec !== null && gaps.includes(spec.feature);
  // What stands for a gap may have to be said of inputs that somebody matched.
  const asks =
    match.chosen &&
    match.inputs.some(({ spec }) => hasGap(spec) && spec?.level === undefined && spec?.missing === undefined);
  const counts = { found: String(found), all: String(match.inputs.length) };
  const change = (at: number, spec: InputSpec): void => {
    const inputs = match.inputs.map((one, i) => (i === at ? spec : (one.spec ?? NOT_CHOSEN)));
    void actions.match({ encoding: { inputs } });
  };
  return (
    <section className="match" aria-label={say("inputs")}>
      <p className={match.wrong ? "wrong" : "note"}>
        {say(match.wrong ? "inputsUnmatched" : "inputsMatched", counts)}
      </p>
      {match.wrong ? <WhatIsWrong message={match.wrong} /> : null}
      {match.wrong && isEmbedded(studio.state.data!) ? (
        <button type="button" onClick={() => void actions.alone()}>
          {say("noTable")}
        </button>
      ) : null}
      <details open={match.wrong !== null || asks}>
        <summary>{say("inputsAndColumns")}</summary>
        <Scroll label={say("inputsAndColumns")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{say("input")}</th>
                <th scope="col">{say("madeOf")}</th>
              </tr>
            </thead>
            <tbody>
              {match.inputs.map(({ name, spec }, i) => (
                <InputLine
                  key={name}
                  name={name}
                  spec={spec}
                  features={features}
                  gap={hasGap(spec)}
                  onChange={(to) => change(i, to)}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      </details>
      <div className="row">
        <FileButton accept=".json,application/json" onFile={actions.loadEncoding}>
          {say("loadEncoding")}
        </FileButton>
        <button type="button" disabled={found < match.inputs.length} onClick={() => saveEncoding(match)}>
          {say("saveEncoding")}
        </button>
        {match.chosen ? (
          <button type="button" onClick={() => actions.match({ encoding: null })}>
            {say("byNames")}
          </button>
        ) : null}
      </div>
    </section>
  );
}

/** The first sentence says what is wrong; the rest repeats what the table below shows. */
function WhatIsWrong({ message }: { readonly message: string }) {
  const { tell } = useSaid();
  return (
    <p className="wrong">
      {tell(inPageWords(message))
        .split(/[;\n]/)[0]!
        .replace(/^binding: /, "")}
      .
    </p>
  );
}

function saveEncoding({ inputs }: Match): void {
  const document = { inputs: inputs.flatMap(({ spec }) => (spec ? [spec] : [])) };
  const bytes = new TextEncoder().encode(`${JSON.stringify(document, null, 1)}\n`);
  void save({ name: "encoding.json", type: "application/json", bytes });
}

interface LineProps {
  readonly name: string;
  readonly spec: InputSpec | null;
  readonly features: readonly Feature[];
  /** Some row has no value in the column. */
  readonly gap: boolean;
  readonly onChange: (spec: InputSpec) => void;
}

function InputLine({ name, spec, features, gap, onChange }: LineProps) {
  const { say } = useSaid();
  const feature = features.find((one) => one.name === spec?.feature);
  const levels = feature && hasLevels(feature) ? levelsOf(feature) : [];
  const { mean, scale } = spec ?? {};
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <select
          aria-label={say("columnOfInput", { name })}
          value={spec?.feature ?? ""}
          onChange={(e) => onChange({ feature: e.target.value })}
        >
          {feature ? null : <option value={spec?.feature ?? ""}>{say("chooseColumn")}</option>}
          {features.map((one) => (
            <option key={one.name} value={one.name}>
              {labelOf(one)}
            </option>
          ))}
        </select>
        {spec && levels.length > 0 ? (
          <Levels name={name} spec={spec} levels={levels} onChange={onChange} />
        ) : null}
        {spec && gap && spec.level === undefined ? (
          <NumberField
            label={say("gapIs")}
            value={spec.missing}
            step="any"
            placeholder={say("gapStays")}
            onChange={(missing) => {
              const { missing: _, ...others } = spec;
              onChange(missing === null ? others : { ...others, missing });
            }}
          />
        ) : null}
        {mean !== undefined || scale !== undefined ? (
          <small>{say("standardised", { mean: String(mean ?? 0), scale: String(scale ?? 1) })}</small>
        ) : null}
      </td>
    </tr>
  );
}

/** 1 where the column has a level, or a number for each level. */
function Levels({
  name,
  spec,
  levels,
  onChange,
}: Omit<LineProps, "features" | "gap" | "spec"> & {
  readonly spec: InputSpec;
  readonly levels: readonly string[];
}) {
  const { say } = useSaid();
  const { feature, level, codes } = spec;
  const byPlace = Object.fromEntries(levels.map((one, i) => [one, i]));
  return (
    <>
      <select
        aria-label={say("levelOfInput", { name })}
        value={level ?? ""}
        onChange={(e) =>
          onChange(e.target.value === "" ? { feature, codes: byPlace } : { feature, level: e.target.value })
        }
      >
        <option value="">{say("codeOfLevel")}</option>
        {levels.map((one) => (
          <option key={one} value={one}>
            {say("oneWhere", { level: one })}
          </option>
        ))}
      </select>
      {level === undefined ? (
        <span className="codes">
          {levels.map((one, i) => (
            <label key={one}>
              <span>{one}</span>
              <input
                type="number"
                value={codes?.[one] ?? i}
                onChange={(e) =>
                  onChange({ feature, codes: { ...byPlace, ...codes, [one]: Number(e.target.value) } })
                }
              />
            </label>
          ))}
        </span>
      ) : null}
    </>
  );
}
