import { expect } from "vitest";
import type { Locale } from "../../show/locales/contract.ts";
import { percent } from "../../show/sentences.ts";
import { labelOf, levelsOf } from "../../src/data/schema.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import { matrix } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Cell, Feature, Goal, Target } from "../../src/types.ts";
import { numberIn, type Told } from "./letters.ts";

/** What a reader of a letter holds against it: the explanation, the model, and the language it is in. */
export interface Reader {
  readonly told: Told;
  readonly row: ExplainedRow;
  readonly locale: Locale;
  readonly random: Random;
}

export const readerOf = (told: Told, row: ExplainedRow, locale: Locale): Reader => ({
  ...{ told, row, locale },
  random: stream(row.row, "reader", locale.id),
});

/** Scores of rows of cells by the model itself. */
async function scoresOf({ told }: Reader, cells: readonly (readonly Cell[])[]): Promise<number[][]> {
  const { features } = told.explanation.schema;
  const codes = cells.flatMap((row) =>
    row.map((cell, k) => {
      const feature = features[k]!;
      if (cell === null) return Number.NaN;
      return ["categorical", "ordinal", "boolean"].includes(feature.kind)
        ? levelsOf(feature).indexOf(String(cell))
        : Number(cell);
    }),
  );
  const rows = matrix(cells.length, features.length, Float64Array.from(codes));
  const outputs = await Promise.all(
    told.model.model.outputs.map((_, o) => told.model.model.predict(rows, o)),
  );
  return cells.map((_, i) => outputs.map((scores) => scores[i]!));
}

/** Is the target reached? Read from its definition, without the library. */
function reaches({ told }: Reader, scores: readonly number[]): boolean {
  const { goal, outputs } = told.explanation;
  if (goal.kind !== "each") throw new Error("no goal of a row");
  const { minMargin = 0 } = goal;
  const target: Target = goal.target;
  if (!("class" in target)) {
    const { above, below, min, max } = target;
    const at = target.output === undefined ? outputs.length - 1 : outputs.indexOf(String(target.output));
    const score = scores[at]!;
    const inside =
      (above === undefined || score > above) &&
      (below === undefined || score < below) &&
      (min === undefined || score >= min) &&
      (max === undefined || score <= max);
    const past = [above, min].map((edge) => score - (edge ?? Number.NEGATIVE_INFINITY));
    return inside && Math.min(...past) >= minMargin;
  }
  const named = [target.class].flat().map(String);
  const wanted = outputs.map((name) => named.includes(name) !== Boolean(target.not));
  const top = (is: boolean): number => Math.max(...scores.filter((_, o) => wanted[o] === is));
  if (outputs.length === 2) return top(true) > 0.5 && top(true) - 0.5 >= minMargin;
  return top(true) > top(false) && top(true) - top(false) >= minMargin;
}

/** A row with some cells changed reaches the target, by the model. */
async function allReach(reader: Reader, cells: readonly (readonly Cell[])[]): Promise<void> {
  for (const scores of await scoresOf(reader, cells)) expect(reaches(reader, scores)).toBe(true);
}

const featureCalled = ({ told }: Reader, label: string): Feature =>
  told.explanation.schema.features.find((feature) => labelOf(feature) === label)!;

const placeOf = ({ told }: Reader, { name }: Feature): number =>
  told.explanation.schema.features.findIndex((feature) => feature.name === name);

/** A cell as a letter writes it. */
function cellIn({ locale }: Reader, feature: Feature, text: string): Cell {
  const plain =
    feature.unit && text.endsWith(` ${feature.unit}`) ? text.slice(0, -feature.unit.length - 1) : text;
  if (plain === locale.missing) return null;
  if (feature.kind === "boolean") return plain === locale.yes;
  return feature.kind === "numeric" || feature.kind === "integer" ? numberIn(plain, locale) : plain;
}

interface Promised {
  readonly k: number;
  draw(): Cell;
}

