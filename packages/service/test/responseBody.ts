/** Response bodies as returned by `fetch`: splits them into chunks, and reads them completely. */
import type { Response } from "@daybook/transport/Fetch"

/** Bytes of a text in chunks of a length. */
export const cut = (text: string, length: number): ReadonlyArray<Uint8Array> => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  )
}

/** Complete body of a response that has one. */
export const textOf = async ({ body }: Response): Promise<string> => {
  const reader = body!.getReader()
  const parts: Array<Uint8Array> = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(parts).toString()
    parts.push(value!)
  }
}
