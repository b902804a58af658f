import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Figures for Prometheus; no label carries anything a caller chose. */
export interface Metrics {
  readonly registry: Registry;
  jobEnded(state: string): void;
}

interface Watched {
  readonly house: { readonly requests: number; readonly bytes: number };
  readonly gate: { readonly running: number; readonly waiting: number };
  jobsRunning(): number;
}

export function createMetrics(app: FastifyInstance, watched: Watched): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "cola_" });
  const seconds = new Histogram({
    name: "cola_http_request_seconds",
    help: "Time from request to response.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  });
  const jobs = new Counter({
    name: "cola_jobs_ended_total",
    help: "Jobs that left the runner, by outcome.",
    labelNames: ["state"],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  gauge("cola_requests", "Requests in the house.", () => watched.house.requests);
  gauge("cola_request_bytes", "Bytes of their bodies.", () => watched.house.bytes);
  gauge("cola_work_running", "Explanations being answered at once.", () => watched.gate.running);
  gauge("cola_work_waiting", "Explanations waiting for their turn.", () => watched.gate.waiting);
  gauge("cola_jobs_running", "Jobs being worked off.", () => watched.jobsRunning());
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  return { registry, jobEnded: (state) => jobs.inc({ state }) };
}
