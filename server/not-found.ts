import type { FastifyInstance } from "fastify";
import { HttpError } from "./problem.ts";
import { sendProblem } from "./send-problem.ts";

/** Answers where no route is: an address that knows other methods names them. Called before routes are added. */
export function addNotFound(app: FastifyInstance, folder: string): void {
  const methods = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  const allowed = (path: string): string[] =>
    [...methods].flatMap(([url, known]) => (patternOf(url).test(path) ? [...known] : []));
  app.setNotFoundHandler((request, reply) => {
    const others = allowed(request.url.split("?")[0]!);
    if (others.length === 0)
      return sendProblem(
        new HttpError("NOT_FOUND", "There is nothing at this address."),
        folder,
        request,
        reply,
      );
    const words = `This address knows ${others.join(", ")}.`;
    reply.header("allow", others.join(", "));
    return sendProblem(new HttpError("METHOD_UNKNOWN", words), folder, request, reply);
  });
}

/** Where files are served every path is known, so those addresses match nothing here. */
function patternOf(url: string): RegExp {
  if (url.includes("*")) return /^\b$/;
  const pattern = url.replaceAll(".", "\\.").replace(/(?<!:):\w+(\([^)]*\))?/g, "[^/]+");
  return new RegExp(`^${pattern.replaceAll("::", ":")}$`);
}
