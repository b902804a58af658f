import { ONNX, onnxInvalid, onnxUnsupported } from "./onnx-errors.ts";
import { floatsOf, type Message } from "./protobuf.ts";

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Attributes as messages: f = 2, i = 3, s = 4, t = 5, floats = 7, ints = 8, strings = 9. */
  readonly attributes: ReadonlyMap<string, Message>;
}

/** Bytes of one element of each tensor type (strings and 4-bit types apart). */
const WIDTH: Readonly<Record<number, number>> = {
  1: 4,
  2: 1,
  3: 1,
  4: 2,
  5: 2,
  6: 4,
  7: 8,
  9: 1,
  10: 2,
  11: 8,
  12: 4,
  13: 8,
  16: 2,
};
const FLOAT = 1;
const UINT8 = 2;
const INT64 = 7;
const STRING = 8;
const DOUBLE = 11;

/** Fields of TensorProto that hold elements one by one. */
const LISTS: Readonly<Record<number, 0 | 4 | 8>> = { 4: 4, 5: 0, 7: 0, 10: 8, 11: 0 };

/** Sizes of a tensor; their product is the number of its elements. */
export function tensorShape(tensor: Message): number[] {
  return Array.from(tensor.wholes(1));
}

/** Data inside the file, of exactly the declared size, which is at most `maxElements`. */
export function checkTensor(tensor: Message, maxElements: number): void {
  const name = JSON.stringify(tensor.text(8).slice(0, 60));
  if (tensor.whole(14) !== 0 || tensor.has(13)) {
    throw onnxUnsupported(
      `keeps the constant ${name} in another file (external data)`,
      "other files are never opened; save the model as one file with onnx.save_model(model, path, save_as_external_data=False)",
    );
  }
  if (tensor.has(3))
    throw onnxUnsupported(`splits the constant ${name} into segments`, "save it again in one piece");
  const shape = tensorShape(tensor);
  const elements = shape.reduce((product, size) => product * size, 1);
  if (shape.some((size) => size < 0) || elements > maxElements) {
    throw onnxInvalid(
      `declares a constant ${name} of shape ${shape.slice(0, 8).join(" × ")}, more than the limit of ${maxElements} elements`,
    );
  }
  const held = heldElements(tensor);
  if (held !== undefined && held !== elements) {
    throw onnxInvalid(`declares ${elements} elements in the constant ${name}, but holds ${held}`);
  }
}

/** Elements the tensor really holds; undefined for types that are packed otherwise. */
function heldElements(tensor: Message): number | undefined {
  const type = tensor.whole(2);
  if (type === STRING) return tensor.texts(6).length;
  const width = WIDTH[type];
  if (width === undefined) return undefined;
  if (tensor.has(9)) return tensor.bytes(9).length / width;
  const field = Object.keys(LISTS)
    .map(Number)
    .find((f) => tensor.has(f));
  if (field === undefined) return 0;
  // Complex numbers come as pairs.
  return tensor.count(field, LISTS[field]!) / (type === 14 || type === 15 ? 2 : 1);
}

/** The numbers of a float, double, int64 or uint8 tensor; undefined for other types. */
export function tensorNumbers(tensor: Message | undefined): Float64Array | undefined {
  if (!tensor) return undefined;
  const type = tensor.whole(2);
  const raw = tensor.bytes(9);
  if (type === FLOAT) return tensor.has(9) ? floatsOf(ONNX, raw, 4) : tensor.floats(4, 4);
  if (type === DOUBLE) return tensor.has(9) ? floatsOf(ONNX, raw, 8) : tensor.floats(10, 8);
  if (type === UINT8) return tensor.has(9) ? Float64Array.from(raw) : tensor.wholes(5);
  if (type !== INT64) return undefined;
  if (!tensor.has(9)) return tensor.wholes(7);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return Float64Array.from({ length: Math.floor(raw.length / 8) }, (_, i) =>
    Number(view.getBigInt64(8 * i, true)),
  );
}
