/** The bundled worker as text, given by scripts/build-web.ts. */
declare module "virtual:worker-script" {
  export const workerScript: string;
}

/** The ONNX runtime, packed with gzip, as base64. */
declare module "virtual:onnx-runtime" {
  export const packedRuntime: string;
}
