import { type FormEvent, useState } from "react";
import type { Remote } from "../remote/use-remote.ts";
import type { Studio } from "../studio.ts";

/** This page or the server behind it; nothing to choose where there is none. */
export function Where({ studio }: { readonly studio: Studio }) {
  const { remote, place, actions } = studio;
  if (!remote.server) return null;
  const choice = (value: typeof place, text: string) => (
    <label className="check">
      <input type="radio" name="place" checked={place === value} onChange={() => actions.place(value)} />
      {text}
    </label>
  );
  return (
    <>
      <fieldset className="where">
        <legend>Where it runs</legend>
        {choice("server", "the server")}
        {choice("page", "this page")}
      </fieldset>
      {remote.need !== "no" && place === "server" ? <KeyForm remote={remote} /> : null}
    </>
  );
}

/** Asked once per tab; the key goes into requests and nowhere else. */
function KeyForm({ remote }: { readonly remote: Remote }) {
  const [key, setKey] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    remote.giveKey(key.trim());
    setKey("");
  };
  return (
    <form className="key-form" onSubmit={submit}>
      <div className="field">
        <label htmlFor="api-key">
          {remote.need === "refused"
            ? "The server does not know this API key. Try another:"
            : "This server asks for an API key"}
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
        Use it
      </button>
    </form>
  );
}
