import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { type OnnxRuntime, runtimeBy } from "../../src/read/onnx-model.ts";
import { runtimeBytes } from "./onnx-bytes.ts";

/** What scores ONNX graphs in this worker, on one thread. */
export async function openRuntime(): Promise<OnnxRuntime> {
  env.wasm.numThreads = 1;
  env.wasm.proxy = false;
  env.wasm.wasmBinary = await runtimeBytes();
  return runtimeBy(Tensor, (file) =>
    InferenceSession.create(file, { executionProviders: ["wasm"], logSeverityLevel: 4 }),
  );
}
