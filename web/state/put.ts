/** The object with one field changed; the same object where the field is that already. */
export function put<T extends object, K extends keyof T>(object: T, field: K, value: T[K]): T {
  return object[field] === value ? object : { ...object, [field]: value };
}
