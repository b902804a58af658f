/**
 * Turns the telemetry of ONNX Runtime off, unless the environment decides otherwise. The runtime asks the
 * environment of the process, which a worker thread cannot change.
 */
export function silenceTelemetry(): void {
  process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
}
