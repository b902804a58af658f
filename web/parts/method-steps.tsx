import { lazy, Suspense } from "react";
import { offers } from "../offers.ts";
import { couplingTitles, generatorTitles, modelTitles, policyTitles, withModel } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { FileButton, Fold, NumberField, Select } from "./controls.tsx";
import { MoreOptions } from "./more-options.tsx";
import { TargetField } from "./target.tsx";

const MatchPanel = lazy(async () => ({ default: (await import("./match.tsx")).MatchPanel }));
const QualityPanel = lazy(async () => ({ default: (await import("./quality.tsx")).QualityPanel }));

/** Train one of the classifiers, or bring a model. */
export function ModelStep({ studio }: { readonly studio: Studio }) {
  const { say, title } = useSaid();
  const { actions } = studio;
  const { choices, data, loadedModel } = studio.state;
  const trainable = data?.classes ? Object.entries(modelTitles) : [];
  const options = [...trainable, ...(loadedModel ? [["file", loadedModel.title] as const] : [])];
  const shown = options.length > 0 ? options : [["file", say("loadAModel")] as const];
  return (
    <>
      <Select
        label={say("model")}
        value={choices.model}
        options={shown.map(([name, text]) => [name, title(text)] as const)}
        onChange={(model) => actions.choose(withModel(choices, model))}
        {...(data && !data.classes && !loadedModel ? { hint: say("noOutcome") } : {})}
      />
      <FileButton accept={[...offers.files.endings, ".model"].join()} onFile={actions.loadModel}>
        {say("loadModel", { formats: offers.files.titles })}
      </FileButton>
      {choices.model === "file" && loadedModel?.match ? (
        <>
          {loadedModel.outputs.length <= 10 ? (
            <OutputNames studio={studio} outputs={loadedModel.outputs} />
          ) : null}
          <Suspense fallback={null}>
            <MatchPanel studio={studio} match={loadedModel.match} />
          </Suspense>
        </>
      ) : null}
      <TargetField studio={studio} />
      <Suspense fallback={null}>
        <QualityPanel studio={studio} />
      </Suspense>
    </>
  );
}

/** What the outputs of a model file are called; a click elsewhere or Enter takes the names. */
function OutputNames({ studio, outputs }: { readonly studio: Studio; readonly outputs: readonly string[] }) {
  const { say } = useSaid();
  const classes = studio.state.data?.classes;
  const name = (at: number, to: string): void => {
    if (to === "" || to === outputs[at]) return;
    void studio.actions.match({ outputs: outputs.map((one, i) => (i === at ? to : one)) });
  };
  return (
    <fieldset className="outputs">
      <legend>{say("outputNames")}</legend>
      <div className="row">
        {outputs.map((output, i) => (
          <input
            key={output}
            aria-label={say("outputName", { number: String(i + 1) })}
            defaultValue={output}
            onBlur={(e) => name(i, e.target.value.trim())}
            onKeyDown={(e) => {
              if (e.key === "Enter") name(i, e.currentTarget.value.trim());
            }}
          />
        ))}
      </div>
      {classes ? <p className="hint">{say("outcomesOfTable", { classes: classes.join(", ") })}</p> : null}
      {outputs.length === 2 && classes?.length === 2 && !outputs.some((one) => classes.includes(one)) ? (
        <div className="row">
          {[classes, classes.toReversed()].map(([first = "", second = ""]) => (
            <button
              key={first}
              type="button"
              onClick={() => void studio.actions.match({ outputs: [first, second] })}
            >
              {say("outputsAre", { zero: outputs[0]!, one: outputs[1]!, first, second })}
            </button>
          ))}
        </div>
      ) : null}
    </fieldset>
  );
}

