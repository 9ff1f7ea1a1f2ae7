/** Makes responses of the host `api.test`, whose key is the text `hidden`. */
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
