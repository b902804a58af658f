import { levelsOf } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { generate } from "../src/generate/registry.ts";
import type { GroupAudit, Grouping, GroupRules } from "../src/group-audit.ts";
import { confinedBy } from "../src/groups/confined.ts";
import { DRAWS, figuresOf, gapsOf, isCounted } from "../src/groups/figures.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { reachOf } from "../src/model/target.ts";
import { matrix } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { codesWith, NOTHING } from "../src/row-fault.ts";
import type { Cell, Matrix, WorkOptions } from "../src/types.ts";
import { type ByAttribute, byOf, cutAtCommas, placed } from "./by.ts";
import { groupingIn } from "./groupings.ts";
import type { Study } from "./study.ts";

/** How recourse differs between groups of the explained rows. */
export async function groupsOf(
  study: Study,
  explanation: Explanation,
  work: WorkOptions,
): Promise<GroupAudit> {
  const { seed = 0 } = study.options;
  const by = cutAtCommas(study.options.by ?? []);
  if (explanation.goal.kind !== "each")
    throw new ColaError(
      "OPTION_INVALID",
      "options.by compares plans of rows, and the goal is the group's; leave out options.effect.",
    );
  const asked = byOf(by);
  const groupings = asked.map((attribute) => groupingOf(study, explanation, attribute));
  const { data, model, target } = study;
  const cuts = new Map(asked.flatMap(({ name, cuts }) => (cuts.length > 0 ? [[name, cuts] as const] : [])));
  const question = { model: model.model, schema: data.schema, table: data.rows, target, cuts };
  const searchable = exactSearch({
    model: model.model,
    constraints: data.constraints,
    reach: reachOf(model.model, target),
    table: data.rows,
  });
  return {
    by,
    draws: DRAWS,
    attributes: groupings.map((grouping) => {
      const unknown = Array.from(grouping.of).filter((g) => g < 0).length;
      const groups = figuresOf(explanation.rows, grouping, seed);
      return { name: grouping.name, groups, ...(unknown > 0 ? { unknown } : {}) };
    }),
    gaps: gapsOf(explanation.rows, groupings, seed),
    rules: model.fitted ? await rulesOf(study, explanation, groupings, work) : [],
    confined: searchable ? await confinedBy(question, work) : null,
  };
}

/** The groups of one attribute: a feature of the explained rows, or another column of the table, found by id. */
function groupingOf({ data }: Study, { rows, schema }: Explanation, attribute: ByAttribute): Grouping {
  const { feature: k, column, numeric } = placed(data, attribute);
  const places = new Map((data.ids ?? []).map((id, i) => [id, i]));
  const cells = rows.map(({ x, id }): Cell => (column ? (column[places.get(id!) ?? -1] ?? null) : x[k]!));
  return groupingIn(attribute, cells, numeric, column ? undefined : levelsOf(schema.features[k]!));
}

/** Rows of a group that rules are looked for over, and the fewest worth it. */
const MOST_ROWS = 100;
const LEAST_ROWS = 10;

/** Rules for each whole group by AReS and GLOBE-CE. */
async function rulesOf(
  { data, model, target, options: { seed = 0 } }: Study,
  { rows, schema }: Explanation,
  groupings: readonly Grouping[],
  { signal, onProgress }: WorkOptions,
): Promise<GroupRules[]> {
  const found: GroupRules[] = [];
  const watch = { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) };
  for (const { name: attribute, groups, of } of groupings) {
    for (const [g, group] of groups.entries()) {
      const own = rows.filter((row, i) => of[i] === g && isCounted(row));
      if (own.length < LEAST_ROWS) continue;
      const count = Math.min(own.length, MOST_ROWS);
      const some = Array.from({ length: count }, (_, t) => own[Math.floor((t * own.length) / count)]!);
      const x: Matrix = matrix(
        count,
        schema.features.length,
        Float64Array.from(some.flatMap((row) => [...codesWith(schema, row, NOTHING)])),
      );
      const task = { model: model.model, x, references: data.rows, constraints: data.constraints, target };
      for (const generator of ["ares", "globe-ce"] as const) {
        const { report } = await generate(
          generator,
          task,
          watch,
          stream(seed, "groups", generator, attribute, group),
        );
        found.push({ attribute, group, generator, ...toldBy(report.details), rows: count });
      }
    }
  }
  return found;
}

const MOST_RULES = 3;

function toldBy(details: Readonly<Record<string, unknown>>): Pick<GroupRules, "rules" | "coverage"> {
  const told = (details["rules"] ?? details["directions"] ?? []) as readonly { readonly text: string }[];
  return {
    rules: told.slice(0, MOST_RULES).map(({ text }) => text),
    coverage: Number(details["coverage"] ?? 0),
  };
}
