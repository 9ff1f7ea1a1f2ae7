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
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** Why a body was not read to its end, or could not be turned into text. */
export interface BodyFault {
  readonly reason: "redirect" | "too-large" | "encoding"
}

export const isBodyFault = (outcome: string | BodyFault): outcome is BodyFault => typeof outcome !== "string"

const textOf = (parts: ReadonlyArray<Uint8Array>, strict: boolean): string | BodyFault => {
  const decoder = new TextDecoder("utf-8", { fatal: strict })
  try {
    const text = parts.map((part) => decoder.decode(part, { stream: true })).join("")
    return text + decoder.decode()
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
    const bytes = new Uint8Array(await response.arrayBuffer())
    return bytes.length > maxBytes ? { reason: "too-large" } : textOf([bytes], strict)
  }
  const reader = response.body.getReader()
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return textOf(parts, strict)
    if (value === undefined) continue
    bytes += value.length
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined)
      return { reason: "too-large" }
    }
    parts.push(value)
  }
}
