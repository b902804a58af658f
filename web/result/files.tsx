import { useState } from "react";
import { checkReasonCodes } from "../../show/reason-codes.ts";
import type { ReasonCodes } from "../../show/reasons.ts";
import type { MadeFile } from "../engine/protocol.ts";
import { FileButton, Select } from "../parts/controls.tsx";
import { engine, type Result, troubleOf } from "../studio.ts";
import { pngOf } from "./png.ts";

const KINDS: readonly (readonly [kind: string, title: string, note: string])[] = [
  ["html", "Report", "report.html: one page that opens anywhere, without scripts from elsewhere"],
  ["explanation", "This run", "explanation.json: share it; “Open a saved run” reads it again"],
  ["csv", "Tables, CSV", "x, q, z and all edits"],
  ["tsv", "Tables, TSV", "x, q, z and all edits"],
  ["parquet", "Tables, Parquet", "x, q, z and all edits"],
  ["arrow", "Tables, Arrow", "x, q, z and all edits"],
  ["jsonl", "Tables, JSON lines", "x, q, z and all edits"],
  ["dice", "DiCE JSON", "dice.json, for tools that read it"],
  ["svg", "Figures, SVG", "curve, groups, bars, changes, directions, waterfall"],
  ["png", "Figures, PNG", "the same as pictures"],
  ["schema", "Schema", "schema.json: kinds and constraints of this run, for cola explain --schema"],
  ["model", "Model", "model.json, for cola explain --model"],
];

/** Languages of report and figures. */
const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
] as const;

interface Props {
  readonly result: Result;
  readonly codes: ReasonCodes;
  readonly onCodes: (codes: ReasonCodes) => void;
}

/** Everything the command line writes, as downloads. */
export function FilesView({ result, codes, onCodes }: Props) {
  const [busy, setBusy] = useState("");
  const [told, setTold] = useState("");
  const [locale, setLocale] = useState("en");
  const kinds = KINDS.filter(([kind]) => kind !== "model" || result.live);
  const download = async (kind: string): Promise<void> => {
    setBusy(kind);
    setTold("");
    try {
      const made = await engine.call("files", {
        kind: kind === "png" ? "svg" : kind,
        locale,
        reasons: codes,
      });
      const files = kind === "png" ? await Promise.all(made.map(pngOf)) : made;
      for (const file of files) await save(file);
      setTold(`Saved ${files.map((file) => file.name).join(", ")}.`);
    } catch (error) {
      setTold(troubleOf(error).message);
    } finally {
      setBusy("");
    }
  };
  const take = async (file: File): Promise<void> => {
    try {
      const taken = checkReasonCodes(file.name, JSON.parse(await file.text()));
      onCodes(taken);
      const count = Object.keys(taken).length;
      setTold(`Reasons of ${count} ${count === 1 ? "feature" : "features"} are told as in ${file.name}.`);
    } catch (error) {
      setTold(error instanceof SyntaxError ? `${file.name} is not JSON.` : troubleOf(error).message);
    }
  };
  return (
    <div className="panel">
      <h3>Download</h3>
      <Select
        label="Language of report and figures"
        value={locale}
        options={LANGUAGES}
        onChange={setLocale}
      />
      <FileButton accept=".json,application/json" onFile={take}>
        Your own reason codes (JSON) …
      </FileButton>
      <ul className="downloads">
        {kinds.map(([kind, title, note]) => (
          <li key={kind}>
            <button type="button" disabled={busy !== ""} onClick={() => download(kind)}>
              {busy === kind ? "Writing …" : title}
            </button>
            <span>{note}</span>
          </li>
        ))}
      </ul>
      <p className="note" role="status">
        {told}
      </p>
    </div>
  );
}

/** Browsers drop downloads that follow each other too fast. */
const BREATH_MS = 200;

function save({ name, type, bytes }: MadeFile): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return new Promise((resolve) => setTimeout(resolve, BREATH_MS));
}
