/** How a layer bends its sums; each is monotone and changes no two values by more than they differ. */
export type Activation = "relu" | "tanh" | "sigmoid" | "identity";

/** a ↦ g(W a + b), W of units × inputs, row-major. */
export interface Layer {
  readonly inputs: number;
  readonly units: number;
  readonly weights: Float64Array;
  readonly biases: Float64Array;
  readonly activation: Activation;
}

/** A dense network; the last layer has the identity. `single`: it is computed in float32, in any order. */
export interface Layers {
  readonly layers: readonly Layer[];
  readonly single: boolean;
}

/** A margin of a network: offset + Σ_u factors[u] · (unit u of the last layer). */
export interface Head {
  readonly offset: number;
  readonly factors: Float64Array;
}

/** Heads of the outputs of a network: one unit told twice for two classes, else a unit each. */
export function headsOf(
  units: number,
  outputs: number,
  link: "logistic" | "identity" | "softmax",
): readonly Head[] {
  if (units === outputs)
    return Array.from({ length: outputs }, (_, o) => ({ offset: 0, factors: one(units, o, 1) }));
  const offset = link === "identity" ? 1 : 0;
  return [
    { offset, factors: one(1, 0, -1) },
    { offset: 0, factors: one(1, 0, 1) },
  ];
}

function one(length: number, at: number, value: number): Float64Array {
  const out = new Float64Array(length);
  out[at] = value;
  return out;
}

export function activated(activation: Activation, value: number): number {
  if (activation === "relu") return value > 0 ? value : 0;
  if (activation === "tanh") return Math.tanh(value);
  return activation === "sigmoid" ? 1 / (1 + Math.exp(-value)) : value;
}

/** The last layer's units for one row, in double precision. */
export function unitsAt({ layers }: Layers, row: Float64Array): Float64Array {
  let inputs = row;
  for (const layer of layers) {
    const out = new Float64Array(layer.units);
    for (let j = 0; j < layer.units; j++) {
      let sum = layer.biases[j]!;
      for (let k = 0; k < layer.inputs; k++) sum += layer.weights[j * layer.inputs + k]! * inputs[k]!;
      out[j] = activated(layer.activation, sum);
    }
    inputs = out;
  }
  return inputs;
}

export function headAt({ offset, factors }: Head, units: Float64Array): number {
  let sum = offset;
  for (let u = 0; u < factors.length; u++) if (factors[u] !== 0) sum += factors[u]! * units[u]!;
  return sum;
}
