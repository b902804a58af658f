import { type OnnxNode, tensorNumbers, tensorShape } from "./onnx-tensor.ts";
import type { OnnxWalk } from "./onnx-walk.ts";
import type { Message } from "./protobuf.ts";

/** y = W x + b with W of shape out × in. */
interface Affine {
  readonly in: number;
  readonly out: number;
  readonly weights: Float64Array;
  readonly offset: Float64Array;
}

/** y_k = scale_k x_k + shift_k; lists of length one hold for every k. */
interface Diagonal {
  readonly scale: Float64Array;
  readonly shift: Float64Array;
}

type Step = { readonly input: string } & ({ readonly map: Affine } | { readonly diagonal: Diagonal });

/** Largest weight matrix worth a structure. */
const MAX_WEIGHTS = 2 ** 22;

/** What a chain of affine operators does to the table columns, and how its numbers are rounded on the way. */
interface Chain {
  readonly map: Affine;
  readonly columns: Int32Array;
  /** The same chain with every number made positive: what is added up before anything cancels. */
  readonly sizes: Affine;
  /** Roundings on the way from a cell to the end. */
  readonly operations: number;
}

/** Walks back from `name` over affine operators to the inputs; `head` is what follows after `name`. */
export function affineOf(walk: OnnxWalk, name: string, head?: Affine): Chain | undefined {
  const steps: Step[] = [];
  let at = walk.through(name);
  let columns = walk.columns(at);
  while (!columns && steps.length <= walk.graph.nodes.length) {
    const maker = walk.maker(at);
    const step = maker && stepOf(maker, walk.graph.constants);
    if (!step) return undefined;
    steps.push(step);
    at = walk.through(step.input);
    columns = walk.columns(at);
  }
  const map = joined(steps, head);
  if (!columns || map?.in !== columns.length) return undefined;
  const sizes = joined(steps.map(sizeOf), head && absolute(head))!;
  const roundings = (step: Step): number => ("map" in step ? step.map.in + 2 : 2);
  const operations = steps.reduce((sum, step) => sum + roundings(step), head ? head.in + 2 : 0);
  return { map, columns, sizes, operations };
}

/** Steps, the last first, and what follows after them, as one map. */
function joined(steps: readonly Step[], head: Affine | undefined): Affine | undefined {
  let map = head;
  const outer: Diagonal[] = [];
  for (const step of steps) {
    if ("map" in step) map = map ? compose(map, step.map) : outer.reduceRight(afterwards, step.map);
    else if (map) map = before(map, step.diagonal);
    else outer.push(step.diagonal);
    if (!map ? "map" in step : map.in * map.out > MAX_WEIGHTS) return undefined;
  }
  return map;
}

function absolute(map: Affine): Affine {
  return { ...map, weights: map.weights.map(Math.abs), offset: map.offset.map(Math.abs) };
}

function sizeOf(step: Step): Step {
  if ("map" in step) return { ...step, map: absolute(step.map) };
  const { scale, shift } = step.diagonal;
  return { ...step, diagonal: { scale: scale.map(Math.abs), shift: shift.map(Math.abs) } };
}

function compose(outer: Affine, inner: Affine): Affine | undefined {
  if (outer.in !== inner.out || outer.out * outer.in * inner.in > 16 * MAX_WEIGHTS) return undefined;
  const weights = new Float64Array(outer.out * inner.in);
  const offset = outer.offset.slice();
  for (let o = 0; o < outer.out; o++) {
    for (let m = 0; m < outer.in; m++) {
      const w = outer.weights[o * outer.in + m]!;
      offset[o]! += w * inner.offset[m]!;
      for (let k = 0; k < inner.in; k++) weights[o * inner.in + k]! += w * inner.weights[m * inner.in + k]!;
    }
  }
  return { in: inner.in, out: outer.out, weights, offset };
}

const pick = (list: Float64Array, k: number): number => list[list.length === 1 ? 0 : k] ?? Number.NaN;