/** What an item of a plan promises: a way to draw values of one feature. */
function promised(reader: Reader, text: string): Promised {
  const found = /^(?<label>.+?): (?<what>.+) \((?:now|jetzt) (?<now>.+)\)$/.exec(text);
  expect(found, text).not.toBeNull();
  const { label, what, now } = found!.groups as { label: string; what: string; now: string };
  const feature = featureCalled(reader, label);
  const k = placeOf(reader, feature);
  expect(feature.immutable, text).not.toBe(true);
  expect(cellIn(reader, feature, now), text).toEqual(reader.row.x[k]);
  if (/^(left out|ohne Angabe)$/.test(what)) return { k, draw: () => null };
  const range =
    /^(?:(at least|mindestens)|(at most|höchstens)|(between|zwischen)) (.+?)(?: (?:and|und) (.+))?$/.exec(
      what,
    );
  if (!range) return { k, draw: () => cellIn(reader, feature, what) };
  const ends = [range[4]!, range[5] ?? range[4]!].map((end) => Number(cellIn(reader, feature, end)));
  const column = reader.told.data.rows;
  const seen = Array.from({ length: column.rows }, (_, i) => column.data[i * column.cols + k]!).filter(
    Number.isFinite,
  );
  const low = range[1] || range[3] ? ends[0]! : (feature.min ?? Math.min(...seen));
  const high = range[2] ? ends[0]! : range[3] ? ends[1]! : (feature.max ?? Math.max(...seen));
  const step = feature.kind === "integer" ? 1 : (feature.step ?? 0.01);
  return {
    k,
    draw: () => {
      const t = reader.random.next();
      const at = t < 0.2 ? low : t < 0.4 ? high : low + reader.random.next() * (high - low);
      return Number(Math.min(high, Math.max(low, Math.round(at / step) * step)).toFixed(6));
    },
  };
}

const DRAWS = 25;

/** Every combination of the promised values takes the row to the target, as far as 25 draws show. */
export async function planHolds(reader: Reader, items: readonly string[]): Promise<void> {
  const parts = items.map((item) => promised(reader, item));
  const cells = Array.from({ length: DRAWS }, () => {
    const row = [...reader.row.x];
    for (const { k, draw } of parts) row[k] = draw();
    return row;
  });
  await allReach(reader, cells);
}

/** The second plan takes the row to the target by each of the models it was made for, too. */
export async function sturdyHolds(reader: Reader, items: readonly string[]): Promise<void> {
  const { told } = reader;
  const others = told.model.also!;
  expect(others.length).toBeGreaterThan(0);
  await planHolds(reader, items);
  for (const model of others)
    await planHolds({ ...reader, told: { ...told, model: { ...told.model, model } } }, items);
}

/** A reason names a value of this row, and the value it is compared with is what is typical of rows at the target. */
export function reasonHolds(reader: Reader, item: string, rank: number): void {
  const { row, told, locale } = reader;
  const strongest = row.attributions
    .map((phi, k) => ({ phi, k }))
    .filter(
      ({ phi }) => phi !== 0 && Math.sign(phi) === Math.sign(row.attributions.reduce((a, b) => a + b, 0)),
    )
    .sort((a, b) => Math.abs(b.phi) - Math.abs(a.phi) || a.k - b.k);
  const { k } = strongest[rank]!;
  const feature = told.explanation.schema.features[k]!;
  const found = /^(?:\[(?<code>.+?)\] )?(?<text>.+)$/.exec(item)!.groups as { code?: string; text: string };
  if (found.code !== undefined) return;
  const said =
    /^(?<label>.+?)(?:: )(?<value>.+?)(?:; (?:typically (?<en>.+) in similar cases with the outcome sought|üblicherweise (?<de>.+) in ähnlichen Fällen mit dem angestrebten Ergebnis))?$/.exec(
      found.text,
    )!;
  const { label, value, en, de } = said.groups as { label: string; value: string; en?: string; de?: string };
  const other = en ?? de;
  expect(label).toBe(labelOf(feature));
  expect(cellIn(reader, feature, value), item).toEqual(row.x[k]);
  const typical = row.typical![k]!;
  if (other === undefined) expect(typical === null || typical === row.x[k], item).toBe(true);
  else expect(cellIn(reader, feature, other), `${item} ${locale.id}`).toEqual(typical);
}

/** The goal without its margin, which rows of the table need not keep. */
function withoutMargin(told: Told): Told {
  const { minMargin: _, ...goal } = told.explanation.goal as Extract<Goal, { kind: "each" }>;
  return { ...told, explanation: { ...told.explanation, goal } };
}

/** A level as the table of the test has it. */
const plainLevel = (feature: Feature, cell: Cell): Cell =>
  feature.kind === "boolean" ? levelsOf(feature)[Number(cell)]! : cell;

