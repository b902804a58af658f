import { stream } from "../src/num/random.ts";
import { mean, median } from "../src/num/stats.ts";
import { percent, type Sheet } from "./present.ts";
import { LEVEL, type Saving } from "./savings.ts";
import { DATA, GENERATORS, type GeneratorKey, MODELS, type Scenario, scenarioOf } from "./settings.ts";
import { bootstrap, ratioOfMeans } from "./statistics.ts";

type Known = Saving & { readonly sampling: number; readonly joint: number; readonly of: Scenario };

function known(savings: readonly Saving[]): Known[] {
  return savings.flatMap((saving) => {
    const { sampling, joint } = saving;
    return sampling === undefined || joint === undefined
      ? []
      : [{ ...saving, sampling, joint, of: scenarioOf(saving.scenario) }];
  });
}

/** A share of the edits that is called much. */
const MUCH = 0.4;

const share = (sampling: number, joint: number): string => percent(1 - joint / sampling);
const means = (of: readonly Known[]): [number, number] => [
  mean(of.map((s) => s.sampling)),
  mean(of.map((s) => s.joint)),
];

/** `1.63 → 0.80 (51 %)`; a dash where there is none. */
function cell(of: readonly Known[]): string {
  if (of.length === 0) return "–";
  const [sampling, joint] = means(of);
  return `${sampling.toFixed(2)} → ${joint.toFixed(2)} (${share(sampling, joint)})`;
}

/** Model by model and generator by generator, with the means of rows, columns and all. */
export function savingsSheets(savings: readonly Saving[]): Sheet[] {
  const all = known(savings);
  return [...new Set(all.map(({ of }) => of.data))].map((data) => {
    const own = all.filter(({ of }) => of.data === data);
    const keys = (Object.keys(GENERATORS) as GeneratorKey[]).filter((key) =>
      own.some(({ of }) => of.generator === key),
    );
    const line = (name: string, some: readonly Known[]): string[] => [
      name,
      ...keys.map((key) => cell(some.filter(({ of }) => of.generator === key))),
      cell(some),
    ];
    const models = [...new Set(own.map(({ of }) => of.model))];
    return {
      name: `savings-${data}`,
      title: `${DATA[data].title}: edits per row, paper sampling → joint + minimal (fewer by)`,
      columns: ["model", ...keys.map((key) => GENERATORS[key].title), "mean"],
      rows: [
        ...models.map((model) =>
          line(
            model,
            own.filter(({ of }) => of.model === model),
          ),
        ),
        line("mean", own),
      ],
    };
  });
}

/** The interval of the ratio of means over scenarios, the savings one by one, and scenarios whose runs fall short. */
function spreadOf(data: string, own: readonly Known[]): string {
  const pairs = own.map(({ joint, sampling }) => [joint, sampling] as const);
  const [low, high] = bootstrap(pairs, ratioOfMeans, stream(0, "savings", data));
  const each = own.map(({ joint, sampling }) => 1 - joint / sampling);
  const much = each.filter((saved) => saved >= MUCH).length;
  const short = own.filter(({ reached = 1 }) => reached < 1).length;
  return [
    ` The ratio of means has the 95 % interval ${percent(1 - high)} … ${percent(1 - low)} (bootstrap over scenarios);`,
    ` the savings of single scenarios have mean ${percent(mean(each))} and median ${percent(median(each))}, and ${much} of ${own.length} save at least ${percent(MUCH)}.`,
    short > 0
      ? ` In ${short} of ${own.length} scenarios some runs of the sampling never reach the level; its mean is over those that do.`
      : " Every run of the sampling reaches the level.",
  ].join("");
}

/** What is saved per data set: over all scenarios, with KNN alone, and where there was something to save. */
export function savingsVerdict(savings: readonly Saving[]): string[] {
  const all = known(savings);
  const names = [...new Set(all.map(({ of }) => of.data))];
  const lines = names.map((data) => {
    const own = all.filter(({ of }) => of.data === data);
    const knn = own.filter(({ of }) => of.generator === "knn");
    const least = Math.min(...knn.map((s) => 1 - s.joint / s.sampling));
    const proven = own.filter((s) => s.joint === s.bound).length;
    const absent = MODELS.filter((model) => !own.some(({ of }) => of.model === model));
    const but = absent.length === 0 || own.length < MODELS.length ? "" : ` (without ${absent.join(", ")})`;
    const near =
      knn.length > 0
        ? `; with KNN ${cell(knn)}, at least ${Math.round(100 * least)} % with each of ${knn.length} models`
        : "";
    return `${DATA[data].title}, ${own.length} scenarios${but}: ${cell(own)}${near}.${spreadOf(data, own)} In ${proven} no one-to-one coupling within the cap, among the references looked at (the 32 nearest of a row, 4 with a Gaussian process), can do with fewer.`;
  });
  const absent = savings.filter(({ why }) => why).map(({ scenario, why }) => `${scenario}: ${why}`);
  return [
    `joint + minimal (one-to-one, no row farther than its transport proposal) against paper sampling (CF-p_OT, first-hit) at ${100 * LEVEL} % of MeanD on labels. A row that flips takes an edit, so from D = 1 no method needs fewer than ${LEVEL.toFixed(2)}; DiCE and AReS change about one column of a row, so there is next to nothing to save.`,
    ...lines,
    ...(absent.length > 0 ? [`Without a result: ${absent.join("; ")}.`] : []),
  ];
}
