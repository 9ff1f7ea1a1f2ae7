/**
 * Faults that replace or alter the response to a request.
 */
import { failure, type Reply } from "./FakeReply.ts"

/**
 * A fault of one request: a status, a body that is cut off, a late response, a broken connection, or a reorg just before it.
 */
export type Fault =
  | { readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly cutAfterBytes: number }
  | { readonly delayMillis: number }
  | { readonly reorg: number }
  | "disconnect"

/** The response of a status: an error of the service, or the bare message of a hosted provider for a status that the service never sends. */
const statusReply = ({
  retryAfterSeconds,
  status,
}: {
  readonly status: number
  readonly retryAfterSeconds?: number
}): Reply => {
  const codes: Readonly<Record<number, string>> = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "payload_too_large",
    429: "rate_limited",
    503: "unavailable",
  }
  const headers: Readonly<Record<string, string>> =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }
  const message = `Scripted status ${status}.`
  const code = codes[status] ?? (status < 500 ? undefined : "internal")
  return code === undefined ? { status, body: { message }, headers } : failure(status, code, message, {}, headers)
}

/** Statuses of responses without a body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** Makes a platform response. A streamed body is one of events. */
export const toResponse = ({ body, headers, status, text }: Reply): Response => {
  const [sent, contentType] =
    body instanceof ReadableStream ? [body, "text/event-stream"] : [text ?? JSON.stringify(body), "application/json"]
  return new Response(withoutBody.has(status) ? null : sent, {
    status,
    headers: { "content-type": contentType, ...headers },
  })
}

/** A response whose body is cut off after some bytes. */
const cut = (response: Response, bytes: number): Response => {
  const reader = response.body?.getReader()
  let left = bytes
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value } = left > 0 ? ((await reader?.read()) ?? {}) : {}
      if (value === undefined) {
        await reader?.cancel()
        return controller.error(new TypeError("terminated"))
      }
      controller.enqueue(value.slice(0, left))
      left -= value.length
    },
    cancel: () => reader?.cancel(),
  })
  return new Response(stream, { status: response.status, headers: response.headers })
}

/** Waits; rejects with the reason of the signal if it is aborted. */
const delay = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      // Sound: `fetch` rejects with the reason, whatever it is.
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve()
    }, millis)
    signal.addEventListener("abort", stop, { once: true })
  })

/** Applies a fault to a response. A reorg has already happened by then and leaves the response unchanged. */
export const apply = async (
  fault: Fault | null | undefined,
  signal: AbortSignal,
  respond: () => Reply | Promise<Reply>,
): Promise<Response> => {
  if (fault == null) return toResponse(await respond())
  if (fault === "disconnect") throw new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })
  if ("status" in fault) return toResponse(statusReply(fault))
  if ("cutAfterBytes" in fault) return cut(toResponse(await respond()), fault.cutAfterBytes)
  if ("delayMillis" in fault) await delay(fault.delayMillis, signal)
  return toResponse(await respond())
}
