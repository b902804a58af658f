export { type Attribute, type AttributionClaims, checkAttribution } from "./attribution.ts";
export { type Couple, type CouplingClaims, checkCoupling } from "./coupling.ts";
export { checkGenerator, type GeneratorClaims } from "./generator.ts";
export type { LawResult } from "./law.ts";
export { type CheckModelOptions, checkModel } from "./model.ts";
