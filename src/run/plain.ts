/** A copy made of plain objects and arrays, as JSON can hold it: typed arrays become arrays, undefined fields go. */
export function plain<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === undefined ? [] : [[name, copied(part)]])),
  );
}
