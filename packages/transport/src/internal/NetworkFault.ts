/** Phase and reason of a rejected `fetch` or a broken body, derived from the codes and messages of the platforms. */
import type { Phase } from "../ClientError.ts"

export interface NetworkFault {
  readonly phase: Phase
  readonly reason: string
}

const textAt = (value: unknown, key: string): string | undefined => {
  if (typeof value !== "object" || value === null || !(key in value)) return undefined
  const found: unknown = Reflect.get(value, key)
  return typeof found === "string" && found !== "" ? found : undefined
}

const maxCauses = 5

/** The error and its causes, outermost first; of a group of connection errors, the first. */
const chainOf = (error: unknown): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  let next: unknown = error
  while (next !== undefined && next !== null && found.length < maxCauses) {
    found.push(next)
    const errors: unknown = typeof next === "object" ? Reflect.get(next, "errors") : undefined
    next =
      Array.isArray(errors) && errors.length > 0
        ? errors[0]
        : typeof next === "object"
          ? Reflect.get(next, "cause")
          : undefined
  }
  return found
}

/**
 * Starts of the codes of errors after a connection was made, and the name of Node's error for a response that is not HTTP, which has no
 * code.
 */
const afterConnecting = /^(ECONNRESET|EPIPE|HTTPParserError|HPE_|UND_ERR_(SOCKET|HEADERS|BODY|RES))/

/**
 * Classifies an error thrown in a phase. A failure before the first header counts as `connect` unless its code or name implies an
 * established connection.
 */
export const fromError = (error: unknown, phase: Phase): NetworkFault => {
  const errors = chainOf(error)
  const innermost = errors[errors.length - 1]
  const code = errors.map((one) => textAt(one, "code")).findLast((one) => one !== undefined)
  const message =
    textAt(innermost, "message") ?? textAt(error, "message") ?? (typeof error === "string" ? error : "unknown failure")
  const reason = code === undefined || message.includes(code) ? message : `${code}: ${message}`
  if (phase === "body") return { phase, reason }
  const isConnected = afterConnecting.test(code ?? textAt(innermost, "name") ?? "")
  return { phase: isConnected ? "headers" : "connect", reason }
}
