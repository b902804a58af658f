import { FileButton, Select } from "../parts/controls.tsx";
import { languages } from "../words/said.ts";
import { useSaid } from "../words/use-said.ts";
import type { PartProps } from "./part.ts";

const KINDS = [
  "html",
  "card",
  "explanation",
  "csv",
  "tsv",
  "parquet",
  "arrow",
  "jsonl",
  "dice",
  "svg",
  "png",
  "schema",
  "model",
] as const;

const TABLES: readonly string[] = ["csv", "tsv", "parquet", "arrow", "jsonl"];

/** Everything the command line writes, as downloads. */
export function FilesView({ studio, result }: PartProps) {
  const { say, tell } = useSaid();
  const { actions, send, state } = studio;
  const { busy, message, language } = state.view.files;
  const kinds = KINDS.filter((kind) => kind !== "model" || result.live);
  const note = (kind: (typeof KINDS)[number]): string =>
    TABLES.includes(kind)
      ? say("fileTables")
      : say(`fileNote_${kind as Exclude<typeof kind, "csv" | "tsv" | "parquet" | "arrow" | "jsonl">}`);
  return (
    <div className="panel">
      <h3>{say("download")}</h3>
      <Select
        label={say("fileLanguage")}
        value={language ?? state.language}
        options={Object.entries(languages).map(([tag, { title }]) => [tag, title] as const)}
        onChange={(tag) => send({ type: "files", change: { language: tag } })}
      />
      <FileButton accept=".json,application/json" onFile={actions.takeCodes}>
        {say("ownCodes")}
      </FileButton>
      <ul className="downloads">
        {kinds.map((kind) => (
          <li key={kind}>
            <button type="button" disabled={busy !== ""} onClick={() => actions.download(kind)}>
              {busy === kind ? say("writing") : say(`file_${kind}`)}
            </button>
            <span>{note(kind)}</span>
          </li>
        ))}
      </ul>
      <h3>{say("wholeSession")}</h3>
      <p className="note">{say("wholeSessionNote")}</p>
      <div className="row">
        <button type="button" onClick={() => void actions.saveSession()}>
          {say("saveSession")}
        </button>
        <button type="button" onClick={() => void actions.forget()}>
          {say("forgetSession")}
        </button>
      </div>
      <p className="note" role="status">
        {tell(message)}
      </p>
    </div>
  );
}
