/**
 * Shell examples in documents: the commands of a block, each with the output that the following comment states. `...` in a comment matches
 * any text.
 */

/** A command and its output. */
export interface Command {
  readonly text: string
  /** Line offset from the start of the block. */
  readonly line: number
  /** Output stated by the following comment; omitted without one. */
  readonly expected?: string
}

/** The commands of a block. A line that ends with a backslash continues on the next one. */
export const commandsOf = (code: string): ReadonlyArray<Command> => {
  const commands: Array<Command> = []
  let open: { readonly text: string; readonly line: number } | undefined
  for (const [at, line] of code.split("\n").entries()) {
    const last = commands.at(-1)
    if (open === undefined && line.startsWith("# ") && last !== undefined && last.expected === undefined) {
      commands.push({ ...commands.pop()!, expected: line.slice(2).trim() })
    } else if (open !== undefined || line.trim() !== "") {
      const text: string = open === undefined ? line : `${open.text}\n${line}`
      open = { text, line: open?.line ?? at }
      if (!line.endsWith("\\")) {
        commands.push(open)
        open = undefined
      }
    }
  }
  return commands
}

/** True if a text matches a comment. */
export const matches = (expected: string, output: string): boolean => {
  const parts = expected.split("...").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`^${parts.join("[^]*")}$`, "u").test(output.trim())
}

const separator = "\u001E"

/** Options of curl in addition to those of the example: it fails on an error status, and retries if necessary. */
const preamble = `set -euo pipefail
curl() { command curl --disable --silent --show-error --fail-with-body --noproxy '*' --max-time 30 --retry 5 "$@"; }
`

/** The script of a block, which prints a separator after the output of each command. */
export const scriptOf = (commands: ReadonlyArray<Command>): string =>
  `${preamble}${commands.map(({ text }) => `${text}\nprintf '\\036'\n`).join("")}`

const maxShown = 300

/** The differences between the output of a script and the stated outputs of its commands. */
export const issuesOf = (commands: ReadonlyArray<Command>, standardOutput: string): ReadonlyArray<string> => {
  const outputs = standardOutput.split(separator)
  return commands.flatMap(({ expected, line }, at) => {
    const output = outputs[at] ?? ""
    if (at >= outputs.length - 1) return [`line ${line + 1}: failed: ${output.slice(0, maxShown)}`]
    if (expected === undefined || matches(expected, output)) return []
    return [`line ${line + 1}: expected ${expected}, received ${output.slice(0, maxShown)}`]
  })
}
