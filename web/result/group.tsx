import { useMemo } from "react";
import { featureLabels } from "../../show/figures/labels.ts";
import { confinedTexts, groupTables } from "../../show/groups.ts";
import { translate } from "../../show/messages.ts";
import { featurePatterns, planPatterns, typicalChange } from "../../show/patterns.ts";
import { fill, formatCell, formatFixed, percent } from "../../show/sentences.ts";
import { labelOf, levelsOf } from "../../src/data/schema.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { Scroll, Select } from "../parts/controls.tsx";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import type { CohortProps } from "./part.ts";
import { featureOf, personName, SIGNS, statusWords } from "./words.ts";

/** Rows named one by one among those left out. */
const NAMED = 50;
const COMBINATIONS = 8;

/** What the plans have in common: features, directions, combinations, and who is left out. */
export function GroupView({ studio, result, cohort: { explanation } }: CohortProps) {
  return (
    <>
      <Compared explanation={result.explanation} />
      <Features studio={studio} explanation={explanation} />
      <Together explanation={explanation} />
      <LeftOut explanation={explanation} />
      <Subgroups studio={studio} explanation={explanation} />
    </>
  );
}

interface Props {
  readonly explanation: Explanation;
}

/** Recourse compared between groups of everybody, where the run was asked to. */
function Compared({ explanation }: Props) {
  const { locale } = useSaid();
  const tables = useMemo(() => groupTables(explanation, locale), [explanation, locale]);
  if (!explanation.groups) return null;
  const { papers } = locale;
  return (
    <div className="panel">
      {tables.map(({ caption, note, heads, rows }) => (
        <section key={caption}>
          <h3>{caption}</h3>
          <p className="note">{note}</p>
          <Scroll label={caption}>
            <table>
              <thead>
                <tr>
                  {heads.map((head) => (
                    <th key={head} scope="col">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(([first, ...cells], i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their place
                  <tr key={i}>
                    <th scope="row">{first}</th>
                    {cells.map((cell, c) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: cells keep their place
                      <td key={c}>{cell}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </section>
      ))}
      <h3>{papers.groupsConfined}</h3>
      <ul>
        {confinedTexts(explanation, locale).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

function Features({ studio, explanation }: Props & { readonly studio: Studio }) {
  const { say, locale } = useSaid();
  const labels = featureLabels(explanation.schema);
  const patterns = useMemo(() => featurePatterns(explanation), [explanation]);
  const most = Math.max(1, ...patterns.map((p) => p.rows));
  return (
    <div className="panel">
      <h3>{say("whichChange")}</h3>
      {patterns.length === 0 ? <p className="note">{say("noPlanChanges")}</p> : null}
      <Scroll label={say("featuresThatChange")}>
        <table className="bars">
          <thead>
            <tr>
              <th scope="col">{say("feature")}</th>
              <th scope="col">{say("columnPeople")}</th>
              <th scope="col" className="wide">
                <span className="unseen">{say("shareByDirection")}</span>
              </th>
              <th scope="col">{locale.words.typical}</th>
            </tr>
          </thead>
          <tbody>
            {patterns.map((p) => (
              <tr key={p.k}>
                <th scope="row">
                  <button type="button" className="link" onClick={() => whose(studio, labels[p.k]!)}>
                    {labels[p.k]}
                  </button>
                </th>
                <td className="number">{p.rows}</td>
                <td className="wide">
                  <span className="bar">
                    {(["up", "down", "other"] as const).map((sign) =>
                      p[sign] === 0 ? null : (
                        <span key={sign} className={sign} style={{ width: `${(100 * p[sign]) / most}%` }}>
                          <span aria-hidden="true">{SIGNS[sign]}</span>
                          <span className="unseen">
                            {p[sign]} {locale.words[sign]}
                          </span>
                        </span>
                      ),
                    )}
                  </span>
                </td>
                <td>{typicalChange(explanation.schema.features[p.k]!, p.edits, locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  );
}

/** The people whose plans change a feature. */
function whose({ send }: Studio, label: string): void {
  send({ type: "people", change: { find: `${label} →` } });
  send({ type: "tab", tab: "people" });
}

function Together({ explanation }: Props) {
  const { say, locale } = useSaid();
  const labels = featureLabels(explanation.schema);
  const plans = useMemo(() => planPatterns(explanation), [explanation]);
  const more = plans.length - COMBINATIONS;
  return (
    <div className="panel">
      <h3>{locale.words.combosCaption}</h3>
      <ul className="combos">
        {plans.slice(0, COMBINATIONS).map((plan) => (
          <li key={plan.features.join()}>
            <b>{percent(plan.rows.length / Math.max(1, explanation.rows.length))}</b>
            <span>{plan.features.map((k) => labels[k]).join(" + ")}</span>
            <small>{say("people", { all: String(plan.rows.length) })}</small>
          </li>
        ))}
      </ul>
      {more > 0 ? <p className="note">{fill(locale.words.moreCombos, { count: String(more) })}</p> : null}
    </div>
  );
}

function LeftOut({ explanation }: Props) {
  const { say, count } = useSaid();
  const out = explanation.rows.filter((row) => !row.valid);
  return (
    <div className="panel">
      <h3>{say("leftOut")}</h3>
      {out.length === 0 ? (
        <p>{say("nobodyLeftOut")}</p>
      ) : (
        <>
          <p>{say("someLeftOut", { some: count(out.length), all: count(explanation.rows.length) })}</p>
          <ul className="combos">
            {out.slice(0, NAMED).map((row) => (
              <Missed key={row.row} explanation={explanation} row={row} />
            ))}
          </ul>
          {out.length > NAMED ? (
            <p className="note">{say("moreLeftOut", { count: count(out.length - NAMED) })}</p>
          ) : null}
        </>
      )}
    </div>
  );
}

function Missed({ explanation, row }: Props & { readonly row: ExplainedRow }) {
  const { say, locale } = useSaid();
  const { relaxation, reason } = row;
  return (
    <li>
      <b>{personName(row, locale)}</b>
      <span>{say(statusWords(row))}</span>
      <small>
        {relaxation
          ? say("wouldNeed", { feature: labelOf(featureOf(explanation.schema, relaxation.feature)) })
          : reason
            ? translate(reason, locale)
            : ""}
      </small>
    </li>
  );
}

/** From here on, every part is about the people of one level. */
function only({ state, actions }: Studio, feature: string, level: string): void {
  const others = state.view.conditions.filter((one) => one.feature !== feature);
  actions.cohort([...others, { feature, levels: [level] }]);
}

/** Coverage and effort by the levels of one feature: does the burden fall evenly? */
function Subgroups({ studio, explanation }: Props & { readonly studio: Studio }) {
  const { say } = useSaid();
  const { features } = explanation.schema;
  const levelled = features.flatMap((f, k) => (levelsOf(f).length > 0 || f.kind === "boolean" ? [k] : []));
  const k = studio.state.view.by ?? levelled[0];
  if (k === undefined) return null;
  return (
    <div className="panel">
      <h3>{say("burden")}</h3>
      <Select
        label={say("by")}
        value={String(k)}
        options={levelled.map((one) => [String(one), labelOf(features[one]!)] as const)}
        onChange={(value) => studio.send({ type: "by", feature: Number(value) })}
      />
      <Scroll label={say("burdenByGroup")}>
        <Burden studio={studio} explanation={explanation} k={k} />
      </Scroll>
    </div>
  );
}

function Burden({ studio, explanation, k }: Props & { readonly studio: Studio; readonly k: number }) {
  const { say, locale } = useSaid();
  const feature = explanation.schema.features[k]!;
  const groups = new Map<string, { cell: string; rows: number; valid: number; edits: number }>();
  for (const row of explanation.rows) {
    const level = formatCell(row.x[k] ?? null, locale);
    const group = groups.get(level) ?? { cell: String(row.x[k] ?? null), rows: 0, valid: 0, edits: 0 };
    group.rows++;
    group.valid += Number(row.valid);
    group.edits += row.edits.length;
    groups.set(level, group);
  }
  const levels = levelsOf(feature);
  const place = (level: string): number => (levels.includes(level) ? levels.indexOf(level) : levels.length);
  const ordered = [...groups].sort(([a], [b]) => place(a) - place(b));
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{labelOf(feature)}</th>
          {(["columnPeople", "reachGoal", "editsEach"] as const).map((name) => (
            <th key={name} scope="col" className="number">
              {say(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ordered.map(([level, group]) => (
          <tr key={level}>
            <th scope="row">
              <button type="button" className="link" onClick={() => only(studio, feature.name, group.cell)}>
                {level}
              </button>
            </th>
            <td className="number">{group.rows}</td>
            <td className="number">{percent(group.valid / group.rows)}</td>
            <td className="number">{formatFixed(group.edits / group.rows, 2, locale)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
