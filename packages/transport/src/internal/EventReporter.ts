/** Reports the events of one call to a listener, without any key. */
import * as Duration from "effect/Duration"
import type { Attempt } from "../Attempt.ts"
import type { Failure } from "../ClientError.ts"
import type { Event } from "../Event.ts"
import type { Reply } from "../Http.ts"
import { relative } from "./EndpointUrl.ts"
import { headersOf, methodOf, type Request } from "./HttpRequest.ts"
import * as Redaction from "./Redaction.ts"

/** Reports the events of one call. */
export interface EventReporter {
  readonly request: (attempt: number) => void
  readonly response: (attempt: number, reply: Reply) => void
  readonly fault: (attempt: number, error: Failure & { readonly attempts: ReadonlyArray<Attempt> }) => void
  readonly retry: (attempt: number, error: Failure, wait: Duration.Duration) => void
}

const durationOfLast = (attempts: ReadonlyArray<Attempt>) => {
  const { duration = Duration.zero, durationMillis = 0 } = attempts.at(-1) ?? {}
  return { duration, durationMillis }
}

/** Reports one event to a listener. Exceptions of the listener are ignored, including those of an asynchronous function. */
export const notify = (onEvent: (event: Event) => unknown, event: Event): void => {
  try {
    const returned = onEvent(event)
    if (returned instanceof Promise) returned.catch(() => undefined)
  } catch {
    // A listener cannot end a call.
  }
}

/** Makes a reporter for a listener. */
export const make = (onEvent: (event: Event) => void, call: number, request: Request): EventReporter => {
  const { host, scrub } = request.endpoint
  const shown = (map: Readonly<Record<string, string>>) =>
    Redaction.headers(Object.fromEntries(Object.entries(map).map(([name, value]) => [name, scrub(value)])))
  const report = (event: Event) => notify(onEvent, event)
  return {
    request: (attempt) => {
      const [method, target] = [methodOf(request), scrub(relative(request))]
      report({ _tag: "Request", call, attempt, host, method, target, headers: shown(headersOf(request)) })
    },
    response: (attempt, { attempts, headers, requestId, status }) => {
      const facts = { status, requestId, headers: shown(headers), ...durationOfLast(attempts) }
      report({ _tag: "Response", call, attempt, host, ...facts })
    },
    fault: (attempt, { _tag: error, attempts, message }) =>
      report({ _tag: "Fault", call, attempt, host, error, message, ...durationOfLast(attempts) }),
    retry: (attempt, { _tag: error, message }, wait) =>
      report({ _tag: "Retry", call, attempt, host, error, message, wait, waitMillis: Duration.toMillis(wait) }),
  }
}
