import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Explanation } from "../../src/explanation.ts";
import { resultOf as said } from "../run/result.ts";
import { refusals } from "../schemas/answers.ts";
import { checkBody } from "../schemas/body.ts";
import { requestOptions } from "../schemas/options.ts";
import { explanationRequest, rows } from "../schemas/request.ts";
import type { Server } from "../server.ts";
import { explainNow, resultOf } from "./explanations.ts";

const body = z
  .strictObject({
    instances: rows.describe("the people to explain, as objects of cells by column"),
    parameters: requestOptions.optional().describe("options of the explanation"),
  })
  .describe("a request of KServe's protocol V1");

const answer = z
  .object({ explanations: z.array(z.looseObject({})).describe("one for each instance, in their order") })
  .describe("the rows of the explanation, whose id is in the header Explanation-Id");

/** KServe's V1 `:explain` for a registered model: the same work as an explanation, in that protocol's words. */
export const kserveRoutes =
  (server: Server): FastifyPluginAsyncZod =>
  async (app) => {
    app.post(
      "/v1/models/:id([^:]+)::explain",
      {
        preValidation: checkBody(server.limits),
        schema: {
          summary: "Explain instances with a registered model (KServe V1)",
          tags: ["models"],
          params: z.object({ id: z.string().regex(/^model_[0-9a-f]{32}$/) }),
          querystring: z.object({
            data: z
              .string()
              .regex(/^data_[0-9a-f]{32}$/)
              .optional()
              .describe("the uploaded table that references are taken from; default: the embedded one"),
          }),
          body,
          response: { 200: answer, ...refusals },
        },
      },
      async (request, reply) => {
        const { instances, parameters } = request.body;
        const { data } = request.query;
        const asked = {
          ...(data === undefined ? {} : { data: { id: data } }),
          model: { id: request.params.id },
          factuals: instances,
          ...(parameters === undefined ? {} : { options: parameters }),
        };
        const id = await explainNow(server, request, reply, explanationRequest.parse(asked));
        const ref = await resultOf(server, request.owner, id);
        const { rows: explanations } = said(ref, await server.store.blobs.get(ref)) as Explanation;
        reply.header("explanation-id", id);
        return { explanations: explanations.map((row) => ({ ...row })) };
      },
    );
  };
