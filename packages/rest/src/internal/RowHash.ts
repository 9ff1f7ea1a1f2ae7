/** Reads the hash of a row that may be invalid. Pure. */

/** Makes the reader of a field; its result is undefined if the field is not a hash. */
export const reader =
  (field: string) =>
  (row: unknown): string | undefined => {
    const hash: unknown = typeof row === "object" && row !== null ? Reflect.get(row, field) : undefined
    return typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : undefined
  }
