import type { GivenFile, JobInputs } from "../engine/protocol.ts";
import { rolesOfJob } from "../engine/roles.ts";
import { defaultChoices, modelTitles, moreOptions } from "../settings.ts";
import type { Saying } from "../words/contract.ts";
import { askJson, RemoteError } from "./http.ts";
import { type Job, type Upload, type UploadPlace, uploadedFile } from "./jobs.ts";

type Names = Readonly<Record<string, string>>;

/** What the page calls the table and the model of a job. */
export function titlesOf({ about: { data, model } }: Job, names: Names): { source: string; model: string } {
  const { train, file } = model;
  return {
    source:
      data === null
        ? "Loan applications (synthetic, embedded)"
        : (names[data] ?? `Table ${data.slice(0, 8)}`),
    model: train
      ? (modelTitles[train] ?? train)
      : file
        ? `Model of ${names[file] ?? file.slice(0, 8)}`
        : "HTTP model",
  };
}

/** The names under which the files of a job were uploaded. */
export async function namesOf({ about: { data, model, counterfactuals } }: Job): Promise<Names> {
  const one = async (place: UploadPlace, sha256: string | null | undefined): Promise<Names> => {
    if (!sha256) return {};
    const { name } = await askJson<Upload>(`v1/${place}/${idOf(place, sha256)}`).catch(() => ({ name: "" }));
    return name ? { [sha256]: name } : {};
  };
  return {
    ...(await one("data", data)),
    ...(await one("models", model.file)),
    ...(await one("counterfactuals", counterfactuals)),
  };
}

const idOf = (place: UploadPlace, sha256: string): string =>
  `${place === "models" ? "model" : place}_${sha256.slice(0, 32)}`;

/** Options of a job that only its server can repeat. */
const THEIRS = ["outputs"];

/** Table and model of a job for questions about its result, or why there can be none. */
export async function jobInputsOf({ about }: Job, names: Names): Promise<JobInputs | Saying> {
  const { data, model, counterfactuals: own, calibration, options } = about;
  if (model.url) return { key: "questionsNotHttp" };
  const roles = rolesOfJob(options);
  if (calibration || !roles || THEIRS.some((name) => options[name] !== undefined))
    return { key: "questionsNotOptions" };
  try {
    const [table, file, counterfactuals] = await Promise.all([
      data === null ? null : fileOf("data", data, names),
      model.file ? fileOf("models", model.file, names) : null,
      own ? fileOf("counterfactuals", own, names) : null,
    ]);
    const settings = settingsOf(about);
    return { table, model: file, counterfactuals, roles, settings };
  } catch (error) {
    if (error instanceof RemoteError && error.status === 404) return { key: "questionsNotGone" };
    throw error;
  }
}

async function fileOf(place: UploadPlace, sha256: string, names: Names): Promise<GivenFile> {
  const bytes = await uploadedFile(place, idOf(place, sha256));
  return { name: names[sha256] ?? "upload.csv", bytes };
}

function settingsOf({ model, counterfactuals, options }: Job["about"]): JobInputs["settings"] {
  const { target, generator, coupling, policy, effect, rows, perRow, seed, alternatives } = options as {
    target?: string;
    generator?: string;
    coupling?: string;
    policy?: string;
    effect?: number;
    rows?: number;
    perRow?: number;
    seed?: number;
    alternatives?: number;
  };
  return {
    ...defaultChoices,
    model: model.train ?? "file",
    target: target ?? "",
    generator: counterfactuals ? "given" : (generator ?? defaultChoices.generator),
    coupling: coupling ?? "",
    policy: policy ?? "",
    goal: effect === undefined ? "each" : "group",
    effect: effect ?? 1,
    rows: rows ?? defaultChoices.rows,
    perRow: perRow ?? null,
    seed: seed ?? 0,
    alternatives: alternatives ?? 0,
    more: Object.fromEntries(
      moreOptions.flatMap(({ name }) => (options[name] === undefined ? [] : [[name, options[name]]])),
    ) as NonNullable<JobInputs["settings"]["more"]>,
  };
}
