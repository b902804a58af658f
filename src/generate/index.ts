export { type AresOptions, ares } from "./ares.ts";
export type { Generated, GenerateReport, Generator, Task } from "./contract.ts";
export type { DiceWeights } from "./dice/objective.ts";
export type { PosthocOptions } from "./dice/posthoc.ts";
export { type DiceGeneticOptions, diceGenetic } from "./dice-genetic.ts";
export { type DiceGradientOptions, diceGradient } from "./dice-gradient.ts";
export { type DiceKdtreeOptions, diceKdtree } from "./dice-kdtree.ts";
export { type DiceRandomOptions, diceRandom } from "./dice-random.ts";
export { type DirectOptions, direct } from "./direct.ts";
export { type DiscountOptions, discount } from "./discount.ts";
export { type ExactOptions, exact } from "./exact.ts";
export {
  type DiceCell,
  type DiceExample,
  type DiceFile,
  type DiceFrame,
  readDiceJson,
  writeDiceJson,
} from "./given/dice.ts";
export type { FrameOptions, Scaling } from "./given/frame.ts";
export type { PyValue } from "./given/python-json.ts";
export type {
  AlibiSource,
  CarlaSource,
  DiceSource,
  GivenSource,
  Pairing,
  TableSource,
} from "./given/source.ts";
export { type Given, type GivenTask, given } from "./given.ts";
export { type GlobeCeOptions, globeCe } from "./globe-ce.ts";
export { type KnnOptions, knn } from "./knn.ts";
export { type NiceOptions, nice } from "./nice.ts";
export {
  type GeneratorMethod,
  type GeneratorName,
  type GeneratorOptions,
  generate,
  generatorNamed,
  generators,
} from "./registry.ts";
export type { SearchOptions } from "./run.ts";
