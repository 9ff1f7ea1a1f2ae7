/** Code with which Node and the operating system identify an error, such as `ENOENT`. */
export const of = (cause: unknown, otherwise = "unknown"): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : otherwise

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EISDIR: "it is a directory",
  ENOENT: "no such file",
  ENOTDIR: "not a directory",
  EPERM: "permission denied",
  EROFS: "read-only file system",
}

/** Why a file cannot be used, in words where there are some, otherwise the code. */
export const reasonOf = (cause: unknown): string => {
  const code = of(cause)
  return reasons[code] ?? code
}
