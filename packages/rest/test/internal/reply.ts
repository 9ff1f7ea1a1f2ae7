/** Builds responses of the host `api.test`. Their requests have the API key `hidden`. */
import type { Http } from "@daybook/transport"

export const reply = (status: number, body: unknown, more: Partial<Http.Reply> = {}): Http.Reply => ({
  status,
  headers: {},
  text: typeof body === "string" ? body : JSON.stringify(body),
  host: "api.test",
  requestId: undefined,
  retryAfter: undefined,
  attempts: [],
  scrub: (text) => text.replaceAll("hidden", "<redacted>"),
  ...more,
})
