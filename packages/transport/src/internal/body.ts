/** Reads a response's body as text, never more of it than allowed. */

export interface ReadableBody {
  readonly body?:
    | {
        readonly getReader: () => {
          readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
          readonly cancel: () => Promise<unknown>
        }
      }
    | null
    | undefined
  /** Used where there is no `body`, as on platforms without streams. */
  readonly arrayBuffer?: () => Promise<ArrayBuffer>
}

/** Why a body was not read to its end, or could not be turned into text. */
export interface BodyFault {
  readonly reason: "redirect" | "too-large" | "encoding"
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true })
const lenientDecoder = new TextDecoder("utf-8")

const joined = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** All at once: platforms decode a whole text several times quicker than one that comes in pieces. */
const textOf = (bytes: Uint8Array, strict: boolean): string | BodyFault => {
  try {
    return (strict ? strictDecoder : lenientDecoder).decode(bytes)
  } catch {
    return { reason: "encoding" }
  }
}

/** A declared length counts only where the bytes on the wire are the body's own. */
const declaredBytes = (headers: Readonly<Record<string, string>>): number =>
  (headers["content-encoding"] ?? "identity") === "identity" ? Number(headers["content-length"] ?? 0) : 0

export const readBody = async (
  response: ReadableBody,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
  strict: boolean,
): Promise<string | BodyFault> => {
  if (declaredBytes(headers) > maxBytes) return { reason: "too-large" }
  if (response.body === null) return ""
  if (response.body === undefined) {
    const bytes = new Uint8Array((await response.arrayBuffer?.()) ?? [])
    return bytes.length > maxBytes ? { reason: "too-large" } : textOf(bytes, strict)
  }
  const reader = response.body.getReader()
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return textOf(joined(parts, bytes), strict)
    if (value === undefined) continue
    bytes += value.length
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined)
      return { reason: "too-large" }
    }
    parts.push(value)
  }
}
