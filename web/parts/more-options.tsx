import type { OfferedOption } from "../../study/offers.ts";
import { moreOptions } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { NumberField, Select } from "./controls.tsx";

/** A control for each of them; one that is left alone is not sent. */
export function MoreOptions({ studio }: { readonly studio: Studio }) {
  const { choices } = studio.state;
  const { more = {} } = choices;
  const set = (name: string, value: string | number | boolean | null): void => {
    const { [name]: _, ...others } = more;
    const empty = value === null || value === "" || value === false;
    studio.actions.choose({ more: empty ? others : { ...others, [name]: value } });
  };
  const shown = moreOptions.filter(({ part }) => part !== "goal" || choices.goal === "group");
  return shown.map((option) => (
    <MoreOption
      key={option.name}
      option={option}
      value={more[option.name]}
      onChange={(value) => set(option.name, value)}
    />
  ));
}

interface Props {
  readonly option: OfferedOption;
  readonly value: string | number | boolean | readonly string[] | undefined;
  onChange(value: string | number | boolean | null): void;
}

function MoreOption({ option, value, onChange }: Props) {
  const { say, title } = useSaid();
  const { kind, choices, min, max } = option;
  const label = title(option.label);
  if (choices) {
    const named = choices.map(([name, text]) => [name, title(text)] as const);
    return (
      <Select
        label={label}
        value={String(value ?? "")}
        options={[["", say("asUsual")], ...named]}
        onChange={onChange}
      />
    );
  }
  if (kind === "switch") {
    return (
      <label className="check">
        <input type="checkbox" checked={value === true} onChange={(e) => onChange(e.target.checked)} />
        {label}
      </label>
    );
  }
  if (kind === "text" || kind === "list") {
    return (
      <label className="field">
        {label}
        <input value={String(value ?? "")} onChange={(e) => onChange(e.target.value)} />
      </label>
    );
  }
  const range = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return (
    <NumberField
      label={label}
      value={typeof value === "number" ? value : null}
      {...range}
      step={kind === "integer" ? 1 : "any"}
      onChange={onChange}
    />
  );
}
