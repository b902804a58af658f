/** The bundled worker as text, given by scripts/build-web.ts. */
declare module "virtual:worker-script" {
  export const workerScript: string;
}
