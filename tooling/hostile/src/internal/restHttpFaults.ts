/**
 * Faults of whole REST responses: redirects, broken connections, rate limits, and error statuses.
 */
import * as Payload from "@daybook/harness/Payload"
import { contractError, delivered, providerError } from "./restFault.ts"
import type { Fault } from "./restFault.ts"

const invalid = { outcomes: ["InvalidResponse"], retry: "allowed" } as const
const limited = { outcomes: ["RateLimited"], retry: "required" } as const
const disconnected = { outcomes: ["TransportError"], retry: "required" } as const
const timedOut = { outcomes: ["TimeoutError"], retry: "allowed" } as const
const tooMany = { message: "Too Many Requests" }

export const httpFaults = {
  redirect: { ...invalid, respond: () => ({ status: 302, headers: { location: "/elsewhere" }, body: "" }) },

  closedBefore: { ...disconnected, respond: delivered({ kind: "closedBefore" }) },
  closedAfter: { ...disconnected, respond: delivered({ kind: "closedAfter" }) },
  truncatedBody: { ...disconnected, respond: delivered({ kind: "truncated" }) },
  stalledHeaders: { ...timedOut, respond: delivered({ kind: "stalledHeaders" }) },
  stalledBody: { ...timedOut, respond: delivered({ kind: "stalledBody" }) },
  endless: { ...timedOut, respond: delivered({ kind: "endless", everyMillis: 40 }) },

  limitedBare: { ...limited, respond: providerError(429, "Too Many Requests") },
  limitedPage: { ...limited, respond: () => Payload.html("Too Many Requests", 429) },
  limitedSeconds: {
    ...limited,
    retryAfter: "exact",
    respond: ({ waitMillis }) => Payload.json(tooMany, 429, Payload.retryAfterSeconds(waitMillis)),
  },
  limitedDate: {
    ...limited,
    retryAfter: "second",
    respond: ({ waitMillis }) => Payload.json(tooMany, 429, Payload.retryAfterDate(waitMillis)),
  },
  limitedContract: {
    ...limited,
    retryAfter: "exact",
    respond: ({ waitMillis }) => {
      const bucket = { "ratelimit-limit": "25", "ratelimit-remaining": "0" }
      return contractError(429, "rate_limited", {}, { ...Payload.retryAfterSeconds(waitMillis), ...bucket })
    },
  },
  unavailable: {
    outcomes: ["Unavailable"],
    retry: "required",
    retryAfter: "exact",
    respond: ({ waitMillis }) => contractError(503, "unavailable", {}, Payload.retryAfterSeconds(waitMillis)),
  },
  unavailablePage: {
    outcomes: ["Unavailable", "InvalidResponse"],
    retry: "required",
    respond: () => Payload.html("Service Unavailable", 503),
  },
  serverError: { ...invalid, retry: "required", respond: providerError(500, "Internal server error") },
  serverErrorContract: { ...invalid, retry: "required", respond: () => contractError(500, "internal") },
  badGateway: { ...invalid, retry: "required", respond: () => Payload.html("502 Bad Gateway", 502) },

  unauthorized: {
    outcomes: ["Unauthorized"],
    retry: "forbidden",
    respond: providerError(401, "Token is invalid format"),
  },
  quotaExceeded: {
    outcomes: ["QuotaExceeded"],
    retry: "forbidden",
    respond: providerError(
      401,
      "Validation service blocked: Your plan: free-plan-daily total included usage has been consumed, please upgrade your plan",
    ),
  },
  badRequest: { outcomes: ["BadRequest"], retry: "forbidden", respond: () => contractError(400, "bad_request") },
  messageText: { outcomes: ["BadRequest"], retry: "forbidden", respond: providerError(400, "cursor is not valid") },
  messageList: {
    outcomes: ["BadRequest"],
    retry: "forbidden",
    respond: providerError(400, ["limit must not be greater than 100", "limit must be a number"]),
  },
  forbidden: { outcomes: ["Forbidden"], retry: "forbidden", respond: () => contractError(403, "forbidden") },
  notFound: { outcomes: ["NotFound"], retry: "forbidden", respond: providerError(404, "Cannot GET /api/v2.2") },
  staleCursor: {
    outcomes: ["StaleCursor"],
    retry: "forbidden",
    respond: ({ rows, position }) => {
      const resumeFromBlock = Number(rows[Math.min(position, rows.length - 1)]?.block_number ?? 0)
      return contractError(409, "stale_cursor", { resumeFromBlock })
    },
  },
} as const satisfies Readonly<Record<string, Fault>>
