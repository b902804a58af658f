import { enResult } from "./en-result.ts";
import { enSetup } from "./en-setup.ts";

/** Every sentence of the studio in English. Another language gives the same keys. */
export const enStudio = { ...enSetup, ...enResult } as const;
