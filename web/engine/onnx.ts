import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import type { OnnxResult, OnnxRuntime } from "../../src/read/onnx-model.ts";
import { runtimeBytes } from "./onnx-bytes.ts";

/** What scores ONNX graphs in this worker, on one thread. */
export async function openRuntime(): Promise<OnnxRuntime> {
  env.wasm.numThreads = 1;
  env.wasm.proxy = false;
  env.wasm.wasmBinary = await runtimeBytes();
  return {
    tensor: (type, data, dims) => new Tensor(type as "float32", data as Float32Array, dims),
    async open(file) {
      const session = await InferenceSession.create(file, {
        executionProviders: ["wasm"],
        logSeverityLevel: 4,
      });
      return {
        run: async (feeds, output) =>
          (await session.run(feeds as Parameters<typeof session.run>[0], [output]))[
            output
          ] as unknown as OnnxResult,
        release: () => session.release(),
      };
    },
  };
}
