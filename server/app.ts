import compress from "@fastify/compress";
import helmet from "@fastify/helmet";
import rateLimit, { type RateLimitPluginOptions } from "@fastify/rate-limit";
import swagger from "@fastify/swagger";
import fastify, { type FastifyInstance, LogController } from "fastify";
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import type { Database } from "../node/store/database.ts";
import { openLine } from "../node/store/jobs.ts";
import { folderOf, freeBytes } from "../node/store/store.ts";
import { VERSION } from "../src/version.ts";
import { addAccess } from "./access.ts";
import { addAdmission, addShares } from "./admission.ts";
import { addAuth } from "./auth.ts";
import { openBackend } from "./backend.ts";
import { refuseUnread } from "./client-error.ts";
import {
  checkConfig,
  DEFAULT_LIMITS,
  hasKeys,
  keysOf,
  type ServerConfig,
  type ServerLimits,
} from "./config.ts";
import { mostConnections } from "./connections.ts";
import { createGate, SHARE } from "./gate.ts";
import { addJsonBody } from "./json-body.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { addNotFound } from "./not-found.ts";
import { HttpError } from "./problem.ts";
import { createQuota } from "./quota.ts";
import { sharedRates } from "./rates.ts";
import { auditRoutes } from "./routes/audit.ts";
import { explanationRoutes } from "./routes/explanations.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { kserveRoutes } from "./routes/kserve.ts";
import { addPage } from "./routes/page.ts";
import { resourceRoutes } from "./routes/resources.ts";
import { completed, FILE_TYPES, securitySchemes } from "./schemas/document.ts";
import { sendProblem } from "./send-problem.ts";
import type { Server } from "./server.ts";
import { addSpaceCheck } from "./space.ts";
import { closesConnections } from "./stop.ts";

/** Scripts and workers of our own only; WebAssembly for the models in the page. */
const POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", "data:", "blob:"],
  workerSrc: ["'self'", "blob:"],
  connectSrc: ["'self'"],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  upgradeInsecureRequests: null,
};

/** A connection that has sent no request by then is closed to make room for another. */
const HEADERS_MS = 15_000;

/** The whole server behind one object: `inject` asks it without a socket, `listen` opens one, `close` stops it. */
export async function createApp(config: ServerConfig): Promise<FastifyInstance> {
  checkConfig(config);
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  const app = bare(config, limits);
  const closeConnections = closesConnections(app, limits);
  const admitted = addAdmission(app, limits);
  addAuth(app, config);
  addShares(app, limits);
  let shared: Database | undefined;
  const rates = config.database === undefined ? {} : { store: sharedRates(() => shared) };
  await addPlugins(app, limits, keysOf(config).length > 0, rates);
  let metrics: Metrics | undefined;
  const { server, stop } = await openServer(config, limits, app, (state) => metrics?.jobEnded(state));
  addSpaceCheck(app, server.space);
  const { store, gate, runner } = server;
  shared = store.db;
  metrics = createMetrics(app, {
    ...{ admitted, gate, jobsRunning: () => runner.running },
    line: () => openLine(store.db),
    freeBytes: () => freeBytes(store.folder),
  });
  let stopping = false;
  app.addHook("preClose", async () => {
    stopping = true;
    for (const stream of server.streams.keys()) stream.end();
    server.gate.close();
    closeConnections();
  });
  const writeAccess = addAccess(app, server.store, keysOf(config).length > 0);
  app.addHook("onClose", async () => {
    await writeAccess();
    await stop();
  });
  for (const routes of [explanationRoutes, jobRoutes, resourceRoutes, kserveRoutes, auditRoutes])
    await app.register(routes(server));
  await app.register(healthRoutes(server, metrics, () => stopping));
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
  await addPage(app, config);
  return app;
}

function bare(config: ServerConfig, limits: ServerLimits): FastifyInstance {
  const { log, proxies = [] } = config;
  const root = folderOf(config);
  const app = fastify({
    ...(proxies.length > 0 ? { trustProxy: [...proxies] } : {}),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.readMs,
    http: { connectionsCheckingInterval: 5000, headersTimeout: Math.min(HEADERS_MS, limits.readMs) },
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    clientErrorHandler: refuseUnread,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: true,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 100 },
    logger: log ? { level: "info", stream: log } : false,
    frameworkErrors: (error, request, reply) => void sendProblem(error, root, request, reply),
  });
  app.server.maxConnections = mostConnections(limits.connections);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  addJsonBody(app, limits);
  app.addContentTypeParser(FILE_TYPES, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => sendProblem(error, root, request, reply));
  addNotFound(app, root);
  app.addHook("onRequest", async ({ method, headers }) => {
    if (method === "DELETE" && !Number(headers["content-length"] ?? 0)) delete headers["content-type"];
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity")
      throw new HttpError("MEDIA_TYPE", "Send the body as it is, without Content-Encoding.");
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    const { method, owner } = request;
    request.log.info(
      { method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime), owner },
      "done",
    );
  });
  return app;
}

async function addPlugins(
  app: FastifyInstance,
  limits: ServerLimits,
  keyed: boolean,
  rates: Pick<RateLimitPluginOptions, "store">,
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    crossOriginEmbedderPolicy: false,
    strictTransportSecurity: false,
  });
  await app.register(compress, {
    customTypes: /^(application\/json|text\/(html|css|javascript))/,
    inflateIfDeflated: false,
  });
  await app.register(rateLimit, {
    ...rates,
    max: limits.perMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => request.owner,
    // Files of the page cost nothing; one that lacks a part of itself would stand still.
    allowList: (request) => request.routeOptions.url === "/*",
    errorResponseBuilder: (_request, context) =>
      new HttpError(
        "RATE_LIMITED",
        `At most ${context.max} requests per minute.`,
        Math.ceil(context.ttl / 1000),
      ),
  });
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "cola-xai",
        description: "The few edits that change a model's decision.",
        version: VERSION,
      },
      components: { securitySchemes },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) =>
      completed("openapiObject" in document ? document.openapiObject : {}, keyed),
  });
}

async function openServer(
  config: ServerConfig,
  limits: ServerLimits,
  app: FastifyInstance,
  ended: (state: string) => void,
): Promise<{ server: Server; stop: () => Promise<void> }> {
  const report = (error: unknown): void => app.log.error({ name: (error as Error)?.name }, "runner");
  const { stop, ...backend } = await openBackend(config, limits, { report, ended });
  const { store } = backend;
  const server: Server = {
    ...{ ...backend, limits, streams: new Map(), allowHosts: config.allowHosts ?? [] },
    quota: createQuota(store.db, limits.ownerBytes),
    // Without keys everybody is one owner, so no room is kept for others.
    gate: createGate(limits.running, limits.waiting, hasKeys(config) ? SHARE : 1),
  };
  return { server, stop };
}
