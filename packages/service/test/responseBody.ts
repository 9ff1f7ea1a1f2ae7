/** Bodies of responses as a `fetch` returns them: split into chunks, and read to their end. */
import type { Response } from "@daybook/transport/Fetch"

/** The bytes of a text in chunks of a length. */
export const cut = (text: string, length: number): ReadonlyArray<Uint8Array> => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  )
}

/** The whole body of a response that has one. */
export const textOf = async ({ body }: Response): Promise<string> => {
  const reader = body!.getReader()
  const parts: Array<Uint8Array> = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(parts).toString()
    parts.push(value!)
  }
}
