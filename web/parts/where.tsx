import { type FormEvent, useState } from "react";
import type { Place } from "../state/state.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";

/** This page or the server behind it; nothing to choose where there is none. */
export function Where({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { place, state, send } = studio;
  if (!state.server.info) return null;
  const choice = (value: Place, text: string) => (
    <label className="check">
      <input
        type="radio"
        name="place"
        checked={place === value}
        onChange={() => send({ type: "place", place: value })}
      />
      {text}
    </label>
  );
  return (
    <>
      <fieldset className="where">
        <legend>{say("where")}</legend>
        {choice("server", say("whereServer"))}
        {choice("page", say("wherePage"))}
      </fieldset>
      {state.server.need !== "no" && place === "server" ? <KeyForm studio={studio} /> : null}
    </>
  );
}

/** Asked once per tab; the key goes into requests and nowhere else, so what is typed stays out of the state. */
function KeyForm({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const [key, setKey] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    studio.actions.server.giveKey(key.trim());
    setKey("");
  };
  return (
    <form className="key-form" onSubmit={submit}>
      <div className="field">
        <label htmlFor="api-key">
          {say(studio.state.server.need === "refused" ? "keyRefused" : "keyFirst")}
        </label>
        <input
          id="api-key"
          type="password"
          autoComplete="off"
          value={key}
          onChange={(e) => setKey(e.target.value)}
        />
      </div>
      <button type="submit" disabled={key.trim() === ""}>
        {say("useKey")}
      </button>
    </form>
  );
}
