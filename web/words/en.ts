import { enChecks } from "./en-checks.ts";
import { enOwn } from "./en-own.ts";
import { enPerson } from "./en-person.ts";
import { enResult } from "./en-result.ts";
import { enSetup } from "./en-setup.ts";

/** Every sentence of the studio in English. Another language gives the same keys. */
export const enStudio = { ...enSetup, ...enResult, ...enPerson, ...enOwn, ...enChecks } as const;
