/**
 * Faults of whole JSON-RPC responses: bodies that cannot be read, broken connections, rate limits, HTTP errors, and
 * batches rejected for their size.
 */
import * as Payload from "@daybook/harness/Payload"
import { correctBody, delivered, errorForEach, invalid, itemsOf, limited, requestError } from "./nodeFault.ts"
import type { Fault } from "./nodeFault.ts"

const disconnected = { outcomes: ["TransportError"], retry: "required" } as const
const timedOut = { outcomes: ["TimeoutError"], retry: "allowed" } as const
const rejectedBatch = {
  batchOnly: true,
  outcomes: ["RpcError", "InvalidResponse"],
  retry: "required",
  splits: true,
} as const

export const httpFaults = {
  singleError: {
    outcomes: ["RpcError"],
    retry: "allowed",
    respond: () => Payload.json(requestError(-32010, "the whole request failed")),
  },
  singleLimit: { ...limited, respond: () => Payload.json(requestError(-32005, "rate limit exceeded")) },
  itemForBatch: { ...invalid, batchOnly: true, respond: (context) => Payload.json(itemsOf(context)[0]) },
  explorerError: {
    ...invalid,
    outcomes: ["InvalidResponse", "RateLimited"],
    respond: () => Payload.json({ status: "0", message: "NOTOK", result: "Max rate limit reached" }),
  },
  html: { ...invalid, respond: () => Payload.html("Welcome") },
  plainText: { ...invalid, respond: () => Payload.text("it works") },
  emptyBody: { ...invalid, respond: () => Payload.text("") },
  truncatedJson: { ...invalid, respond: (context) => ({ body: correctBody(context).slice(0, -2) }) },
  oversize: { ...invalid, respond: (context) => ({ body: Payload.oversize(correctBody(context)) }) },
  gzipBomb: { ...invalid, respond: (context) => Payload.declaredGzip(Payload.gzipBomb(correctBody(context))) },
  wrongEncoding: {
    ...invalid,
    outcomes: ["InvalidResponse", "TransportError"],
    respond: (context) => Payload.declaredGzip(correctBody(context)),
  },
  redirect: { ...invalid, respond: () => ({ status: 307, headers: { location: "/elsewhere" }, body: "" }) },

  closedBefore: { ...disconnected, respond: delivered({ kind: "closedBefore" }) },
  closedAfter: { ...disconnected, respond: delivered({ kind: "closedAfter" }) },
  truncatedBody: { ...disconnected, respond: delivered({ kind: "truncated" }) },
  stalledHeaders: { ...timedOut, respond: delivered({ kind: "stalledHeaders" }) },
  stalledBody: { ...timedOut, respond: delivered({ kind: "stalledBody" }) },
  endless: { ...timedOut, respond: delivered({ kind: "endless", everyMillis: 40 }) },

  limitedBare: { ...limited, respond: () => Payload.text("", 429) },
  limited1015: { ...limited, respond: () => Payload.text("error code: 1015", 429) },
  limitedPage: { ...limited, respond: () => Payload.html("Too Many Requests", 429) },
  limitedSeconds: {
    ...limited,
    retryAfter: "exact",
    respond: ({ waitMillis }) => Payload.text("Too Many Requests", 429, Payload.retryAfterSeconds(waitMillis)),
  },
  limitedDate: {
    ...limited,
    retryAfter: "second",
    respond: ({ waitMillis }) => Payload.text("Too Many Requests", 429, Payload.retryAfterDate(waitMillis)),
  },
  limitedMillis: {
    ...limited,
    retryAfter: "exact",
    respond: ({ waitMillis }) => Payload.text("Too Many Requests", 429, { "retry-after-ms": String(waitMillis) }),
  },
  limitedRpc: {
    ...limited,
    retryAfter: "exact",
    respond: ({ waitMillis }) =>
      Payload.json(
        requestError(-32005, "daily request count exceeded, request rate limited"),
        429,
        Payload.retryAfterSeconds(waitMillis),
      ),
  },
  limitedRpcEach: {
    ...limited,
    respond: (context) => Payload.json(errorForEach(context, -32029, "Too Many Requests"), 429),
  },
  unavailable: {
    outcomes: ["InvalidResponse", "RateLimited"],
    retry: "required",
    retryAfter: "exact",
    respond: ({ waitMillis }) => Payload.text("Service Unavailable", 503, Payload.retryAfterSeconds(waitMillis)),
  },
  serverError: { ...invalid, retry: "required", respond: () => Payload.text("Internal Server Error", 500) },
  serverErrorRpc: {
    outcomes: ["RpcError"],
    retry: "required",
    respond: (context) => Payload.json(errorForEach(context, -32603, "Internal error"), 500),
  },
  badGateway: { ...invalid, retry: "required", respond: () => Payload.html("502 Bad Gateway", 502) },
  unauthorized: {
    outcomes: ["Unauthorized"],
    retry: "forbidden",
    respond: () => Payload.json({ message: "Must be authenticated!" }, 401),
  },

  rejected413: { ...rejectedBatch, respond: () => Payload.text("Request Entity Too Large", 413) },
  rejectedSize: { ...rejectedBatch, respond: () => Payload.json(requestError(-32003, "batch too large")) },
  rejectedBatch: { ...rejectedBatch, respond: () => Payload.json(requestError(-32202, "batch requests are disabled")) },
} as const satisfies Readonly<Record<string, Fault>>
