export { type Attribute, type AttributionClaims, checkAttribution } from "./attribution.ts";
export { type Couple, type CouplingClaims, checkCoupling } from "./coupling.ts";
export { checkGenerator, type GeneratorClaims } from "./generator.ts";
export type { CheckModelOptions, LawResult } from "./law.ts";
export { checkModel } from "./model.ts";
