import { ColaError } from "../errors.ts";

/** A file format that is known by its first bytes and that we do not read. */
interface Foreign {
  readonly name: string;
  readonly remedy: string;
  matches(bytes: Uint8Array): boolean;
}

const EXPORT =
  "export the model instead: XGBoost booster.save_model('model.json'), LightGBM booster.save_model('model.txt'), " +
  "scikit-learn skl2onnx.to_onnx(model, X[:1]) to an .onnx file, or keep the pickle and serve it with commandModel('python score.py')";
const PICKLE = `it can run any code when loaded, so it is never opened; ${EXPORT}`;

const FOREIGN: readonly Foreign[] = [
  { name: "a Python pickle or joblib file", remedy: PICKLE, matches: isPickle },
  { name: "a compressed joblib or pickle file", remedy: PICKLE, matches: isCompressed },
  {
    name: "a zip archive with a pickle inside (PyTorch)",
    remedy: `${PICKLE.replace("scikit-learn", "PyTorch torch.onnx.export, scikit-learn")}`,
    matches: (bytes) => starts(bytes, "PK\x03\x04") && latin(bytes, 0, 65536).includes("data.pkl"),
  },
  { name: "a zip archive", remedy: EXPORT, matches: (bytes) => starts(bytes, "PK\x03\x04") },
  {
    name: "an HDF5 file (Keras)",
    remedy: "export it with tf2onnx to an .onnx file",
    matches: (b) => starts(b, "\x89HDF"),
  },
  {
    name: "an XGBoost file in the old binary format",
    remedy:
      "load it in a version of XGBoost that still reads it and save it again: booster.save_model('model.json') or 'model.ubj'",
    matches: (bytes) => starts(bytes, "binf") || starts(bytes, "CONFIG-offset:"),
  },
  {
    name: "a CatBoost file",
    remedy:
      "export it with model.save_model('model.json', format='json') where it has no categorical features, or serve it with commandModel",
    matches: (bytes) => starts(bytes, "CBM1"),
  },
  {
    name: "an XML file (PMML)",
    remedy: EXPORT,
    matches: (bytes) => starts(bytes, "<?xml") || starts(bytes, "<PMML"),
  },
  { name: "a NumPy file", remedy: EXPORT, matches: (bytes) => starts(bytes, "\x93NUMPY") },
];

/** Throws MODEL_FILE_UNSUPPORTED with the way out when the first bytes are those of a format we refuse. */
export function refuseForeign(owner: string, bytes: Uint8Array): void {
  if (bytes.length === 0) {
    throw new ColaError("MODEL_FILE_INVALID", `${owner}: the file is empty.`);
  }
  const found = FOREIGN.find((format) => format.matches(bytes));
  if (!found) return;
  throw new ColaError("MODEL_FILE_UNSUPPORTED", `${owner}: this is ${found.name}: ${found.remedy}.`, {
    format: found.name,
  });
}

/** Protocols 2–5 begin with \x80 and their number; protocols 0 and 1 with an opcode and a module name or a mark. */
function isPickle(bytes: Uint8Array): boolean {
  if (bytes[0] === 0x80) return bytes.length < 2 || (bytes[1]! >= 1 && bytes[1]! <= 5);
  return /^(c[A-Za-z_][\w.]*\n|[(]d[p\n]|[(]l[p\n]|[(][ic][A-Za-z_]|[\]}]q)/.test(latin(bytes, 0, 80));
}

/** zlib, gzip, bzip2, xz, lzma, lz4: what joblib compresses with. */
function isCompressed(bytes: Uint8Array): boolean {
  const zlib = bytes[0] === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(bytes[1] ?? -1);
  const marks = ["\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x5d\x00\x00", "\x04\x22\x4d\x18"];
  return zlib || marks.some((mark) => starts(bytes, mark));
}

function starts(bytes: Uint8Array, mark: string): boolean {
  return latin(bytes, 0, mark.length) === mark;
}

function latin(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (const b of bytes.subarray(from, to)) text += String.fromCharCode(b);
  return text;
}
