import { levelText } from "../../show/data-words.ts";
import { fill, formatNumber } from "../../show/sentences.ts";
import { labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Feature, Kind } from "../../src/types.ts";
import { rolesOf } from "../engine/roles.ts";
import { edited, type FeatureEdit, isEmbedded, isEmptyRange } from "../settings.ts";
import type { Studio } from "../studio.ts";
import type { Said } from "../words/said.ts";
import { useSaid } from "../words/use-said.ts";
import { FileButton, Fold, Lock, NumberField } from "./controls.tsx";

const KINDS: readonly Kind[] = ["numeric", "integer", "ordinal", "categorical", "boolean"];
const DIRECTIONS = { "": "either", up: "onlyUp", down: "onlyDown" } as const;

/** What each feature is and what may be done to it. */
export function FeaturesStep({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { data } = studio.state;
  if (!data) return <p className="note">{say("dataFirst")}</p>;
  const own = !isEmbedded(data);
  return (
    <>
      <p className="note">{say("featuresNote")}</p>
      <ul className="features">
        {data.schema.features.map((feature, k) => (
          <FeatureLine
            key={feature.name}
            feature={feature}
            range={data.ranges[k] ?? null}
            own={own}
            studio={studio}
          />
        ))}
      </ul>
      <FileButton accept=".json,application/json" onFile={studio.actions.loadConstraints}>
        {say("loadConstraints")}
      </FileButton>
      {studio.state.rules.length > 0 ? (
        <ul className="notes" aria-label={say("rulesKept")}>
          {studio.state.rules.map((rule) => (
            <li key={rule}>
              {say("ruleKept")} <code>{rule}</code>
            </li>
          ))}
        </ul>
      ) : null}
      <Excluded names={data.exclude ?? []} studio={studio} />
    </>
  );
}

/** Columns that were left out, to be taken back. */
function Excluded({ names, studio }: { readonly names: readonly string[]; readonly studio: Studio }) {
  const { say } = useSaid();
  if (names.length === 0) return null;
  return (
    <ul className="features" aria-label={say("leftOutColumns")}>
      {names.map((name) => (
        <li key={name} className="feature-head">
          <span className="check">{say("isLeftOut", { name })}</span>
          <button type="button" onClick={() => void studio.actions.include(name)}>
            {say("takeBack", { name })}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  readonly feature: Feature;
  readonly range: readonly [number, number] | null;
  readonly own: boolean;
  readonly studio: Studio;
}

function FeatureLine({ feature, range, own, studio }: LineProps) {
  const said = useSaid();
  const { say, locale } = said;
  const now = edited(feature, studio.state.edits);
  const set = (change: FeatureEdit): void => studio.actions.edit(feature.name, change);
  return (
    <li className={now.immutable ? "locked" : ""}>
      <div className="feature-head">
        <label className="check">
          <input
            type="checkbox"
            checked={now.immutable}
            disabled={feature.derived !== undefined}
            onChange={(e) => set({ immutable: e.target.checked })}
          />
          <span>
            <span className="unseen">{say("lockName")} </span>
            {labelOf(feature)} {now.immutable ? <Lock /> : null}
          </span>
        </label>
        <small>{feature.unit ?? ""}</small>
        {feature.derived === undefined ? null : <small>{say("follows")}</small>}
        {own ? (
          <>
            <KindChoice feature={feature} studio={studio} />
            <button
              type="button"
              className="kind"
              aria-label={say("leaveOut", { name: labelOf(feature) })}
              onClick={() => void studio.actions.exclude(feature.name)}
            >
              {say("leaveOutShort")}
            </button>
          </>
        ) : (
          <small className="tag">{locale.words[`kind_${feature.kind}`]}</small>
        )}
      </div>
      {now.immutable ? null : (
        <Fold studio={studio} id={`feature ${feature.name}`} summary={limitsOf(feature, now, said)}>
          <Limits feature={feature} range={range} now={now} set={set} />
        </Fold>
      )}
    </li>
  );
}

interface LimitsProps extends Pick<LineProps, "feature" | "range"> {
  readonly now: FeatureEdit;
  readonly set: (change: FeatureEdit) => void;
}

function Limits({ feature, range, now, set }: LimitsProps) {
  const { say, locale } = useSaid();
  const name = labelOf(feature);
  const ordered = feature.kind !== "categorical" && feature.kind !== "boolean";
  const inData = (value: number): string => say("inData", { value: formatNumber(value, locale) });
  return (
    <div className="limits">
      {range ? (
        <>
          <NumberField
            label={say("smallest", { name })}
            value={now.min}
            step="any"
            placeholder={inData(range[0])}
            onChange={(min) => set({ min: min ?? undefined })}
          />
          <NumberField
            label={say("largest", { name })}
            value={now.max}
            step="any"
            placeholder={inData(range[1])}
            onChange={(max) => set({ max: max ?? undefined })}
          />
          {isEmptyRange(now) ? (
            <p className="wrong" role="alert">
              {say("emptyRange", { name })}
            </p>
          ) : null}
        </>
      ) : (
        <p className="note">
          {levelsOf(feature)
            .slice(0, 12)
            .map((level) => levelText(feature, level, locale))
            .join(", ")}
        </p>
      )}
      {ordered ? (
        <fieldset>
          <legend>{say("direction")}</legend>
          {(["", "up", "down"] as const).map((direction) => (
            <label key={direction} className="check">
              <input
                type="radio"
                name={`direction-${feature.name}`}
                checked={(now.direction ?? "") === direction}
                onChange={() => set({ direction: direction === "" ? undefined : direction })}
              />
              {say(DIRECTIONS[direction])}
            </label>
          ))}
        </fieldset>
      ) : null}
    </div>
  );
}

function limitsOf(feature: Feature, now: FeatureEdit, { say, locale }: Said): string {
  if (feature.derived) return fill(locale.words.derived, { expression: feature.derived });
  const parts = [
    ...(now.min === undefined ? [] : [`≥ ${formatNumber(now.min, locale)}`]),
    ...(now.max === undefined ? [] : [`≤ ${formatNumber(now.max, locale)}`]),
    ...(now.direction ? [say(DIRECTIONS[now.direction])] : []),
  ];
  return parts.length > 0 ? parts.join(locale.numbers.list) : say("freeToChange");
}

function KindChoice({ feature, studio }: { readonly feature: Feature; readonly studio: Studio }) {
  const { say, locale } = useSaid();
  const { data } = studio.state;
  if (!data) return null;
  const kinds = Object.fromEntries(data.schema.features.map((f) => [f.name, f.kind]));
  return (
    <select
      className="kind"
      aria-label={say("kindOf", { name: labelOf(feature) })}
      value={feature.kind}
      onChange={(e) =>
        studio.actions.roles(
          rolesOf({ ...data, kinds: { ...kinds, [feature.name]: e.target.value as Kind } }),
        )
      }
    >
      {KINDS.map((kind) => (
        <option key={kind} value={kind}>
          {locale.words[`kind_${kind}`]}
        </option>
      ))}
    </select>
  );
}