const NUMBER = "(−?-?[\\d.,]*\\d)";
const quoted = '[“„]([^”“"]+)[”“]';

type Check = (reader: Reader, found: RegExpExecArray) => void | Promise<void>;

const near = (text: string, value: number, { locale }: Reader): void => {
  const digits = text.split(locale.numbers.decimal)[1]?.length ?? 0;
  expect(Math.abs(numberIn(text, locale) - value)).toBeLessThanOrEqual(0.5001 * 10 ** -digits);
};

/** The score that the letter speaks of is the row's, by the model. */
const scoreIs: Check = async (reader, found) => {
  const { told, row } = reader;
  const [scores] = await scoresOf(reader, [row.x]);
  expect(found[1]).toBe(told.explanation.output);
  near(found[2]!, scores![told.explanation.outputs.indexOf(found[1]!)]!, reader);
};

/** The edge that the letter names is that of the target. */
const edgeIs =
  (sign: (target: Exclude<Target, { class: unknown }>) => number | undefined, ofClass = false): Check =>
  ({ told, locale }, found) => {
    const { goal } = told.explanation;
    const { target } = goal as { target: Target };
    const edge = "class" in target ? (ofClass ? (target.threshold ?? 0.5) : undefined) : sign(target);
    expect(numberIn(found[1]!, locale)).toBe(edge);
  };

const provenModel =
  (least: boolean): Check =>
  ({ row }) => {
    expect(row.proof).toMatchObject({ claim: "optimal", scope: "model" });
    expect(row.proof!.change === "least").toBe(least);
    expect(row.proof!.least).toBeUndefined();
  };

const ranged = (row: ExplainedRow): readonly string[] =>
  (row.ranges ?? []).filter(({ from, to, open }) => open || from !== to).map(({ known }) => known);

