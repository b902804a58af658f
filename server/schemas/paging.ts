import { z } from "zod";

/** How lists are asked for, one page after the other. */
export function paging<Id extends z.ZodType>(id: Id) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    before: id.optional().describe("`next` of the page before"),
  });
}

/** What the next page is asked for with; null when this one is not full. */
export function nextOf(items: readonly { readonly id: string }[], limit: number): string | null {
  return items.length === limit ? items.at(-1)!.id : null;
}
