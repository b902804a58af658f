import { beforeAll, expect, test } from "vitest";
import type { Certificate, Proof } from "../../src/certificate.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { choicesOf, costAt } from "../../src/verify/legal.ts";
import { type Verdict, verify } from "../../src/verify/verify.ts";
import { certificateOf, type TestCertificate } from "../support/certificates.ts";
import { hardStudy, type SmallStudy } from "../support/exact-studies.ts";

// biome-ignore lint/suspicious/noExplicitAny: faults are planted in plain JSON
type Json = any;
type Cut = Exclude<Proof, number>;

type Spoilt = readonly { readonly study: SmallStudy; readonly made: TestCertificate }[];

/** Studies of one kind of model with a plan of two edits or more, whose certificates are spoilt. */
async function casesOf(kind: RegExp): Promise<Spoilt> {
  const cases: Spoilt[number][] = [];
  for (let seed = 1; cases.length < 4; seed++) {
    const study = hardStudy(seed);
    if (!kind.test(study.what)) continue;
    const made = await certificateOf(study);
    const first = made && (JSON.parse(made.text) as Certificate).rows[0]!;
    const edits = first?.z.filter((v, k) => v !== first.x[k]).length ?? 0;
    if (made && edits >= 2 && edits < first!.x.length) cases.push({ study, made });
  }
  return cases;
}

let trees: Spoilt = [];
let linear: Spoilt = [];
beforeAll(async () => {
  trees = await casesOf(/forest|gradboost|xgboost|lightgbm/);
  linear = await casesOf(/logistic standard|svm/);
});

/** All cuts of a proof, with what puts another proof in the place of each. */
function cutsOf(row: Json): { readonly cut: Cut; put(other: Proof): void }[] {
  const found: { cut: Cut; put(other: Proof): void }[] = [];
  const look = (proof: Proof, put: (other: Proof) => void): void => {
    if (typeof proof === "number") return;
    const open = proof as Json;
    found.push({ cut: proof, put });
    look(proof[2], (other) => (open[2] = other));
    look(proof[3], (other) => (open[3] = other));
  };
  for (const w of row.proofs.keys()) look(row.proofs[w], (other) => (row.proofs[w] = other));
  return found;
}

/** The first split of the first tree that is one. */
function split({ model }: Json): Json {
  return model.sums[0].trees.find((tree: Json) => typeof tree !== "number");
}

/** The plan with one more value, and what it then costs. */
function replan(certificate: Json, row: Json, k: number, value: number): void {
  row.z[k] = value;
  row.change = row.z.reduce((sum: number, v: number, j: number) => {
    if (v === row.x[j]) return sum;
    const choices = choicesOf(certificate, j, row.x[j], true).slice(1);
    const own = choices.find((c) => Math.min(c.value, c.far) <= v && v <= Math.max(c.value, c.far));
    return sum + (own ? costAt(own, v) : 0);
  }, 0);
}

const edited = (row: Json): number => row.z.findIndex((v: number, k: number) => v !== row.x[k]);
const kept = (row: Json): number => row.z.findIndex((v: number, k: number) => v === row.x[k]);

/** The words that must be in the reason, and what is done to a certificate. */
type Fault = readonly [told: RegExp, plant: (c: Json, row: Json, s: SmallStudy) => void];

const OF_TREES: Readonly<Record<string, Fault>> = {
  "a changed threshold": [/not those of the model file/, (c) => (split(c)[1] += 1)],
  "a changed leaf": [
    /not those of the model file/,
    (c) => {
      let at = split(c);
      while (typeof at[3] !== "number") at = at[3];
      at[3] -= 0.5;
    },
  ],
  "a dropped leaf": [
    /not those of the model file/,
    (c) => {
      const trees = c.model.sums[0].trees;
      const t = trees.findIndex((tree: Json) => typeof tree !== "number");
      trees[t] = trees[t][3];
    },
  ],
  "a dropped tree": [/not those of the model file/, (c) => c.model.sums[0].trees.pop()],
  "another rule for a gap": [/not those of the model file/, (c) => (split(c)[2] = 1 - split(c)[2])],
  "another comparison": [/not those of the model file/, (c) => (c.model.below = !c.model.below)],
  "a cell left out": [/leave out legal numbers/, (c) => c.cells[0].splice(1, 1)],
  "two cells made one": [
    /tells apart/,
    (c) => {
      const list = c.cells.find((cells: Json) => cells.length > 2);
      list.splice(0, 2, [list[0][0], list[1][1]]);
    },
  ],
  "a set that is not refuted": [
    /not refuted/,
    (_, row) =>
      cutsOf(row)
        .find(({ cut }) => cut[1] === null)!
        .put(0),
  ],
  "a gap between boxes": [
    /not refuted/,
    (_, row) => {
      cutsOf(row).at(-1)!.put(0);
    },
  ],
};

