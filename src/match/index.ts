export { type BestOptions, best, type Match } from "./best.ts";
export { type FrontierOptions, frontier, type PairFrontier } from "./frontier.ts";
export { type Joint, type JointOptions, type JointPlan, joint } from "./joint.ts";
export type { Prefer } from "./option.ts";
export type { Plan } from "./plans.ts";
export type { RuleOptions } from "./rule.ts";
