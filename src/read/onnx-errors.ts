import { ColaError } from "../errors.ts";

export const ONNX = "readOnnx";

export function onnxInvalid(rule: string): ColaError {
  return new ColaError(
    "MODEL_FILE_INVALID",
    `${ONNX}: the file ${rule}; it is damaged or of another kind: save it again.`,
  );
}

export function onnxUnsupported(feature: string, remedy: string): ColaError {
  return new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `${ONNX}: the file ${feature}, which is not run here; ${remedy}.`,
    {
      feature,
    },
  );
}
