import { ColaError } from "../errors.ts";
import type { LinearWeights } from "../model/linear.ts";
import { squaredLoss } from "../model/loss.ts";
import type { Steps } from "../model/steps.ts";
import type { Random } from "../num/random.ts";
import { descend } from "./adam.ts";
import { initialise, type Network, network, networkLoss } from "./network.ts";
import type { ClassTask } from "./training.ts";

/**
 * The paper's experiment trains LR, SVM, DNN and RBF alike: squared loss (s − y)² on labels 0/1, all rows in
 * one batch, 300 steps of Adam at rate 0.01, whatever the name says.
 */
export const AUTHORS = { rate: 0.01, epochs: 300, batch: Number.POSITIVE_INFINITY } as const;

/** The authors' networks have a single output. */
export function requireTwoClasses(owner: string, task: ClassTask): void {
  if (task.classes.length === 2) return;
  throw new ColaError(
    "OPTION_INVALID",
    `${owner}: variant "authors" knows two classes, not ${task.classes.length}; leave the option out.`,
    { classes: task.classes.length },
  );
}

/** ±1/√in for weights and biases: the default of the layers the authors used. */
export function authorsBound(inputs: number): number {
  return 1 / Math.sqrt(inputs);
}

/** θ of a network with these hidden layers after the authors' training. */
export function* authorsNetwork(
  owner: string,
  task: ClassTask,
  hidden: readonly number[],
  head: "logistic" | "identity",
  random: Random,
): Steps<{ net: Network; theta: Float64Array }> {
  requireTwoClasses(owner, task);
  const { x, labels, weights } = task;
  const net = network([x.cols, ...hidden, 1], "relu");
  const theta = initialise(net, authorsBound, random);
  const add = networkLoss(net, task, (margins, i, delta) => {
    const { loss, slope } = squaredLoss(head, margins[0]!, labels[i]!);
    delta[0] = slope;
    return loss;
  });
  yield* descend(theta, { weights, add }, AUTHORS, random);
  return { net, theta };
}

/** The authors' LR (`logistic`) and SVM (`identity`): a network without hidden layers. */
export function* authorsLinear(
  owner: string,
  task: ClassTask,
  head: "logistic" | "identity",
  random: Random,
): Steps<LinearWeights> {
  const { theta } = yield* authorsNetwork(owner, task, [], head, random);
  const { cols } = task.x;
  return { weights: { data: theta.slice(0, cols), rows: 1, cols }, intercepts: theta.slice(cols) };
}
