import type { FlatModel, Tree } from "../certificate.ts";
import type { FlatFile, Json } from "./file.ts";

const LINKS: Readonly<Record<string, FlatModel["link"]>> = {
  "binary:logistic": "logistic",
  "reg:logistic": "logistic",
  "multi:softprob": "softmax",
  "multi:softmax": "softmax",
  "count:poisson": "exp",
  "reg:gamma": "exp",
  "reg:tweedie": "exp",
};

/** An XGBoost file in JSON: float32 all through, left below a threshold, members of a category list right. */
export function flatXgboost({ learner }: Json): FlatFile {
  const { objective, learner_model_param: param, gradient_booster: booster, attributes = {} } = learner;
  const link = LINKS[objective.name] ?? "identity";
  const groups = Math.max(1, Number(param.num_class ?? 0), Number(param.num_target ?? 0));
  const listed = /^\[/.test(String(param.base_score).trim()) || Array.isArray(param.base_score);
  const given = listed
    ? [JSON.parse(JSON.stringify(param.base_score).replaceAll('"', ""))].flat()
    : [param.base_score];
  const bases = Array.from({ length: groups }, (_, g) =>
    margin(Math.fround(Number(given[g] ?? given[0])), link, listed),
  );
  const shared = { outputs: groups === 1 && objective.name === "binary:logistic" ? 2 : groups, link };
  const rule = { ...shared, below: true, float32: true, single: true, skipsMissing: true };
  const names = learner.feature_names?.length > 0 ? { names: learner.feature_names } : {};
  if (booster.name === "gblinear") {
    const all: number[] = booster.model.weights.map(Math.fround);
    const cols = Number(param.num_feature);
    const sums = bases.map((base, g) => ({
      base: Math.fround(all[cols * groups + g]! + base),
      weights: Array.from({ length: cols }, (_, k) => all[k * groups + g]!),
    }));
    return { model: { ...rule, sums }, ...names };
  }
  const { model, weights } =
    booster.name === "dart" ? { model: booster.gbtree.model, weights: booster.weight_drop } : booster;
  const rounds = attributes.scikit_learn !== undefined && attributes.best_iteration !== undefined;
  const parallel = Math.max(1, Number(model.gbtree_model_param?.num_parallel_tree ?? 1));
  const kept = rounds ? (Number(attributes.best_iteration) + 1) * groups * parallel : model.trees.length;
  const trees = model.trees
    .slice(0, kept)
    .map((tree: Json, t: number) => treeOf(tree, Math.fround(weights?.[t] ?? 1)));
  const sums = bases.map((base, g) => ({
    base,
    trees: trees.filter((_: Tree, t: number) => model.tree_info[t] === g),
  }));
  return { model: { ...rule, sums }, ...names };
}

/** The margin that a base score stands for. */
function margin(score: number, link: string, listed: boolean): number {
  const edge = Math.fround(1e-6);
  const clipped = listed || score === 0 || score === 1;
  if (link === "logistic") {
    const inside = clipped ? Math.min(Math.max(score, edge), Math.fround(1 - edge)) : score;
    return -Math.fround(Math.log(Math.fround(Math.fround(1 / inside) - 1)));
  }
  return link === "exp" ? Math.fround(Math.log(score)) : score;
}

function treeOf(file: Json, weight: number): Tree {
  const { left_children: left, right_children: right, split_indices: column, split_conditions: value } = file;
  const members = new Map<number, number[]>();
  file.categories_nodes?.forEach((node: number, c: number) => {
    const from = file.categories_segments[c];
    members.set(
      node,
      Array.from(file.categories.slice(from, from + file.categories_sizes[c]), Number).sort((a, b) => a - b),
    );
  });
  const tree = (node: number): Tree => {
    if (left[node] === -1) return Math.fround(Math.fround(value[node]) * weight);
    const gapLeft = file.default_left[node] ? 1 : 0;
    const listed = file.split_type?.[node] === 1 ? members.get(node)! : undefined;
    if (listed) return [column[node], listed, gapLeft ? 0 : 1, tree(right[node]), tree(left[node])];
    const edge = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Math.fround(value[node])));
    return [column[node], edge, gapLeft, tree(left[node]), tree(right[node])];
  };
  return tree(0);
}
