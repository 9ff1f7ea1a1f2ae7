/** Tells what a rejected `fetch` or a broken body means, from the codes and texts of the platforms. */
import type { Phase } from "../ClientError.ts"

export interface Fault {
  readonly phase: Phase
  readonly reason: string
}

const textAt = (value: unknown, key: string): string | undefined => {
  if (typeof value !== "object" || value === null || !(key in value)) return undefined
  const found: unknown = Reflect.get(value, key)
  return typeof found === "string" && found !== "" ? found : undefined
}

/** The error and its causes, outermost first; a group of connection errors counts with its first. */
const chain = (error: unknown): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  let next: unknown = error
  while (next !== undefined && next !== null && found.length < 5) {
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

const afterConnecting =
  /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|HPE_.*|UND_ERR_.*SIZE.*)$/

export const faultOf = (error: unknown, phase: Phase): Fault => {
  const errors = chain(error)
  const innermost = errors[errors.length - 1]
  const code = errors.map((one) => textAt(one, "code")).findLast((one) => one !== undefined)
  const message =
    textAt(innermost, "message") ?? textAt(error, "message") ?? (typeof error === "string" ? error : "unknown fault")
  const reason = code === undefined || message.includes(code) ? message : `${code}: ${message}`
  if (phase === "body") return { phase, reason }
  const broke = code !== undefined && afterConnecting.test(code)
  return { phase: broke ? "headers" : "connect", reason }
}
