/**
 * Formats the help of a command in 80 columns: its description, arguments and flags, subcommands by purpose, examples, and last the flags
 * common to all commands. Pure.
 */
import * as Option from "effect/Option"
import type { HelpDoc } from "effect/cli/HelpDoc"

const columns = 80
const indent = "  "
/** Width of the name column; the description of a longer name starts on the next line. */
const nameWidth = 22

/** Groups of commands by purpose; all others are listed as `Commands`. */
const groups: ReadonlyArray<readonly [title: string, names: ReadonlySet<string>]> = [
  ["RUN", new Set(["serve", "dev", "mcp"])],
  ["LOOK", new Set(["status", "doctor", "config"])],
  ["PROVE", new Set(["reconcile", "statement", "verify-statement", "signing-key"])],
  ["DATA", new Set(["export", "verify", "repair", "reindex", "compact", "backup", "restore"])],
  ["KEYS, CONTRACTS AND WALLETS", new Set(["keys", "abi", "watch", "webhooks"])],
]

/** Flags of the framework that start a dialogue, which no command needs. */
const hiddenFlags = new Set(["wizard"])

/** Wraps a text at word boundaries. */
const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** A name with its description next to it, or below it if the name is long. */
const row = (name: string, description: string): string => {
  const start = indent + " ".repeat(nameWidth)
  const lines = wrap(description, columns - start.length).map((line) => `${start}${line}`.trimEnd())
  if (name.length > nameWidth - 2) return [`${indent}${name}`, ...lines.filter((line) => line !== "")].join("\n")
  const [first = "", ...others] = lines
  return [`${indent}${name.padEnd(nameWidth)}${first.slice(start.length)}`.trimEnd(), ...others].join("\n")
}

const section = (title: string, rows: ReadonlyArray<string>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [[title, ...rows].join("\n")]

type Flags = HelpDoc["flags"]

/** A long list of values is only in the description. */
const valueOf = (type: string): string => {
  if (type === "boolean") return ""
  return type.length > nameWidth ? " <value>" : ` ${type}`
}

const flagRows = (flags: Flags): ReadonlyArray<string> =>
  flags
    .filter(({ name }) => !hiddenFlags.has(name))
    .map(({ aliases, description, name, type }) =>
      row(
        `${[`--${name}`, ...aliases].join(", ")}${valueOf(type)}`,
        Option.getOrElse(description, () => ""),
      ),
    )

const commandSections = (doc: HelpDoc): ReadonlyArray<string> => {
  const commands = (doc.subcommands ?? []).flatMap((group) => [...group.commands])
  const isGrouped = (name: string) => groups.some(([, names]) => names.has(name))
  const isRoot = (doc.commandPath?.length ?? 1) <= 1
  const rowsOf = (isWanted: (name: string) => boolean) =>
    commands.filter(({ name }) => isWanted(name)).map(({ description, name }) => row(name, description))
  if (!isRoot)
    return section(
      "COMMANDS",
      rowsOf(() => true),
    )
  return [
    ...groups.flatMap(([title, names]) =>
      section(
        title,
        rowsOf((name) => names.has(name)),
      ),
    ),
    ...section(
      "COMMANDS",
      rowsOf((name) => !isGrouped(name)),
    ),
  ]
}

const exampleRows = ({ examples = [] }: HelpDoc): ReadonlyArray<string> =>
  examples.map(({ command, description }) => row(command, description ?? ""))

/** Writes the help of a command. */
export const format = (doc: HelpDoc): string => {
  const args = (doc.args ?? []).map(({ description, name, required, variadic }) => {
    const text = Option.getOrElse(description, () => "")
    return row(`${name}${variadic ? "..." : ""}`, required ? text : `${text} (optional)`)
  })
  const sections = [
    ...section(
      "DESCRIPTION",
      wrap(doc.description, columns - 2 * indent.length).map((line) => `${indent}${line}`),
    ),
    ...section("USAGE", [`${indent}${doc.usage}`]),
    ...commandSections(doc),
    ...section("ARGUMENTS", args),
    ...section("FLAGS", flagRows([...doc.flags, ...(doc.inheritedFlags ?? [])])),
    ...section("EXAMPLES", exampleRows(doc)),
    ...section("GLOBAL FLAGS", flagRows(doc.globalFlags ?? [])),
  ]
  return sections.join("\n\n")
}