const OF_LINEAR: Readonly<Record<string, Fault>> = {
  "a changed weight": [/not those of the model file/, (c) => (c.model.sums[0].weights[0] += 0.1)],
  "a weight of another sign": [/not those of the model file/, (c) => (c.model.sums[0].weights[0] *= -1)],
  "a dropped weight": [/not those of the model file/, (c) => c.model.sums[0].weights.pop()],
  "weights exchanged": [/not those of the model file/, (c) => c.model.sums[0].weights.reverse()],
  "gaps skipped": [/not those of the model file/, (c) => (c.model.skipsMissing = !c.model.skipsMissing)],
  "another scale of an input": [/inputs are not those/, (c) => (c.inputs[0].scale *= 2)],
  "a price that closes nothing": [/not refuted/, (_, row) => (row.proofs[0] = 1e9)],
  "a price below nothing": [/not refuted/, (_, row) => (row.proofs[0] = -1)],
  "a cell cut in two, one half left out": [
    /leave out legal numbers/,
    (c) => (c.cells[0] = [[c.cells[0][0][0], c.cells[0][0][0]]]),
  ],
};

const OF_BOTH: Readonly<Record<string, Fault>> = {
  "another version": [/not a certificate/, (c) => (c.version = 2)],
  "another base": [/not those of the model file/, (c) => (c.model.sums[0].base -= 1)],
  "inputs exchanged": [/inputs are not those/, (c) => c.inputs.reverse()],
  "the last cell left out": [/leave out legal numbers/, (c) => c.cells[1].pop()],
  "a proof that is a word": [/not refuted/, (_, row) => (row.proofs[0] = 0)],
  "no proof for a way": [/one proof for each way/, (_, row) => row.proofs.pop()],
  "a cut at no feature": [/not there/, (_, row) => (row.proofs[0] = [99, null, 0, 0])],
  "a cheaper plan hidden": [
    /not refuted/,
    (c, row, study) => {
      const { ranges } = exactSearch(study.question)!.plan(Float64Array.from(row.x));
      const longer = ranges.find(({ from, to }) => from !== to);
      if (longer) replan(c, row, longer.feature, longer.to);
      else c.rows = [{ ...row, proofs: [0] }];
    },
  ],
  "an edit too many hidden": [
    /not refuted|does not reach/,
    (c, row) => {
      const k = kept(row);
      replan(c, row, k, row.x[k] < 8 ? row.x[k] + 1 : row.x[k] - 1);
    },
  ],
  "an illegal value": [/may not become/, (c, row) => replan(c, row, edited(row), 9)],
  "a value between the steps": [/may not become/, (c, row) => replan(c, row, edited(row), 0.5)],
  "a frozen feature edited": [
    /may not become/,
    (c, row) => (c.schema.features[edited(row)].immutable = true),
  ],
  "an edit against its direction": [
    /may not become/,
    (c, row) => {
      const k = edited(row);
      c.schema.features[k].direction = row.z[k] > row.x[k] ? "down" : "up";
    },
  ],
  "a plan that falls short": [/does not reach/, (c, row) => replan(c, row, edited(row), row.x[edited(row)])],
  "a target raised": [/does not reach/, (c) => (c.target.conditions[0].value = 1)],
  "a target x reaches": [/x is at the target/, (c) => (c.target.conditions[0].value = -1)],
  "a target turned round": [/does not reach|x is at the target/, (c) => (c.target.conditions[0].sign = -1)],
  "another x": [/not what the table says/, (_, row) => (row.x[kept(row)] += row.x[kept(row)] < 8 ? 1 : -1)],
  "a row of nobody": [/no such row/, (_, row) => (row.id = "nobody")],
  "other weights": [/not the table's/, (c) => (c.columns[0].weight *= 2)],
  "another range of a column": [/not the table's/, (c) => (c.columns[0].high += 1)],
  "other decimals": [/not the table's/, (c) => (c.columns[0].decimals = 1)],
  "another change": [/the plan changes by/, (_, row) => (row.change *= 0.9)],
  "a row twice": [/certified twice/, (c, row) => c.rows.push(row)],
  "no rows": [/no row/, (c) => (c.rows = [])],
};

async function verdictOf(made: TestCertificate, spoil: (text: string) => string): Promise<Verdict> {
  return verify(spoil(made.text), made.against);
}

test("the certificates that are spoilt here are accepted as they are", async () => {
  for (const { made } of [...trees, ...linear])
    expect(await verdictOf(made, (text) => text)).toMatchObject({ accepted: true });
});

async function isRefused(cases: Spoilt, [told, plant]: Fault): Promise<void> {
  for (const { study, made } of cases) {
    const verdict = await verdictOf(made, (text) => {
      const certificate = JSON.parse(text);
      plant(certificate, certificate.rows[0], study);
      return JSON.stringify(certificate);
    });
    expect(verdict.accepted, study.what).toBe(false);
    expect(verdict.fault, study.what).toMatch(told);
  }
}

test.each(Object.entries({ ...OF_BOTH, ...OF_TREES }))("trees: %s is refused", (_, fault) =>
  isRefused(trees, fault),
);

test.each(Object.entries({ ...OF_BOTH, ...OF_LINEAR }))("linear models: %s is refused", (_, fault) =>
  isRefused(linear, fault),
);

test("a file that is cut short is refused at any length", async () => {
  const { made } = trees[0]!;
  for (let share = 0; share < 1; share += 0.09) {
    const verdict = await verdictOf(made, (text) => text.slice(0, Math.floor(share * text.length)));
    expect(verdict.fault).toMatch(/damaged/);
  }
});

test("a text that two readers of JSON could read differently is refused; blanks are free", async () => {
  const { made } = trees[0]!;
  const twice = await verdictOf(made, (text) => text.replace('"change":', '"change":0,"change":'));
  expect(twice.fault).toMatch(/given twice/);
  const endless = await verdictOf(made, (text) => text.replace(/"margin":[\d.]+/, '"margin":1e999'));
  expect(endless.fault).toMatch(/none that can be kept/);
  const spaced = await verdictOf(made, (text) => JSON.stringify(JSON.parse(text), null, 2));
  expect(spaced.accepted).toBe(true);
});

test("an input that reads its column otherwise than its name says is told among what is trusted", async () => {
  const plain = trees.filter(({ made }) =>
    JSON.parse(made.text).inputs.every((its: Json) => its.scale === 1),
  );
  expect(plain.length).toBeGreaterThan(0);
  for (const { made } of plain) {
    const { schema } = JSON.parse(made.text) as Certificate;
    const { inputs: _, ...file } = made.against;
    const against = { ...file, names: schema.features.map(({ name }) => name) };
    const told = async (spoil: (c: Json) => void): Promise<string> => {
      const certificate = JSON.parse(made.text);
      spoil(certificate);
      return (await verify(JSON.stringify(certificate), against)).trusted.join();
    };
    const first = /how f0 becomes input f0/;
    expect(await told(() => {})).not.toMatch(first);
    expect(await told((c) => (c.inputs[0].constant = c.rows[0].x[0]))).toMatch(first);
    expect(await told((c) => (c.schema.features[0].name = "f1"))).toMatch(/how f1 becomes input f0/);
    expect(await told((c) => (c.schema.features[1].name = "f-0"))).toMatch(first);
    const holes = (c: Json): void => {
      c.schema.features[0].editMissing = true;
      c.inputs[0].missing = 3;
    };
    expect(await told(holes)).toMatch(first);
  }
});
