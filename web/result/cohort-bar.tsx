import { dataWord } from "../../show/data-words.ts";
import { hasLevels, labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { Fold, NumberField } from "../parts/controls.tsx";
import { type Cohort, type Condition, FIGURES, figureKey } from "../state/cohort.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

interface Props {
  readonly studio: Studio;
  /** The whole result. */
  readonly explanation: Explanation;
  readonly cohort: Cohort;
}

/** Whom every count, plan and picture is about: conditions on features and figures, each taken away by a click. */
export function CohortBar({ studio, explanation, cohort }: Props) {
  const { say, count } = useSaid();
  const { conditions } = studio.state.view;
  const { features } = explanation.schema;
  const { cohort: change } = studio.actions;
  const names = [
    ...FIGURES.map((figure) => [figureKey(figure), say(`figure_${figure}`)] as const),
    ...features.map((feature) => [feature.name, labelOf(feature)] as const),
  ];
  const left = names.filter(([key]) => !conditions.some(({ feature }) => feature === key));
  const counts = { some: count(cohort.positions.length), all: count(explanation.rows.length) };
  return (
    <div className="cohort">
      <Fold studio={studio} id="cohort" summary={cohort.whole ? say("someOnly") : say("cohortOf", counts)}>
        {conditions.map((condition) => (
          <One
            key={condition.feature}
            title={names.find(([key]) => key === condition.feature)?.[1] ?? condition.feature}
            condition={condition}
            levels={levelsFor(explanation, condition)}
            onChange={(to) => change(conditions.map((one) => (one === condition ? to : one)))}
            onRemove={() => change(conditions.filter((one) => one !== condition))}
          />
        ))}
        <form
          className="row"
          onSubmit={(e) => {
            e.preventDefault();
            const feature = String(new FormData(e.currentTarget).get("feature"));
            if (left.some(([key]) => key === feature)) change([...conditions, { feature }]);
          }}
        >
          <div className="field">
            <label htmlFor="condition">{say("addCondition")}</label>
            <select id="condition" name="feature">
              {left.map(([key, title]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          </div>
          <button type="submit">{say("addThis")}</button>
        </form>
      </Fold>
      {cohort.whole ? null : (
        <p className="note" role="status">
          {say("cohortNote", counts)}{" "}
          <button type="button" className="link" onClick={() => change([])}>
            {say("everybodyAgain")}
          </button>
        </p>
      )}
    </div>
  );
}

/** The levels that occur, in their order; undefined for a number. */
function levelsFor({ schema, rows }: Explanation, { feature: name }: Condition): string[] | undefined {
  const k = schema.features.findIndex((feature) => feature.name === name);
  const feature = schema.features[k];
  if (!feature || !(hasLevels(feature) || feature.kind === "boolean")) return undefined;
  const found = new Set(rows.map(({ x }) => String(x[k] ?? null)));
  const known = [...levelsOf(feature).map(String), "true", "false"].filter((level) => found.has(level));
  return [...new Set(known), ...(found.has("null") ? ["null"] : [])];
}

interface OneProps {
  readonly title: string;
  readonly condition: Condition;
  readonly levels: readonly string[] | undefined;
  readonly onChange: (to: Condition) => void;
  readonly onRemove: () => void;
}

function One({ title, condition, levels, onChange, onRemove }: OneProps) {
  const { say, locale } = useSaid();
  const { feature, levels: chosen = [], from, to } = condition;
  const told = (level: string): string =>
    level === "null"
      ? say("notKnown")
      : level === "true"
        ? locale.yes
        : level === "false"
          ? locale.no
          : dataWord(level, locale);
  const ends = (change: { from?: number | undefined; to?: number | undefined }): void => {
    const next = { from, to, ...change };
    onChange({
      feature,
      ...(next.from === undefined ? {} : { from: next.from }),
      ...(next.to === undefined ? {} : { to: next.to }),
    });
  };
  return (
    <fieldset className="condition">
      <legend>{title}</legend>
      {levels ? (
        <div className="row">
          {levels.map((level) => (
            <label key={level} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(level)}
                onChange={(e) =>
                  onChange({
                    feature,
                    levels: e.target.checked ? [...chosen, level] : chosen.filter((one) => one !== level),
                  })
                }
              />
              {told(level)}
            </label>
          ))}
        </div>
      ) : (
        <div className="row">
          <NumberField
            label={say("atLeast")}
            value={from}
            step="any"
            onChange={(n) => ends({ from: n ?? undefined })}
          />
          <NumberField
            label={say("atMost")}
            value={to}
            step="any"
            onChange={(n) => ends({ to: n ?? undefined })}
          />
        </div>
      )}
      <button
        type="button"
        className="quiet"
        aria-label={say("removeCondition", { name: title })}
        onClick={onRemove}
      >
        ✕
      </button>
    </fieldset>
  );
}