/** Everything a letter may say outside its lists, in two languages, and what has to be true for it. */
const CLAIMS: readonly (readonly [RegExp, Check])[] = [
  [
    /^(?:The outcome sought was|Angestrebt war das Ergebnis) (.+?)\. (?:The model's assessment of the data did not lead to it|Die Bewertung der Daten durch das Modell führte nicht dazu)\./,
    async (reader, found) => {
      const [scores] = await scoresOf(reader, [reader.row.x]);
      expect(reaches(reader, scores!)).toBe(false);
      const { target } = reader.told.explanation.goal as { target: Target };
      const names = [...found[1]!.matchAll(new RegExp(quoted, "g"))].map(([, name]) => name);
      expect(names).toEqual(
        "class" in target ? [target.class].flat().map(String) : [reader.told.explanation.output],
      );
      expect(/any other than|jedes andere als/.test(found[1]!)).toBe(
        "class" in target && target.not === true,
      );
    },
  ],
  [new RegExp(`^(?:The score for|Der Score für) ${quoted} (?:was|war) ${NUMBER}\\.`), scoreIs],
  [
    /^(?:It would have to be (.+?)|Er müsste (.+?) liegen)\.(?= |$)/,
    async (reader, found) => {
      const edges = (found[1] ?? found[2]!).split(/ and | und /);
      const { target } = reader.told.explanation.goal as { target: Target };
      const wanted =
        "class" in target
          ? 1
          : [target.above, target.below, target.min, target.max].filter((edge) => edge !== undefined).length;
      expect(edges).toHaveLength(wanted);
      const words: readonly (readonly [RegExp, Check])[] = [
        [/^(?:above|über) (.+)$/, edgeIs(({ above }) => above, true)],
        [/^(?:at least|bei mindestens) (.+)$/, edgeIs(({ min }) => min)],
        [/^(?:below|unter) (.+)$/, edgeIs(({ below }) => below)],
        [/^(?:at most|bei höchstens) (.+)$/, edgeIs(({ max }) => max)],
      ];
      for (const edge of edges) await held(reader, edge, words);
    },
  ],
  [
    /^(?:For this outcome it would have to be the highest of all|Für dieses Ergebnis müsste er der höchste von allen) (\d+)(?: sein)?\./,
    async (reader, found) => {
      const [scores] = await scoresOf(reader, [reader.row.x]);
      expect(Number(found[1])).toBe(scores!.length);
      const { outputs, output } = reader.told.explanation;
      const own = scores![outputs.indexOf(output)]!;
      expect(own <= Math.max(...scores!.filter((_, o) => o !== outputs.indexOf(output)))).toBe(true);
    },
  ],
  [
    new RegExp(
      `^(?:The highest score of the outcomes sought, less the highest of the others, was|Der höchste Score der angestrebten Ergebnisse, vermindert um den höchsten der anderen, war) ${NUMBER}\\. (?:It would have to be above 0|Er müsste über 0 liegen)\\.`,
    ),
    async (reader, found) => {
      const [scores] = await scoresOf(reader, [reader.row.x]);
      const { target } = reader.told.explanation.goal as { target: Extract<Target, { class: unknown }> };
      const named = [target.class].flat().map(String);
      const is = (o: number): boolean =>
        named.includes(reader.told.explanation.outputs[o]!) !== Boolean(target.not);
      const top = (inside: boolean): number => Math.max(...scores!.filter((_, o) => is(o) === inside));
      near(found[1]!.replace("−", "-"), top(true) - top(false), reader);
      expect(top(true)).toBeLessThanOrEqual(top(false));
    },
  ],
  [
    new RegExp(
      `^(?:A distance of at least ${NUMBER} beyond that was asked for|Verlangt war ein Abstand von mindestens ${NUMBER} darüber hinaus)\\.`,
    ),
    ({ told, locale }, found) => {
      const { goal } = told.explanation;
      expect(numberIn(found[1] ?? found[2]!, locale)).toBe(goal.kind === "each" && goal.minMargin);
    },
  ],
  [
    /^(?:(?:This fact|These facts) weighed most against that outcome(?:, the strongest first)?|Diese Tatsachen? sprach(?:en)? am stärksten gegen dieses Ergebnis(?:, die stärkste zuerst)?):/,
    ({ row }, found) => {
      const sum = row.attributions.reduce((a, b) => a + b, 0);
      const most = row.attributions.reduce((top, phi) => (phi * sum > top * sum ? phi : top));
      const pulls = row.attributions.filter((phi) => phi * sum > 0 && Math.abs(phi) > Math.abs(most) / 20);
      // Features that carry less than a hundredth may go untold: one that carries a twentieth of the most does not.
      if (/strongest first|stärkste zuerst/.test(found[0]!))
        expect(row.attributions.filter((phi) => phi * sum > 0).length).toBeGreaterThan(1);
      else expect(pulls).toHaveLength(1);
    },
  ],
  [
    /^(?:“Compared with” names the value of the example that the case was held against|„Zum Vergleich“ nennt den Wert des Beispiels, mit dem der Fall verglichen wurde)\./,
    ({ row }) => {
      expect(row.typical).toBeUndefined();
      expect(row.proposal.length).toBeGreaterThan(0);
    },
  ],
  [
    /^(?:“Typically” is the middle or most frequent value in the cases most like this one to which the model gives the outcome sought|„Üblicherweise“ nennt den mittleren oder häufigsten Wert in den ähnlichsten Fällen, denen das Modell das angestrebte Ergebnis gibt)\./,
    async (reader) => {
      const { typical } = reader.row;
      const { data, explanation } = reader.told;
      const { features } = explanation.schema;
      const cells = Array.from({ length: data.rows.rows }, (_, i) =>
        features.map((feature, k): Cell => {
          const code = data.rows.data[i * data.rows.cols + k]!;
          if (Number.isNaN(code)) return null;
          return feature.kind === "numeric" || feature.kind === "integer" ? code : levelsOf(feature)[code]!;
        }),
      );
      const scores = await scoresOf(reader, cells);
      const atTarget = cells.filter((_, i) =>
        reaches({ ...reader, told: withoutMargin(reader.told) }, scores[i]!),
      );
      for (const [k, cell] of typical!.entries())
        if (cell !== null)
          expect(atTarget.some((row) => Object.is(row[k], plainLevel(features[k]!, cell)))).toBe(true);
    },
  ],
  [
    new RegExp(
      `^(?:With (?:this one change|these changes) and everything else as it was, the same model would have given the outcome sought|Mit (?:dieser einen Änderung|diesen Änderungen), alles Übrige wie bisher, hätte dasselbe Modell das angestrebte Ergebnis vergeben)(?: \\([Ss]core ${NUMBER}\\))?:`,
    ),
    async (reader, found) => {
      const { row, told } = reader;
      expect(/this one|dieser einen/.test(found[0])).toBe(row.edits.length === 1);
      if (found[1] === undefined) return;
      const { features } = told.explanation.schema;
      const z = features.map(
        ({ name }, k) => row.edits.find((edit) => edit.feature === name)?.to ?? row.x[k]!,
      );
      const cleared = features.map(({ name }, k) =>
        row.edits.some((edit) => edit.feature === name && edit.to === null) ? null : z[k]!,
      );
      const [scores] = await scoresOf(reader, [cleared]);
      near(found[1], scores![told.explanation.outputs.indexOf(told.explanation.output)]!, reader);
    },
  ],
  [
    /^(?:Every such value would have been enough(?:, in any combination)?; that is certified|Jeder solche Wert hätte genügt(?:, in jeder Zusammenstellung)?; das ist bewiesen)\./,
    ({ row }) => expect([...new Set(ranged(row))]).toEqual(["certified"]),
  ],
  [
    /^(?:Such values would have been enough, as far as they were tried|Solche Werte hätten genügt, soweit sie probiert wurden)\./,
    ({ row }) => expect(ranged(row)).toContain("tested"),
  ],
  [
    /^(?:It is proven that fewer changes to permitted values would not have been enough, and (\d+) changes that are smaller taken together would not have been either|Es ist bewiesen, dass weniger Änderungen auf zulässige Werte nicht genügt hätten und (\d+) zusammen kleinere Änderungen auch nicht)\./,
    (reader, found) => {
      provenModel(true)(reader, found);
      expect(Number(found[1] ?? found[2])).toBe(reader.row.edits.length);
      expect(reader.row.edits.length).toBeGreaterThan(1);
    },
  ],
  [
    /^(?:It is proven that no smaller single change to permitted values would have been enough|Es ist bewiesen, dass keine kleinere einzelne Änderung auf zulässige Werte genügt hätte)\./,
    (reader, found) => {
      provenModel(true)(reader, found);
      expect(reader.row.edits).toHaveLength(1);
    },
  ],
  [
    /^(?:How large a change is, is measured by how much people usually differ in that fact|Wie groß eine Änderung ist, wird daran gemessen, wie sehr sich Menschen in dieser Angabe gewöhnlich unterscheiden)\./,
    ({ row }) => expect(row.proof!.change).toBe("least"),
  ],
  [
    /^(?:It is proven that fewer changes would not have been enough, whatever permitted values are chosen|Es ist bewiesen, dass weniger Änderungen nicht genügt hätten, welche zulässigen Werte man auch wählt)\./,
    provenModel(false),
  ],
  [
    /^(?:What is known of other plans|Was über andere Pläne bekannt ist): (.+?)\.$/,
    ({ row }, found) => {
      expect(row.proof).not.toBeNull();
      const none = /no values|no plan that|keine Werte|kein Plan, der|keiner? der|none of/i.test(found[1]!);
      if (row.proof!.claim === "none exists") expect(none, found[1]).toBe(true);
      expect(/mindestens|at least/.test(found[1]!)).toBe(row.proof!.claim === "at least");
    },
  ],
  [
    /^(?:Permitted here|Zulässig ist hier): (.+?)\.(?= \p{Lu}|$)/u,
    ({ row, told, locale }, found) => {
      for (const { feature: name, from, to } of row.proof!.domain!) {
        const feature = told.explanation.schema.features.find((one) => one.name === name)!;
        const ends = [from, to].map((end) => String(end).replace(".", locale.numbers.decimal));
        expect(found[1]).toMatch(
          new RegExp(`${labelOf(feature)} (?:from|von) ${ends[0]} (?:to|bis) ${ends[1]}`),
        );
      }
    },
  ],
  [
    /^(?:Th(?:is|ese) would|Each of these would|Auch (?:dies|jeder dieser Wege)) (?:have been enough, too, in place of the above|hätte genügt, anstelle des obigen):/,
    ({ row }, found) => {
      expect(row.valid).toBe(true);
      expect(/Each|jeder/.test(found[0]!)).toBe(row.alternatives.length > 1);
    },
  ],
  [
    /^(?:There (?:is|are) (\d+) further ways?; you may ask for (?:it|them)|Es gibt (\d+) weiteren? Wege?; Sie können danach fragen)\./,
    ({ row }, found) => expect(Number(found[1] ?? found[2])).toBe(row.alternatives.length - 3),
  ],
  [
    /^(?:There are no further ways with as few changes|Weitere Wege mit so wenigen Änderungen gibt es nicht)\./,
    ({ row }) => expect(row.allAlternatives).toBe(true),
  ],
  [
    /^(?:No plan was found: with the values that may change, the outcome sought was not reached|Es wurde kein Plan gefunden: Mit den Werten, die sich ändern dürfen, wurde das angestrebte Ergebnis nicht erreicht)\./,
    ({ row }) => expect(row.valid).toBe(false),
  ],
  [
    /^(?:It is proven that no permitted values lead to the outcome sought|Es ist bewiesen, dass keine zulässigen Werte zum angestrebten Ergebnis führen)\./,
    async (reader) => {
      expect(reader.row.proof).toMatchObject({ claim: "none exists", scope: "model" });
      const { features } = reader.told.explanation.schema;
      const table = reader.told.data.rows;
      const cells = Array.from({ length: 200 }, () =>
        features.map((feature, k): Cell => {
          if (feature.immutable) return reader.row.x[k]!;
          const code = table.data[reader.random.int(table.rows) * table.cols + k]!;
          if (Number.isNaN(code)) return reader.row.x[k]!;
          return feature.kind === "numeric" || feature.kind === "integer" ? code : levelsOf(feature)[code]!;
        }),
      );
      for (const scores of await scoresOf(reader, cells)) expect(reaches(reader, scores)).toBe(false);
    },
  ],
  [
    /^(?:A plan is no promise\. The model may be changed, the data may be newer, or a person may decide otherwise|Ein Plan ist keine Zusage\. Das Modell kann geändert werden, die Daten können neuer sein, oder ein Mensch kann anders entscheiden)\./,
    ({ row }) => expect(row.valid).toBe(true),
  ],
  [
    /^(?:This letter says how this model answers, not what is sure to happen: when a value changes in life, others may change with it|Dieses Schreiben sagt, wie dieses Modell antwortet, nicht was sicher eintritt: Ändert sich im Leben ein Wert, können sich andere mitändern)\./,
    // True of any letter about a model; that is all there is to check.
    ({ told }) => expect(told.explanation.goal.kind).toBe("each"),
  ],
  [
    /^(?:Of (\d+) models trained anew on other samples of the data, about (\d+) in 10 accepted this plan \((.+?) to (.+?)\)|Von (\d+) Modellen, die mit anderen Stichproben der Daten neu trainiert wurden, haben etwa (\d+) von 10 diesen Plan angenommen \((.+?) bis (.+?)\))\./,
    ({ row }, found) => {
      const told = [row.survival!, row.sturdy?.survival].some(
        (one) =>
          one &&
          Number(found[1] ?? found[5]) === one.models &&
          Math.abs(Number(found[2] ?? found[6]) - 10 * one.share) <= 0.5 &&
          (found[3] ?? found[7]) === percent(one.low) &&
          (found[4] ?? found[8]) === percent(one.high),
      );
      expect(told).toBe(true);
    },
  ],
  [
    /^(?:With (?:this one change|these changes) in place of the above, (\d+) further models? would have given the outcome sought, too|Mit (?:dieser einen Änderung|diesen Änderungen) anstelle des Obigen hätten? auch (\d+) weiteres? Modelle? das angestrebte Ergebnis vergeben):/,
    ({ row }, found) => {
      expect(Number(found[1] ?? found[2])).toBe(row.sturdy!.scores.length);
      expect(/this one|dieser einen/.test(found[0]!)).toBe(row.sturdy!.edits.length === 1);
    },
  ],
];

async function held(
  reader: Reader,
  text: string,
  claims: readonly (readonly [RegExp, Check])[],
): Promise<string> {
  for (const [pattern, check] of claims) {
    const found = pattern.exec(text);
    if (!found) continue;
    await check(reader, found);
    return text.slice(found[0].length).trimStart();
  }
  return expect.fail(`nobody can say whether this is true: ${text}`);
}

/** Reads a paragraph sentence by sentence; one that cannot be held against anything is a failure. */
export async function everySentenceHolds(reader: Reader, paragraph: string): Promise<void> {
  let rest = paragraph;
  while (rest !== "") rest = await held(reader, rest, CLAIMS);
}
