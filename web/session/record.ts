import type { EncodingSpec } from "../../src/data/binding.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { GivenFile, JobInputs } from "../engine/protocol.ts";
import { type DataRoles, rolesOf } from "../engine/roles.ts";
import type { Applicant, Result, State } from "../state/state.ts";

/** The work of one person as it is kept and given away: files, set-up, and what the result was made from. */
export interface SessionRecord {
  readonly studioSession: 1;
  readonly files: Files;
  readonly roles: DataRoles;
  readonly edits: State["edits"];
  readonly rules: State["rules"];
  readonly choices: State["choices"];
  readonly encoding: EncodingSpec | null;
  /** Names of the outputs of the model file. */
  readonly outputs: readonly string[] | null;
  readonly applicant: Applicant;
  readonly codes: State["view"]["codes"];
  /** What is known of the result beside its rows; null: there is none that was made here. */
  readonly result: ResultRecord | null;
}

export type Files = Readonly<Partial<Record<"data" | "model" | "given", GivenFile>>>;
type ResultRecord = Omit<Result, "explanation" | "live"> & { readonly from: JobInputs };

/** What the session is now; `from` is what the result was made from. */
export function recordOf(state: State, files: Files, from: JobInputs | null): SessionRecord | null {
  const { data, edits, rules, choices, encoding, loadedModel, applicant, result, view } = state;
  if (!data) return null;
  return {
    studioSession: 1,
    files,
    roles: rolesOf(data),
    ...{ edits, rules, choices, encoding, applicant },
    outputs: loadedModel?.match ? loadedModel.outputs : null,
    codes: view.codes,
    result: result && from && result.setUp !== undefined ? { ...aboutOf(result), from } : null,
  };
}

function aboutOf({ explanation: _, live: __, ...about }: Result): Omit<Result, "explanation" | "live"> {
  return about;
}

/** A session and its result as one file of JSON; bytes are base64. */
export function sessionText(record: SessionRecord, explanation: unknown): string {
  const told = (_: string, value: unknown): unknown =>
    value instanceof Uint8Array ? { base64: base64Of(value) } : value;
  return JSON.stringify({ ...record, explanation: record.result ? explanation : null }, told);
}

export const isSession = (text: string): boolean => /^\s*\{\s*"studioSession"/.test(text.slice(0, 60));

/** A session from its file; anything else is refused. */
export function sessionOf(
  name: string,
  text: string,
): { record: SessionRecord; explanation: Explanation | null } {
  const read = (_: string, value: unknown): unknown => {
    const coded = (value as { base64?: unknown } | null)?.base64;
    return typeof coded === "string" ? bytesOf(coded) : value;
  };
  try {
    const { explanation, ...record } = JSON.parse(text, read) as SessionRecord & {
      explanation: Explanation | null;
    };
    if (record.studioSession === 1 && record.files && record.choices && record.roles)
      return { record, explanation };
  } catch {}
  throw new ColaError(
    "TABLE_INVALID",
    `${name} is not a session of this studio; choose a file that it saved.`,
  );
}

/** Bytes are told in parts: one call takes only so many arguments. */
const PART = 0x8000;

function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += PART)
    parts.push(String.fromCharCode(...bytes.subarray(i, i + PART)));
  return btoa(parts.join(""));
}

const bytesOf = (coded: string): Uint8Array => Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0));
