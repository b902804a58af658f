import type { Random } from "../../../src/num/random.ts";
import type { Feature } from "../../../src/types.ts";

/** A condition between columns: as the schema writes it, and what it means. */
export interface Rule {
  readonly text: string;
  holds(row: Float64Array): boolean;
}

/** One column of a study. */
export interface Column {
  readonly feature: Feature;
  /** Values its cells are drawn from. */
  readonly grid: readonly number[];
  /** Unit of its values. */
  readonly scale: number;
  /** The value of a derived column. */
  readonly derive?: (row: Float64Array) => number;
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.int(list.length)]!;
}

export function chance(random: Random, share: number): boolean {
  return random.next() < share;
}

const LEVELS = ["low", "mid", "high", "top"];

/** `exponents`: powers of ten the units of numeric columns are drawn from. */
export function drawColumns(random: Random, count: number, exponents: readonly number[]): Column[] {
  const plain = chance(random, 0.4);
  return Array.from({ length: count }, (_, k) => {
    const kind = chance(random, plain ? 0.8 : 0.45)
      ? "numeric"
      : pick(random, ["integer", "ordinal", "categorical", "boolean"] as const);
    const column = drawKind(random, `f${k}`, kind, exponents);
    return plain ? column : constrained(random, column);
  });
}

function drawKind(random: Random, name: string, kind: Feature["kind"], exponents: readonly number[]): Column {
  if (kind === "numeric") {
    const scale = chance(random, 0.3) ? 10 ** pick(random, exponents) : 1;
    const grid = Array.from({ length: 9 }, (_, g) => Number((scale * (g / 2 - 2)).toPrecision(15)));
    return { feature: { name, kind }, grid, scale };
  }
  if (kind === "integer") {
    const scale = chance(random, 0.2) ? 10 ** Math.max(0, pick(random, exponents)) : 1;
    return { feature: { name, kind }, grid: Array.from({ length: 7 }, (_, g) => scale * (g - 2)), scale };
  }
  const levels = kind === "boolean" ? 2 : 2 + random.int(3);
  const categories = kind === "boolean" ? {} : { categories: LEVELS.slice(0, levels) };
  return {
    feature: { name, kind, ...categories },
    grid: Array.from({ length: levels }, (_, level) => level),
    scale: 1,
  };
}

/** The column with some constraints of its own. */
function constrained(random: Random, column: Column): Column {
  const { feature, grid, scale } = column;
  const some = (share: number, more: () => Partial<Feature>): Partial<Feature> =>
    chance(random, share) ? more() : {};
  const own = isLevelled(feature)
    ? levelConstraints(random, feature, some)
    : {
        ...some(0.12, () => ({ min: grid[random.int(4)]! })),
        ...some(0.12, () => ({ max: grid[4 + random.int(grid.length - 4)]! })),
        ...some(0.15, () => ({ direction: pick(random, ["up", "down"] as const) })),
        ...some(0.08, () => ({ allowed: grid.filter((_, g) => g % 2 === 0) })),
        ...some(0.08, () => (feature.kind === "numeric" ? { step: scale, min: grid[0]! } : {})),
        ...some(0.05, () => ({ tolerance: 0.6 * scale })),
      };
  return {
    ...column,
    feature: {
      ...feature,
      ...own,
      ...some(0.08, () => ({ immutable: true })),
      ...some(0.25, () => ({ editMissing: true })),
      ...some(0.5, () => ({ cost: pick(random, [0.5, 2, 3, 7]) })),
    },
  };
}

function levelConstraints(
  random: Random,
  feature: Feature,
  some: (share: number, more: () => Partial<Feature>) => Partial<Feature>,
): Partial<Feature> {
  const { kind, categories } = feature;
  if (!categories) return {};
  return {
    ...some(0.15, () => ({ allowed: categories.filter(() => chance(random, 0.7)) })),
    ...some(0.15, () => (kind === "ordinal" ? { direction: pick(random, ["up", "down"] as const) } : {})),
    ...some(0.15, () => ({
      transitions: Object.fromEntries(
        categories
          .filter(() => chance(random, 0.7))
          .map((from) => [from, categories.filter(() => chance(random, 0.6))]),
      ),
    })),
  };
}

export function isLevelled({ kind }: Feature): boolean {
  return kind === "categorical" || kind === "ordinal" || kind === "boolean";
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/** A condition on one column, on two, or one of two conditions. */
export function drawRule(random: Random, columns: readonly Column[]): Rule {
  if (chance(random, 0.25)) {
    const [a, b] = [drawComparison(random, columns), drawComparison(random, columns)];
    const both = chance(random, 0.4);
    return {
      text: `(${a.text}) ${both ? "and" : "or"} (${b.text})`,
      holds: (row) => (both ? a.holds(row) && b.holds(row) : a.holds(row) || b.holds(row)),
    };
  }
  return drawComparison(random, columns);
}

function drawComparison(random: Random, columns: readonly Column[]): Rule {
  const k = random.int(columns.length);
  const { feature, grid } = columns[k]!;
  if (isLevelled(feature)) {
    const level = pick(random, grid);
    const op = pick(random, ["==", "!=", "!="]);
    const name = feature.categories ? `'${feature.categories[level]}'` : String(level);
    return { text: `${feature.name} ${op} ${name}`, holds: (row) => OPERATORS[op]!(row[k]!, level) };
  }
  const numbers = columns.flatMap((column, at) => (isLevelled(column.feature) || at === k ? [] : [at]));
  const op = pick(random, Object.keys(OPERATORS));
  if (numbers.length > 0 && chance(random, 0.4)) {
    const other = pick(random, numbers);
    const kept = op === "==" ? "<=" : op;
    return {
      text: `${feature.name} ${kept} ${columns[other]!.feature.name}`,
      holds: (row) => OPERATORS[kept]!(row[k]!, row[other]!),
    };
  }
  const kept = op === "==" ? "!=" : op;
  const value = pick(random, grid);
  return { text: `${feature.name} ${kept} ${value}`, holds: (row) => OPERATORS[kept]!(row[k]!, value) };
}

/** A column computed from two others, or undefined where there are no numbers to compute from. */
export function drawDerived(random: Random, columns: readonly Column[]): Column | undefined {
  const numbers = columns.flatMap((column, k) => (isLevelled(column.feature) ? [] : [k]));
  if (numbers.length < 2) return undefined;
  const [a, b] = random.sample(numbers.length, 2);
  const [i, j] = [numbers[a!]!, numbers[b!]!];
  const [p, q] = [columns[i]!.feature.name, columns[j]!.feature.name];
  const forms: readonly (readonly [string, (u: number, v: number) => number])[] = [
    [`${p} + ${q}`, (u, v) => u + v],
    [`${p} - 2 * ${q}`, (u, v) => u - 2 * v],
    [`${p} * ${q}`, (u, v) => u * v],
  ];
  const [derived, value] = pick(random, forms);
  const scale = Math.max(columns[i]!.scale, columns[j]!.scale);
  return {
    feature: { name: `f${columns.length}`, kind: "numeric", derived },
    grid: Array.from({ length: 9 }, (_, g) => scale * (g / 2 - 2)),
    scale,
    derive: (row) => {
      const cell = value(row[i]!, row[j]!);
      return Number.isFinite(cell) ? cell : Number.NaN;
    },
  };
}
