/** Reads the body of a response as text, up to a number of bytes. */
import { type Body, BodyTooLarge } from "../Fetch.ts"

/** Why a body was not read to its end, or is not text. */
export interface BodyFault {
  readonly reason: "redirect" | "too-large" | "encoding"
  /** Maximum number of bytes, if it differs from the limits. */
  readonly maxBytes?: number
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true })
const lenientDecoder = new TextDecoder("utf-8")

const concat = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** Decodes all bytes at once: platforms decode a whole text several times faster than its parts. */
const decode = (bytes: Uint8Array, isStrict: boolean): string | BodyFault => {
  try {
    return (isStrict ? strictDecoder : lenientDecoder).decode(bytes)
  } catch {
    return { reason: "encoding" }
  }
}

/** Declared length if the body is sent uncompressed; otherwise 0. */
const declaredBytes = (headers: Readonly<Record<string, string>>): number =>
  (headers["content-encoding"] ?? "identity") === "identity" ? Number(headers["content-length"] ?? 0) : 0

/** Reads a body. If `fetch` bounds bodies itself, its own limit is reported. */
export const read = async (...given: Parameters<typeof readWithin>): Promise<string | BodyFault> => {
  try {
    return await readWithin(...given)
  } catch (error) {
    if (error instanceof BodyTooLarge) return { reason: "too-large", maxBytes: error.maxBytes }
    throw error
  }
}

/** Reads a body. Text that is not UTF-8 is a fault if `isStrict`; otherwise its invalid bytes are replaced. */
const readWithin = async (
  response: Body,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
  isStrict: boolean,
): Promise<string | BodyFault> => {
  if (declaredBytes(headers) > maxBytes) return { reason: "too-large" }
  if (response.body === null) return ""
  if (response.body === undefined) {
    const bytes = new Uint8Array((await response.arrayBuffer?.()) ?? [])
    return bytes.length > maxBytes ? { reason: "too-large" } : decode(bytes, isStrict)
  }
  const reader = response.body.getReader()
  const parts: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return decode(concat(parts, length), isStrict)
    if (value === undefined) continue
    length += value.length
    if (length > maxBytes) {
      reader.cancel().catch(() => undefined)
      return { reason: "too-large" }
    }
    parts.push(value)
  }
}