/** Where counterfactuals come from, and how they become few edits. */
export function MethodStep({ studio }: { readonly studio: Studio }) {
  const { say, title } = useSaid();
  const { choices, given } = studio.state;
  const { choose, loadGiven } = studio.actions;
  const own = given ? say("givenRows", { name: given.name, rows: String(given.rows) }) : "";
  const generators = [
    ...Object.entries(generatorTitles).map(([name, text]) => [name, title(text)] as const),
    ...(given ? [["given", own] as const] : []),
  ];
  return (
    <>
      <Select
        label={say("generator")}
        value={choices.generator}
        options={generators}
        onChange={(generator) => choose({ generator })}
        hint={say("generatorHint")}
      />
      <FileButton accept=".csv,.tsv,.parquet,.arrow,.jsonl,.json" onFile={loadGiven}>
        {say("ownCounterfactuals")}
      </FileButton>
      <Goal studio={studio} />
      <Fold studio={studio} id="method" summary={say("moreMethod")}>
        <Details studio={studio} />
      </Fold>
    </>
  );
}

function Goal({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { choices } = studio.state;
  const { choose } = studio.actions;
  const each = choices.goal === "each";
  const choice = (goal: "each" | "group", text: string) => (
    <label className="check">
      <input
        type="radio"
        name="goal"
        checked={choices.goal === goal}
        onChange={() => choose({ goal, coupling: "", policy: "" })}
      />
      {text}
    </label>
  );
  return (
    <>
      <fieldset className="choice">
        <legend>{say("goal")}</legend>
        {choice("each", say("goalEach"))}
        {choice("group", say("goalGroup"))}
      </fieldset>
      <div className="two-fields">
        <NumberField
          label={say("peopleAtMost")}
          value={choices.rows}
          min={1}
          max={100_000}
          step={1}
          onChange={(rows) => choose({ rows: Math.max(1, Math.round(rows ?? 100)) })}
        />
        {each ? (
          <NumberField
            label={say("editsPerPerson")}
            value={choices.perRow}
            min={0}
            step={1}
            placeholder={say("noLimit")}
            onChange={(perRow) =>
              choose({ perRow: perRow === null ? null : Math.max(0, Math.round(perRow)) })
            }
          />
        ) : (
          <NumberField
            label={say("shareOfEffect")}
            value={choices.effect}
            min={0}
            max={1}
            step={0.05}
            onChange={(effect) => choose({ effect: Math.min(1, Math.max(0, effect ?? 1)) })}
          />
        )}
      </div>
    </>
  );
}

function Details({ studio }: { readonly studio: Studio }) {
  const { say, title } = useSaid();
  const { choices } = studio.state;
  const { choose } = studio.actions;
  const each = choices.goal === "each";
  /** The titles on offer, the default first; the search for the fewest edits of each person has no meaning for a group. */
  const options = (titles: Readonly<Record<string, string>>, byDefault: string, ofEach: string) => [
    ["", say("byDefault", { name: title(titles[byDefault]!) })] as const,
    ...Object.entries(titles)
      .filter(([name]) => each || name !== ofEach)
      .map(([name, text]) => [name, title(text)] as const),
  ];
  return (
    <div className="stack">
      <Select
        label={say("coupling")}
        hint={say("couplingHint")}
        value={choices.coupling}
        options={options(couplingTitles, each ? "match" : "transport", "match")}
        onChange={(coupling) => choose({ coupling })}
      />
      <Select
        label={say("policy")}
        hint={say("policyHint")}
        value={choices.policy}
        options={options(policyTitles, each ? "minimal" : "greedy", "minimal")}
        onChange={(policy) => choose({ policy })}
      />
      <div className="two-fields">
        <NumberField
          label={say("alternatives")}
          value={choices.alternatives}
          min={0}
          max={10}
          step={1}
          onChange={(k) => choose({ alternatives: Math.min(10, Math.max(0, Math.round(k ?? 0))) })}
        />
        <NumberField
          label={say("seed")}
          value={choices.seed}
          step={1}
          onChange={(seed) => choose({ seed: Math.round(seed ?? 0) })}
        />
      </div>
      <MoreOptions studio={studio} />
    </div>
  );
}
