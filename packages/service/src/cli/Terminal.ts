/**
 * Output of the command line: results on standard output, one line each; everything for people on standard error, where a progress line may
 * be at the bottom.
 */
import { writeSync } from "node:fs"
import { visible, visibleLine } from "@daybook/schema/VisibleText"
import * as Cause from "effect/Cause"
import type * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { CommandError } from "./CommandError.ts"
import * as ProgressLine from "./ProgressLine.ts"
import * as StandardError from "./StandardError.ts"

const standardOutput = 1
const standardError = 2
const defaultColumns = 80

/**
 * The progress line; `undefined` if standard error is not a terminal. Checking this makes later writes to a pipe fail instead of waiting
 * for its reader.
 */
export const progress = process.stderr.isTTY
  ? ProgressLine.make({
      write: (text) => void writeSync(standardError, text),
      // Some terminals do not report their width.
      columns: () => process.stderr.columns || defaultColumns,
      now: () => performance.now(),
    })
  : undefined

const lines = StandardError.make((bytes) => writeSync(standardError, bytes))
process.on("exit", lines.end)

/** Writes a line to standard error. */
const writeError = (line: string): void => {
  if (progress === undefined) lines.write(line)
  else progress.above(() => lines.write(line))
}

/** Writes a line to standard output at the pace of its reader, which may be the same pipe as standard error. */
const printLine = (line: string): void => {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(standardOutput, rest))
    } catch (cause) {
      if (!StandardError.isFull(cause)) throw cause
      StandardError.pause()
    }
  }
}

/** Where lines are written; by default, the standard streams of the process. */
export interface Output {
  /** Writes a line of the result. */
  readonly print: (line: string) => void
  /** Writes a line for the operator. */
  readonly note: (line: string) => void
}

/** The output of commands in a context. */
export const Output = Context.Reference<Output>("@daybook/service/cli/Output", {
  defaultValue: () => ({ print: printLine, note: writeError }),
})

/** Standard output cannot be written: its reader is gone, or its disk is full. */
const unwritten = (cause: unknown): CommandError =>
  new CommandError({
    message: `Cannot write standard output: ${cause instanceof Error ? cause.message : String(cause)}.`,
  })

/**
 * Prints a line of the result to standard output.
 *
 * **Errors**
 * - `CommandError`: it cannot be written.
 */
export const print = (line: string): Effect.Effect<void, CommandError> =>
  Output.use((output) => Effect.try({ try: () => output.print(line), catch: unwritten }))

/**
 * Prints a secret that is stored and cannot be shown again.
 *
 * **Errors**
 * - `CommandError`: it cannot be written; the message states what is stored, and the remedy.
 */
export const printSecret = (
  secret: string,
  { remedy, what }: { readonly what: string; readonly remedy: string },
): Effect.Effect<void, CommandError> =>
  Effect.mapError(
    print(secret),
    ({ message }) =>
      new CommandError({ message: `${message} ${what} is stored all the same, and cannot be shown again. ${remedy}` }),
  )

/** Console of the command line's framework, such as for completions. It throws a `CommandError` if standard output cannot be written. */
export const console: Effect.Effect<Console.Console> = Output.useSync((output) =>
  Object.assign(Object.create(globalThis.console) as Console.Console, {
    log: (...values: ReadonlyArray<unknown>) => {
      try {
        output.print(values.map(String).join(" "))
      } catch (cause) {
        throw unwritten(cause)
      }
    },
  }),
)

/** Prints a line for the operator to standard error, above the progress line. */
export const note = (line: string): Effect.Effect<void> => Output.useSync((output) => output.note(visible(line)))

const formatAnnotation = ([name, value]: readonly [name: string, value: unknown]): string =>
  ` ${name}=${typeof value === "string" && /[\s"=]/.test(value) ? JSON.stringify(visible(value)) : String(value)}`

/** Annotations of a line, including the number of lines dropped before it. */
const annotationsOf = (own: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const linesLeftOut = lines.takeLeftOut()
  return linesLeftOut === 0 ? own : { ...own, linesLeftOut }
}

/** Logger that writes one line per entry to standard error: time, level, chain, message, then other annotations and the cause. */
export const logger = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const { chain, ...annotations } = annotationsOf(fiber.getRef(References.CurrentLogAnnotations))
  const prefix = typeof chain === "string" ? `${chain}: ` : ""
  const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
  const values = Object.entries(annotations).map(formatAnnotation).join("")
  const details = cause.reasons.length === 0 ? "" : ` ${Cause.pretty(cause)}`
  const line = `${prefix}${text}${values}${details}`.replace(/\r?\n[ \t]*/g, " | ")
  fiber.getRef(Output).note(`${date.toISOString()} ${logLevel.toUpperCase().padEnd(5)} ${visibleLine(line)}`)
})

/** Value of a JSON line: numbers and booleans unchanged, everything else as visible text. */
const jsonValue = (value: unknown): number | boolean | string =>
  typeof value === "number" || typeof value === "boolean" ? value : visible(String(value))

/** Logger that writes one line of JSON per entry to standard error: time, level, message, the annotations, and the cause. */
export const jsonLogger = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const annotations = Object.entries(annotationsOf(fiber.getRef(References.CurrentLogAnnotations)))
  const entry = {
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: visible((Array.isArray(message) ? message : [message]).map(String).join(" ")),
    ...Object.fromEntries(annotations.map(([name, value]) => [name, jsonValue(value)])),
    cause: cause.reasons.length === 0 ? undefined : visible(Cause.pretty(cause)),
  }
  fiber.getRef(Output).note(JSON.stringify(entry))
})

/** A number with its noun: `1 block`, `2 blocks`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`
