import { dataWord } from "../../show/data-words.ts";
import type { Locale } from "../../show/locales/contract.ts";
import { formatCell, noteSentence } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { DataInfo } from "../engine/protocol.ts";
import { type DataRoles, rolesOf } from "../engine/roles.ts";
import { offers } from "../offers.ts";
import { isAlone, isEmbedded } from "../settings.ts";
import type { Studio } from "../studio.ts";
import { inPageWords } from "../words/page-words.ts";
import { useSaid } from "../words/use-said.ts";
import { FileButton, Fold, Scroll, Select } from "./controls.tsx";
import { type Remedy, unreadColumns } from "./unread.ts";

const NONE = "";
/** Classes named one by one. */
const NAMED = 4;

/** Which rows: the embedded ones, or a file that leaves this page only for a run on its own server. */
export function DataStep({ studio }: { readonly studio: Studio }) {
  const { say } = useSaid();
  const { actions, place } = studio;
  const { data } = studio.state;
  const own = data !== null && !isEmbedded(data);
  return (
    <>
      <div className="row">
        <button type="button" aria-pressed={data !== null && !own} onClick={() => actions.embedded()}>
          {say("example")}
        </button>
      </div>
      <FileButton
        drop
        accept={[".csv,.tsv,.parquet,.arrow,.feather,.jsonl,.ndjson", ...offers.files.endings].join()}
        onFiles={actions.take}
      >
        <strong>{say("chooseTable")}</strong> {say("orDrop")}
        <small>
          {say("tableKinds")} {say(place === "server" ? "tableSent" : "tableStays")}
        </small>
      </FileButton>
      {data ? <Shape data={data} /> : null}
      {data && isAlone(data) ? <p className="note">{say("noTableNote")}</p> : null}
      {data && own ? <Leaks data={data} studio={studio} /> : null}
      {data && own ? <Unread data={data} studio={studio} /> : null}
      {data && own ? <Roles data={data} studio={studio} /> : null}
      {data?.notes.length ? <Notes data={data} studio={studio} /> : null}
      {data ? <Preview data={data} studio={studio} /> : null}
    </>
  );
}

/** Columns that give the outcome away, before anything else, each to be left out at once. */
function Leaks({ data, studio }: { readonly data: DataInfo; readonly studio: Studio }) {
  const said = useSaid();
  const { say, locale } = said;
  const leaks = data.notes.filter(({ code }) => code === "leakAlways" || code === "leakAuc");
  if (leaks.length === 0) return null;
  return (
    <ul className="leaks" role="alert">
      {leaks.map((note) => {
        const name = String(note.values["feature"]);
        return (
          <li key={name}>
            <p className="wrong">{inPageWords(noteSentence(note, locale), said)}</p>
            <button type="button" onClick={() => void studio.actions.exclude(name)}>
              {say("leaveOut", { name })}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Columns that are not what people take them for, each with what would help at once. */
function Unread({ data, studio }: { readonly data: DataInfo; readonly studio: Studio }) {
  const said = useSaid();
  const { say, locale } = said;
  const { missing = [], dateParts = [] } = data;
  const read = (change: Pick<DataRoles, "missing" | "dateParts" | "decimalComma">): void => {
    void studio.actions.roles(rolesOf({ ...data, ...change }));
  };
  /** What the button beside a column says and does. */
  const remedies = (name: string, remedy: Remedy): [string, () => void] =>
    remedy === "date"
      ? [say("takeDate", { name }), () => read({ dateParts: [...dateParts, name] })]
      : remedy === "comma"
        ? [say("takeComma"), () => read({ decimalComma: true })]
        : [
            say("takeGap", { cells: remedy.texts.map((text) => quoted(text, locale)).join(", ") }),
            () => read({ missing: [...missing, ...remedy.texts] }),
          ];
  const found = unreadColumns(data);
  if (found.length + missing.length + dateParts.length === 0) return null;
  return (
    <ul className="unread">
      {found.map(({ name, note, remedy }) => (
        <li key={name}>
          <p className="wrong">{inPageWords(noteSentence(note, locale), said)}</p>
          {remedy ? <RemedyButton told={remedies(name, remedy)} /> : null}
        </li>
      ))}
      {missing.map((text) => (
        <li key={`gap ${text}`}>
          <button type="button" onClick={() => read({ missing: missing.filter((one) => one !== text) })}>
            {say("undoGap", { text: quoted(text, locale) })}
          </button>
        </li>
      ))}
      {dateParts.map((name) => (
        <li key={`date ${name}`}>
          <button type="button" onClick={() => read({ dateParts: dateParts.filter((one) => one !== name) })}>
            {say("undoDate", { name })}
          </button>
        </li>
      ))}
    </ul>
  );
}

function RemedyButton({ told: [text, use] }: { readonly told: [string, () => void] }) {
  return (
    <button type="button" onClick={use}>
      {text}
    </button>
  );
}

const quoted = (text: string, { papers }: Locale): string => papers.quoted.replace("{text}", () => text);

function Notes({ data: { notes }, studio }: { readonly data: DataInfo; readonly studio: Studio }) {
  const said = useSaid();
  const { say, locale } = said;
  return (
    <Fold studio={studio} id="notes" summary={say("notes", { count: String(notes.length) })}>
      <ul className="notes">
        {notes.map((note) => (
          <li key={noteSentence(note)}>{inPageWords(noteSentence(note, locale), said)}</li>
        ))}
      </ul>
    </Fold>
  );
}

function Shape({ data }: { readonly data: DataInfo }) {
  const { say, count, locale } = useSaid();
  const { rows, schema } = data;
  const classes = (data.classes ?? []).map((name) => dataWord(name, locale));
  const more = classes.length > NAMED ? ", …" : "";
  const shape = say("shape", { rows: count(rows), features: count(schema.features.length) });
  return (
    <p className="note">
      {shape}
      {classes.length > 0 ? say("shapeClasses", { classes: classes.slice(0, NAMED).join(", ") + more }) : ""}
    </p>
  );
}

function Roles({ data, studio }: { readonly data: DataInfo; readonly studio: Studio }) {
  const { say } = useSaid();
  const columns = data.columns.map((name) => [name, name] as const);
  const roles = (change: { label?: string; id?: string; decimalComma?: boolean }): void => {
    void studio.actions.roles(rolesOf({ ...data, ...change }));
  };
  return (
    <div className="two-fields">
      <Select
        label={say("outcomeColumn")}
        hint={data.label ? "" : say("outcomeHint")}
        value={data.label ?? NONE}
        options={[[NONE, say("noOutcomeChosen")], ...columns]}
        onChange={(label) => roles({ label })}
      />
      <Select
        label={say("idColumn")}
        value={data.id ?? NONE}
        options={[[NONE, say("rowNumber")], ...columns]}
        onChange={(id) => roles({ id })}
      />
      {/\.(csv|tsv|txt)$/i.test(data.source) ? (
        <label className="check">
          <input
            type="checkbox"
            checked={data.decimalComma === true}
            onChange={(e) => roles({ decimalComma: e.target.checked })}
          />
          {say("decimalCommaSwitch")}
        </label>
      ) : null}
    </div>
  );
}

function Preview({ data, studio }: { readonly data: DataInfo; readonly studio: Studio }) {
  const { say, locale } = useSaid();
  return (
    <Fold studio={studio} id="preview" summary={say("firstRows")}>
      <Scroll label={say("firstRowsOf")}>
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
                  <td key={data.schema.features[k]!.name}>{formatCell(cell, locale)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Fold>
  );
}
