import { useId } from "react";
import { formatCell } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation, SafeValues } from "../../src/explanation.ts";
import type { Cell, Feature } from "../../src/types.ts";
import type { LegalValues } from "../engine/protocol.ts";
import { Lock } from "../parts/controls.tsx";
import type { ShownPlan } from "../state/plans.ts";
import { curveKey, type PersonView } from "../state/play.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Dependence } from "./dependence.tsx";
import type { PartProps } from "./part.ts";
import { Control } from "./value-control.tsx";

interface Props extends PartProps {
  readonly person: PersonView;
  readonly plan: ShownPlan | undefined;
}

/** Every feature with its permitted values: try one, and the model answers. */
export function WhatIf({ studio, result, person, plan }: Props) {
  const { say, tell } = useSaid();
  const { explanation, live, why } = result;
  const { position, play, past, legal, tried } = person;
  const { undo, reset } = studio.actions;
  const own = explanation.rows[position]!.x;
  if (!live) return why ? <p className="note">{tell(why)}</p> : null;
  const wrong = tried?.values === play.values ? tried.is.wrong : [];
  const untouched = Object.keys(play.values).length + Object.keys(play.difficulty).length === 0;
  return (
    <>
      <h4>{say("whatIf")}</h4>
      <div className="row">
        <button type="button" disabled={past.length === 0} onClick={undo}>
          {say("undo")}
        </button>
        <button type="button" disabled={untouched} onClick={reset}>
          {say("reset")}
        </button>
        {untouched && past.length === 0 ? <span className="hint">{say("nothingTried")}</span> : null}
      </div>
      {wrong.map((problem) => (
        <p key={problem} className="wrong">
          {say("notPermitted", { problem })}
        </p>
      ))}
      <ul className="tries">
        {explanation.schema.features.map((feature, k) => {
          const range = plan?.ranges?.find((one) => one.feature === feature.name);
          const ways = legal?.find((one) => one.feature === feature.name);
          return (
            <Try
              key={feature.name}
              studio={studio}
              explanation={explanation}
              feature={feature}
              own={own[k] ?? null}
              person={person}
              {...(ways ? { legal: ways } : {})}
              {...(range ? { range } : {})}
            />
          );
        })}
      </ul>
    </>
  );
}

interface TryProps {
  readonly studio: Studio;
  readonly explanation: Explanation;
  readonly feature: Feature;
  readonly own: Cell;
  readonly person: PersonView;
  readonly legal?: LegalValues;
  readonly range?: SafeValues;
}

function Try({ studio, explanation, feature, own, person, legal, range }: TryProps) {
  const { say, locale } = useSaid();
  const id = useId();
  const { play, tried } = person;
  const { name } = feature;
  const derived = feature.derived === undefined ? undefined : tried?.is.derived[name];
  const value = derived ?? (Object.hasOwn(play.values, name) ? play.values[name]! : own);
  const unit = feature.unit ? ` ${feature.unit}` : "";
  const changed = value !== own;
  const open = legal?.open === true && feature.derived === undefined;
  return (
    <li className={changed ? "changed" : ""}>
      <span className="try-head">
        <label htmlFor={id}>
          {labelOf(feature)} {open ? null : <Lock />}
        </label>
        {feature.derived === undefined ? (
          <CurveButton studio={studio} feature={feature} shown={person.curve === name} />
        ) : null}
      </span>
      <output htmlFor={id}>
        {changed ? <s>{formatCell(own, locale)}</s> : null} {formatCell(value, locale)}
        {unit}
      </output>
      {legal && open ? (
        <Control
          id={id}
          studio={studio}
          feature={feature}
          legal={legal}
          value={value}
          {...(range ? { range } : {})}
        />
      ) : (
        <p id={id} className="hint">
          {say(feature.derived === undefined ? "staysAsItIs" : "follows")}
        </p>
      )}
      {open || play.difficulty[name] ? <HowHard studio={studio} feature={feature} person={person} /> : null}
      {feature.derived === undefined && person.curve === name ? (
        <CurveOf
          explanation={explanation}
          feature={feature}
          person={person}
          own={own}
          {...(range ? { range } : {})}
        />
      ) : null}
    </li>
  );
}

function CurveButton({
  studio,
  feature,
  shown,
}: Pick<TryProps, "studio" | "feature"> & { readonly shown: boolean }) {
  const { say } = useSaid();
  return (
    <button
      type="button"
      className="link"
      aria-expanded={shown}
      onClick={() => studio.actions.curve(shown ? null : feature.name)}
    >
      {say("curveButton")}
      <span className="unseen"> {labelOf(feature)}</span>
    </button>
  );
}

/** How the score depends on the feature, where somebody asked. */
function CurveOf({ explanation, feature, own, person, range }: Omit<TryProps, "studio" | "legal">) {
  const told = person.curves[curveKey(feature.name, person.play.values)];
  if (!told) return null;
  // The point is what the model answered last: value and score belong together.
  const { tried } = person;
  const value = tried?.values[feature.name] ?? own;
  const score = tried ? tried.is.score : explanation.rows[person.position]!.before;
  return (
    <div className="curve-of">
      <Dependence
        explanation={explanation}
        feature={feature}
        told={told}
        value={value}
        score={score}
        {...(range ? { range } : {})}
      />
    </div>
  );
}

const HOW = ["easy", "hard", "never"] as const;

function HowHard({ studio, feature, person }: Pick<TryProps, "studio" | "feature" | "person">) {
  const { say } = useSaid();
  return (
    <select
      className="how"
      aria-label={say("howHard", { name: labelOf(feature) })}
      value={person.play.difficulty[feature.name] ?? ""}
      onChange={(e) =>
        studio.actions.difficulty(feature.name, HOW.find((one) => one === e.target.value) ?? null)
      }
    >
      <option value="">{say("difficulty_usual")}</option>
      {HOW.map((how) => (
        <option key={how} value={how}>
          {say(`difficulty_${how}`)}
        </option>
      ))}
    </select>
  );
}
