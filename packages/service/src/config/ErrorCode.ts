/** Code with which Node and the operating system identify an error, such as `ENOENT`. */
export const of = (cause: unknown, otherwise = "unknown"): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : otherwise
