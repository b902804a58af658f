/** A_Shap: what each feature contributes to f(x) − f(r). */

export type { Legal } from "./legal.ts";
export type { PshapOptions } from "./options.ts";
export { pshap } from "./pshap.ts";
