import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Figures for Prometheus; no label carries anything a caller chose: owners are named by the operator. */
export interface Metrics {
  readonly registry: Registry;
  jobEnded(state: string): void;
}

interface Watched {
  readonly admitted: { readonly requests: number; readonly bytes: number };
  readonly gate: { readonly running: number; readonly waiting: number };
  jobsRunning(): number;
  /** How the line stands over all servers and workers. */
  line(): Promise<readonly LineFigure[]>;
  freeBytes(): number;
}

/** Open jobs of one owner in one state, and for how long the most silent of their workers has said nothing. */
interface LineFigure {
  readonly owner: string;
  readonly state: string;
  readonly count: number;
  readonly silence: number | null;
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
  gauge("cola_requests", "Requests that are read or answered.", () => watched.admitted.requests);
  gauge("cola_request_bytes", "Bytes of their bodies.", () => watched.admitted.bytes);
  gauge("cola_work_running", "Explanations being answered at once.", () => watched.gate.running);
  gauge("cola_work_waiting", "Explanations waiting for their turn.", () => watched.gate.waiting);
  gauge("cola_jobs_running", "Jobs being worked on.", () => watched.jobsRunning());
  gauge("cola_disk_free_bytes", "Bytes left on the disk of the files.", () => watched.freeBytes());
  const open = new Gauge({
    name: "cola_jobs_open",
    help: "Jobs that wait or run, on all servers and workers.",
    labelNames: ["owner", "state"],
    registers,
    async collect() {
      const line = await watched.line().catch(() => []);
      open.reset();
      for (const { owner, state, count } of line) open.set({ owner, state }, count);
      silence.set(Math.max(0, ...line.map((figure) => figure.silence ?? 0)));
    },
  });
  const silence = new Gauge({
    name: "cola_lease_silence_seconds",
    help: "Seconds since the last sign of life of the job that has been silent longest; at 10 it is taken over.",
    registers,
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  return { registry, jobEnded: (state) => jobs.inc({ state }) };
}
