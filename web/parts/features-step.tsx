import { formatNumber } from "../../show/sentences.ts";
import { labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Feature, Kind } from "../../src/types.ts";
import { edited, isEmptyRange } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { Lock, NumberField } from "./controls.tsx";

const KINDS: readonly Kind[] = ["numeric", "integer", "ordinal", "categorical", "boolean"];

/** What each feature is and what may be done to it. */
export function FeaturesStep({ studio }: { readonly studio: Studio }) {
  const { data } = studio;
  if (!data) return <p className="note">Choose data first.</p>;
  const own = !data.source.includes("embedded");
  return (
    <>
      <p className="note">
        Locked features never change. Ranges and directions bind the plans, not the rows as they are.
      </p>
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
    </>
  );
}

interface LineProps {
  readonly feature: Feature;
  readonly range: readonly [number, number] | null;
  readonly own: boolean;
  readonly studio: Studio;
}

function FeatureLine({ feature, range, own, studio }: LineProps) {
  const { actions, edits } = studio;
  const now = edited(feature, edits);
  const name = labelOf(feature);
  const ordered = feature.kind !== "categorical" && feature.kind !== "boolean";
  const set = (change: Parameters<typeof actions.edit>[1]): void => actions.edit(feature.name, change);
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
            <span className="unseen">Lock </span>
            {name} {now.immutable ? <Lock /> : null}
          </span>
        </label>
        <small>{feature.unit ?? ""}</small>
        {own ? (
          <KindChoice feature={feature} studio={studio} />
        ) : (
          <small className="tag">{feature.kind}</small>
        )}
      </div>
      {now.immutable ? null : (
        <details>
          <summary>{limitsOf(feature, now)}</summary>
          <div className="limits">
            {range ? (
              <>
                <NumberField
                  label={`Smallest ${name}`}
                  value={now.min}
                  step="any"
                  placeholder={`data: ${formatNumber(range[0])}`}
                  onChange={(min) => set({ min: min ?? undefined })}
                />
                <NumberField
                  label={`Largest ${name}`}
                  value={now.max}
                  step="any"
                  placeholder={`data: ${formatNumber(range[1])}`}
                  onChange={(max) => set({ max: max ?? undefined })}
                />
                {isEmptyRange(now) ? (
                  <p className="wrong" role="alert">
                    The smallest {name} is above the largest: no value is left.
                  </p>
                ) : null}
              </>
            ) : (
              <p className="note">{levelsOf(feature).slice(0, 12).join(", ")}</p>
            )}
            {ordered ? (
              <fieldset>
                <legend>Direction</legend>
                {(["", "up", "down"] as const).map((direction) => (
                  <label key={direction} className="check">
                    <input
                      type="radio"
                      name={`direction-${feature.name}`}
                      checked={(now.direction ?? "") === direction}
                      onChange={() => set({ direction: direction === "" ? undefined : direction })}
                    />
                    {direction === "" ? "either" : `only ${direction}`}
                  </label>
                ))}
              </fieldset>
            ) : null}
          </div>
        </details>
      )}
    </li>
  );
}

function limitsOf(feature: Feature, now: ReturnType<typeof edited>): string {
  const parts = [
    ...(now.min === undefined ? [] : [`≥ ${formatNumber(now.min)}`]),
    ...(now.max === undefined ? [] : [`≤ ${formatNumber(now.max)}`]),
    ...(now.direction ? [`only ${now.direction}`] : []),
  ];
  if (feature.derived) return `follows from ${feature.derived}`;
  return parts.length > 0 ? parts.join(", ") : "free to change";
}

function KindChoice({ feature, studio }: { readonly feature: Feature; readonly studio: Studio }) {
  const { data, actions } = studio;
  if (!data) return null;
  const kinds = Object.fromEntries(data.schema.features.map((f) => [f.name, f.kind]));
  return (
    <select
      className="kind"
      aria-label={`Kind of ${labelOf(feature)}`}
      value={feature.kind}
      onChange={(e) =>
        actions.roles({
          ...(data.label ? { label: data.label } : {}),
          ...(data.id ? { id: data.id } : {}),
          kinds: { ...kinds, [feature.name]: e.target.value as Kind },
        })
      }
    >
      {KINDS.map((kind) => (
        <option key={kind}>{kind}</option>
      ))}
    </select>
  );
}
