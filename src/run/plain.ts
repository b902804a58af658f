/** A copy made of plain objects and arrays, as JSON can hold it: typed arrays become arrays, undefined fields go. */
export function plain<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(Object.entries(given(value)).map(([name, part]) => [name, copied(part)]));
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that are given: undefined ones go, so that defaults stand. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, part]) => part !== undefined)) as Given<T>;
}
