import { couplingTitles, generatorTitles, modelTitles, policyTitles } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { FileButton, NumberField, Select } from "./controls.tsx";

/** Train one of the classifiers, or bring a model. */
export function ModelStep({ studio }: { readonly studio: Studio }) {
  const { choices, actions, data, loadedModel } = studio;
  const trainable = data?.classes ? Object.entries(modelTitles) : [];
  const options = [...trainable, ...(loadedModel ? [["file", loadedModel.title] as const] : [])];
  const shown = options.length > 0 ? options : [["file", "load a model file"] as const];
  return (
    <>
      <Select
        label="Model"
        value={choices.model}
        options={shown}
        onChange={(model) => actions.choose({ model, target: "" })}
        {...(data && !data.classes
          ? { hint: "No outcome column: nothing can be trained, load a model." }
          : {})}
      />
      <FileButton accept=".json,.ubj,.txt,.onnx,.model" onFile={actions.loadModel}>
        Load XGBoost, LightGBM, ONNX …
      </FileButton>
      <TargetField studio={studio} />
    </>
  );
}

function TargetField({ studio }: { readonly studio: Studio }) {
  const { choices, actions, data, loadedModel } = studio;
  const outputs = choices.model === "file" ? loadedModel?.outputs : data?.classes;
  const listed = (outputs ?? []).slice(0, 30);
  return (
    <div className="field">
      <label htmlFor="target">What should be reached</label>
      <input
        id="target"
        list="targets"
        value={choices.target}
        placeholder={outputs && outputs.length > 1 ? String(outputs.at(-1)) : "score > 0.5"}
        onChange={(e) => actions.choose({ target: e.target.value })}
      />
      <datalist id="targets">
        {[...listed.flatMap((name) => [name, `not ${name}`]), "score >= 0.7"].map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <p className="hint">A class, “not CLASS”, or a score such as “score &gt;= 0.7”.</p>
    </div>
  );
}

/** Where counterfactuals come from, and how they become few edits. */
export function MethodStep({ studio }: { readonly studio: Studio }) {
  const { choices, actions, given } = studio;
  const { choose } = actions;
  const each = choices.goal === "each";
  const generators = [
    ...Object.entries(generatorTitles),
    ...(given ? [["given", `${given.name} (${given.rows} rows)`] as const] : []),
  ];
  const couplings = Object.entries(couplingTitles).filter(([name]) => each || name !== "match");
  const policies = Object.entries(policyTitles).filter(([name]) => each || name !== "minimal");
  return (
    <>
      <Select
        label="Counterfactuals from"
        value={choices.generator}
        options={generators}
        onChange={(generator) => choose({ generator })}
      />
      <FileButton accept=".csv,.tsv,.parquet,.arrow,.jsonl,.json" onFile={actions.loadGiven}>
        Use counterfactuals of your own: a table, DiCE, Alibi …
      </FileButton>
      <fieldset className="choice">
        <legend>Goal</legend>
        <label className="check">
          <input
            type="radio"
            name="goal"
            checked={each}
            onChange={() => choose({ goal: "each", coupling: "", policy: "" })}
          />
          every person reaches it
        </label>
        <label className="check">
          <input
            type="radio"
            name="goal"
            checked={!each}
            onChange={() => choose({ goal: "group", coupling: "", policy: "" })}
          />
          the group's scores as a whole
        </label>
      </fieldset>
      <div className="two-fields">
        <NumberField
          label="People at most"
          value={choices.rows}
          min={1}
          max={100_000}
          step={1}
          onChange={(rows) => choose({ rows: Math.max(1, Math.round(rows ?? 100)) })}
        />
        {each ? (
          <NumberField
            label="Edits per person"
            value={choices.perRow}
            min={0}
            step={1}
            placeholder="no limit"
            onChange={(perRow) =>
              choose({ perRow: perRow === null ? null : Math.max(0, Math.round(perRow)) })
            }
          />
        ) : (
          <NumberField
            label="Share of the effect"
            value={choices.effect}
            min={0}
            max={1}
            step={0.05}
            onChange={(effect) => choose({ effect: Math.min(1, Math.max(0, effect ?? 1)) })}
          />
        )}
      </div>
      <details>
        <summary>Pairing, choice of edits, seed</summary>
        <div className="stack">
          <Select
            label="Coupling"
            value={choices.coupling}
            options={[["", `default: ${couplingTitles[each ? "match" : "transport"]}`], ...couplings]}
            onChange={(coupling) => choose({ coupling })}
          />
          <Select
            label="Policy"
            value={choices.policy}
            options={[["", `default: ${policyTitles[each ? "minimal" : "greedy"]}`], ...policies]}
            onChange={(policy) => choose({ policy })}
          />
          <div className="two-fields">
            <NumberField
              label="Other plans"
              value={choices.alternatives}
              min={0}
              max={10}
              step={1}
              onChange={(k) => choose({ alternatives: Math.min(10, Math.max(0, Math.round(k ?? 0))) })}
            />
            <NumberField
              label="Seed"
              value={choices.seed}
              step={1}
              onChange={(seed) => choose({ seed: Math.round(seed ?? 0) })}
            />
          </div>
        </div>
      </details>
    </>
  );
}
