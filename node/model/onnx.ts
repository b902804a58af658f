import {
  type OnnxModel,
  type OnnxOptions,
  type OnnxRuntime,
  onnxModel,
  runtimeBy,
} from "../../src/read/onnx-model.ts";
import { loadPeer } from "../peers.ts";
import { silenceTelemetry } from "./telemetry.ts";

export interface ReadOnnxOptions extends OnnxOptions {
  /** Threads of the runtime. Default 1: sums are then added in one order, whatever the batch. */
  readonly threads?: number;
}

/**
 * A model from an ONNX file, scored by onnxruntime-node (an optional package). The file is checked first:
 * external data, loops, foreign operators and lying sizes never reach the runtime. Where the graph is a plain
 * linear model or one tree ensemble, `structure` is read as well, so that attribution is exact.
 */
export async function readOnnx(bytes: Uint8Array, options: ReadOnnxOptions = {}): Promise<OnnxModel> {
  return onnxModel(bytes, await runtimeOf(options.threads), options);
}

/** onnxruntime-node with this many threads. */
export async function runtimeOf(threads = 1): Promise<OnnxRuntime> {
  const { InferenceSession, Tensor } = await loadRuntime();
  return runtimeBy(Tensor, (bytes) =>
    InferenceSession.create(bytes, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    }),
  );
}

async function loadRuntime(): Promise<typeof import("onnxruntime-node")> {
  silenceTelemetry();
  return loadPeer("readOnnx: scoring ONNX models", {
    name: "onnxruntime-node",
    // Its script would fetch libraries for graphics cards from elsewhere; nothing here uses them.
    install: "--ignore-scripts onnxruntime-node",
    load: () => import("onnxruntime-node"),
  });
}
