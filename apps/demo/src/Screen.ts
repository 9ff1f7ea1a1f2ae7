/**
 * Terminal output: plain lines, and on a terminal also colour and a progress line.
 */
import { Context, Effect, Layer } from "effect"

/** Output of the demo. */
export interface ScreenShape {
  readonly line: (text?: string) => Effect.Effect<void>
  readonly title: (text: string) => Effect.Effect<void>
  /** Replaces the progress line; ignored unless the output is a terminal. */
  readonly progress: (text: string) => void
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

/** Output of the demo as a service. */
export class Screen extends Context.Service<Screen, ScreenShape>()("@daybook/demo/Screen") {}

const sequence = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`
const plain = (text: string) => text

/** The members of a stream that a screen uses. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** A screen on a stream. `NO_COLOR` switches colour off. */
export const make = (output: Output, env: Readonly<Record<string, string | undefined>>): ScreenShape => {
  const isTerminal = output.isTTY === true
  const isColoured = isTerminal && !env["NO_COLOR"]
  let hasProgress = false
  const clear = () => {
    if (hasProgress) output.write("\r\u001b[2K")
    hasProgress = false
  }
  const line = (text = "") =>
    Effect.sync(() => {
      clear()
      output.write(`${text}\n`)
    })
  const bold = isColoured ? sequence(1, 22) : plain
  return {
    line,
    title: (text) => line(`\n${bold(text)}`),
    progress: (text) => {
      if (!isTerminal) return
      clear()
      output.write(`   ${text.slice(0, (output.columns ?? 80) - 4)}`)
      hasProgress = true
    },
    bold,
    dim: isColoured ? sequence(2, 22) : plain,
    good: isColoured ? sequence(32, 39) : plain,
    bad: isColoured ? sequence(31, 39) : plain,
  }
}

/** A screen on standard output. */
export const layer: Layer.Layer<Screen> = Layer.sync(Screen, () => make(process.stdout, process.env))
