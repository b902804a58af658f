/** What a certificate says (docs/CERTIFICATES.md): src/certify writes it, src/verify checks it. */
export interface Certificate {
  readonly format: "cola-certificate";
  readonly version: 1;
  readonly schema: { readonly features: readonly Feature[] };
  /** Of each feature: ends and decimals where the schema names none, and what a unit of change weighs. */
  readonly columns: readonly Column[];
  readonly inputs: readonly Input[];
  readonly model: FlatModel;
  readonly target: Goal;
  /** Legal numbers of each feature that all tests of the model answer alike: first and last. Levels have none. */
  readonly cells: readonly (readonly (readonly [number, number])[])[];
  readonly rows: readonly CertifiedRow[];
}
export interface CertifiedRow {
  readonly id: string | number | boolean | null;
  readonly x: readonly (number | null)[];
  readonly z: readonly (number | null)[];
  readonly change: number;
  /** One for each way to the target. */
  readonly proofs: readonly Proof[];
}
/** Cut feature k at a value (up to it | beyond it or missing), or at null (kept | edited); a number closes a box. */
export type Proof = number | readonly [k: number, at: number | null, first: Proof, second: Proof];
export interface Column {
  readonly low: number;
  readonly high: number;
  readonly decimals: number;
  readonly weight: number;
}
export interface Feature {
  readonly name: string;
  readonly kind: string;
  readonly categories?: readonly string[];
  readonly immutable?: boolean;
  readonly derived?: string;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly allowed?: readonly (number | string)[];
  readonly direction?: string;
  readonly transitions?: Readonly<Record<string, readonly string[]>>;
  readonly editMissing?: boolean;
  readonly missing?: readonly number[];
  readonly tolerance?: number;
}
/** A column the model reads: (v − shift) / scale, a number for each level, or one for all; `missing` null: a gap. */
export interface Input {
  readonly feature: number;
  readonly constant?: number;
  readonly shift?: number;
  readonly scale?: number;
  readonly levels?: readonly number[];
  readonly missing: number | null;
}
/** A leaf, or a test of a column: left where it is below (up to) a number, or among categories; a gap where told. */
export type Tree = number | readonly [column: number, test: number | readonly number[], 0 | 1, Tree, Tree];
export interface Sum {
  readonly base: number;
  readonly trees?: readonly Tree[];
  readonly weights?: readonly number[];
}
/** score = link(base + Σ). One sum for each output, or one for the second of two; the first is then its complement. */
export interface FlatModel {
  readonly outputs: number;
  readonly link: "identity" | "logistic" | "exp" | "softmax";
  /** Numbers go left below a threshold (else up to it); cells are compared, and sums made, in float32. */
  readonly below: boolean;
  readonly float32: boolean;
  readonly single: boolean;
  readonly skipsMissing: boolean;
  readonly sums: readonly Sum[];
}
/** Conditions on one score, or the outputs one of which must be above all others; `margin` past the edge. */
export interface Goal {
  readonly output?: number;
  readonly conditions?: readonly {
    readonly sign: 1 | -1;
    readonly value: number;
    readonly strict: boolean;
  }[];
  readonly wanted?: readonly number[];
  readonly margin: number;
}

/** Σ sign·margin ≥ edge. */
export interface Demand {
  readonly parts: readonly (readonly [sum: number, sign: number])[];
  readonly edge: number;
}
