/** Tells a listener what happens during one call, with every key left out. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Attempt } from "../Attempt.ts"
import type { Failure } from "../ClientError.ts"
import type { Event } from "../Event.ts"
import * as Http from "../Http.ts"
import * as Redaction from "../Redaction.ts"

const targetOf = ({ path = "", query = {} }: Http.Request): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, value)
  const written = given.toString()
  return written === "" ? path : `${path}?${written}`
}

const lastOf = (attempts: ReadonlyArray<Attempt>): Duration.Duration => attempts.at(-1)?.duration ?? Duration.zero

export const teller = (onEvent: (event: Event) => void, call: number, request: Http.Request) => {
  const { host, scrub } = request.endpoint
  const shown = (map: Readonly<Record<string, string>>) =>
    Redaction.headers(Object.fromEntries(Object.entries(map).map(([name, value]) => [name, scrub(value)])))
  const tell = (event: Event) =>
    Effect.sync(() => {
      try {
        onEvent(event)
      } catch {
        // A listener's fault is its own.
      }
    })
  return {
    request: (attempt: number) => {
      const [method, target] = [Http.methodOf(request), scrub(targetOf(request))]
      return tell({ _tag: "Request", call, attempt, host, method, target, headers: shown(Http.headersOf(request)) })
    },
    response: (attempt: number, { attempts, headers, requestId, status }: Http.Reply) => {
      const facts = { status, requestId, headers: shown(headers), duration: lastOf(attempts) }
      return tell({ _tag: "Response", call, attempt, host, ...facts })
    },
    fault: (
      attempt: number,
      { _tag: error, attempts, message }: Failure & { readonly attempts: ReadonlyArray<Attempt> },
    ) => tell({ _tag: "Fault", call, attempt, host, error, message, duration: lastOf(attempts) }),
    retry: (attempt: number, { _tag: error, message }: Failure, wait: Duration.Duration) =>
      tell({ _tag: "Retry", call, attempt, host, error, message, wait }),
  }
}
