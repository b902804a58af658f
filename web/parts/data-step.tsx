import { formatCell } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { DataInfo } from "../engine/protocol.ts";
import type { Studio } from "../studio.ts";
import { FileButton, Scroll, Select } from "./controls.tsx";

const NONE = "";

/** Which rows: the embedded ones, or a file that leaves this page only for a run on its own server. */
export function DataStep({ studio }: { readonly studio: Studio }) {
  const { data, actions } = studio;
  const own = data !== null && !data.source.includes("embedded");
  return (
    <>
      <div className="row">
        <button type="button" aria-pressed={data !== null && !own} onClick={() => actions.embedded()}>
          Example: loan applications
        </button>
      </div>
      <FileButton
        drop
        accept=".csv,.tsv,.txt,.parquet,.arrow,.feather,.jsonl,.ndjson,.json"
        onFile={actions.open}
      >
        <strong>Choose a table</strong> or drop it here
        <small>
          CSV, TSV, Parquet, Arrow, JSON lines.{" "}
          {studio.place === "server" ? "A run sends it to this server." : "It stays on this machine."}
        </small>
      </FileButton>
      {data ? (
        <p className="note">
          {data.rows.toLocaleString("en")} rows, {data.schema.features.length} features
          {data.classes
            ? `, outcomes ${data.classes.slice(0, 4).join(", ")}${data.classes.length > 4 ? ", …" : ""}`
            : ""}
        </p>
      ) : null}
      {data && own ? <Roles data={data} studio={studio} /> : null}
      {data?.notes.length ? (
        <details>
          <summary>What was decided while reading ({data.notes.length})</summary>
          <ul className="notes">
            {data.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {data ? <Preview data={data} /> : null}
    </>
  );
}

function Roles({ data, studio }: { readonly data: DataInfo; readonly studio: Studio }) {
  const columns = data.columns.map((name) => [name, name] as const);
  const roles = (change: { label?: string; id?: string }): void => {
    const { label = data.label ?? NONE, id = data.id ?? NONE } = change;
    void studio.actions.roles({ ...(label ? { label } : {}), ...(id ? { id } : {}) });
  };
  return (
    <div className="two-fields">
      <Select
        label="Known outcome"
        value={data.label ?? NONE}
        options={[[NONE, "none"], ...columns]}
        onChange={(label) => roles({ label })}
      />
      <Select
        label="Names the rows"
        value={data.id ?? NONE}
        options={[[NONE, "row number"], ...columns]}
        onChange={(id) => roles({ id })}
      />
    </div>
  );
}

function Preview({ data }: { readonly data: DataInfo }) {
  return (
    <details>
      <summary>First rows</summary>
      <Scroll label="First rows of the data">
        <table>
          <thead>
            <tr>
              {data.schema.features.map((feature) => (
                <th key={feature.name} scope="col">
                  {labelOf(feature)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.preview.map((cells, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
              <tr key={i}>
                {cells.map((cell, k) => (
                  <td key={data.schema.features[k]!.name}>{formatCell(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