/** map(scale ∘ x + shift). */
function before(map: Affine, { scale, shift }: Diagonal): Affine {
  const offset = map.offset.map((b, o) => {
    let sum = b;
    for (let k = 0; k < map.in; k++) sum += map.weights[o * map.in + k]! * pick(shift, k);
    return sum;
  });
  return { ...map, offset, weights: map.weights.map((w, at) => w * pick(scale, at % map.in)) };
}

/** scale ∘ map(x) + shift. */
function afterwards(map: Affine, { scale, shift }: Diagonal): Affine {
  return {
    ...map,
    weights: map.weights.map((w, at) => w * pick(scale, Math.floor(at / map.in))),
    offset: map.offset.map((b, o) => b * pick(scale, o) + pick(shift, o)),
  };
}

function stepOf(node: OnnxNode, constants: ReadonlyMap<string, Message>): Step | undefined {
  if (node.op === "Gemm" || node.op === "MatMul") return productOf(node, constants);
  if (node.op === "Scaler") {
    const offset = node.attributes.get("offset")?.floats(7, 4) ?? new Float64Array(0);
    const scale = node.attributes.get("scale")?.floats(7, 4) ?? new Float64Array(0);
    if (offset.length === 0 || offset.length !== scale.length) return undefined;
    return { input: node.inputs[0]!, diagonal: { scale, shift: offset.map((o, k) => -o * scale[k]!) } };
  }
  return elementwise(node, constants);
}

/** x·B (+ C), B constant; Gemm's alpha, beta and transB are read, a transposed x is not. */
function productOf(node: OnnxNode, constants: ReadonlyMap<string, Message>): Step | undefined {
  const [x, b = "", c] = node.inputs;
  const tensor = constants.get(b);
  const values = tensorNumbers(tensor);
  if (x === undefined || !tensor || !values || constants.has(x)) return undefined;
  const factor = (name: string): number => node.attributes.get(name)?.floats(2, 4)[0] ?? 1;
  const flag = (name: string): boolean => (node.attributes.get(name)?.whole(3) ?? 0) !== 0;
  const [alpha, beta, transposed] = [factor("alpha"), factor("beta"), flag("transB")];
  const [rows = 0, columns = 0, ...more] = tensorShape(tensor);
  if (more.length > 0 || rows * columns !== values.length || flag("transA")) return undefined;
  const [inner, out] = transposed ? [columns, rows] : [rows, columns];
  const weights = Float64Array.from({ length: values.length }, (_, at) => {
    const [o, k] = [Math.floor(at / inner), at % inner];
    return alpha * values[transposed ? at : k * out + o]!;
  });
  const bias = c ? vectorOf(constants.get(c)) : Float64Array.of(0);
  if (!bias || (bias.length !== 1 && bias.length !== out)) return undefined;
  const offset = Float64Array.from({ length: out }, (_, o) => beta * pick(bias, o));
  return { input: x, map: { in: inner, out, weights, offset } };
}

/** x + c, x − c, c − x, x · c, x / c. */
function elementwise(node: OnnxNode, constants: ReadonlyMap<string, Message>): Step | undefined {
  const [a = "", b = ""] = node.inputs;
  const first = constants.has(a);
  const c = vectorOf(constants.get(first ? a : b));
  if (!c || constants.has(first ? b : a)) return undefined;
  const step = (scale: Float64Array, shift: Float64Array): Step => ({
    input: first ? b : a,
    diagonal: { scale, shift },
  });
  const [zero, one] = [Float64Array.of(0), Float64Array.of(1)];
  if (node.op === "Add") return step(one, c);
  if (node.op === "Sub")
    return first
      ? step(Float64Array.of(-1), c)
      : step(
          one,
          c.map((v) => -v),
        );
  if (node.op === "Mul") return step(c, zero);
  return node.op === "Div" && !first
    ? step(
        c.map((v) => 1 / v),
        zero,
      )
    : undefined;
}

/** A scalar, a vector, or a matrix of one row. */
function vectorOf(tensor: Message | undefined): Float64Array | undefined {
  const values = tensorNumbers(tensor);
  if (!tensor || !values || values.length === 0) return undefined;
  return tensorShape(tensor)
    .slice(0, -1)
    .every((size) => size === 1)
    ? values
    : undefined;
}
