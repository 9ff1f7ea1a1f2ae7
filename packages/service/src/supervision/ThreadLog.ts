/**
 * Log lines of a worker thread: sent to its parent, without keys, and logged there.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"

/**
 * A log line as a message.
 */
export interface ThreadLog {
  readonly _tag: "Log"
  readonly level: LogLevel.Severity
  readonly text: string
  readonly annotations: Readonly<Record<string, string | number>>
}

/**
 * Sends log lines to the parent of a thread.
 *
 * @param redact - Removes keys from a text.
 */
export const logger = (
  post: (message: ThreadLog) => void,
  redact: (text: string) => string,
): Logger.Logger<unknown, void> =>
  Logger.make(({ fiber, logLevel, message }) => {
    const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const annotations = Object.fromEntries(
      Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(([name, value]) => [
        name,
        typeof value === "number" ? value : redact(String(value)),
      ]),
    )
    const level = logLevel === "All" || logLevel === "None" ? "Info" : logLevel
    post({ _tag: "Log", level, text: redact(text), annotations })
  })

/**
 * Logs a line received from a thread.
 */
export const write = ({ annotations, level, text }: ThreadLog): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWithLevel(level)(text), annotations)
