/**
 * Flags of commands that run with or without a configuration file: the file, and settings that replace its keys.
 */
import { quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import type * as ConfigFile from "../config/ConfigFile.ts"
import * as Overrides from "../config/Overrides.ts"
import { type CommandError, invalidOption } from "./CommandError.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar(metavar), Flag.optional)

/** The flags. */
export const flags = {
  config: text("config", "FILE", "Configuration file, by default daybook.json; paths in it are relative to its folder"),
  chain: Flag.String("chain").pipe(
    Flag.withDescription(
      "Chain and its node, such as eth=http://127.0.0.1:8545, or with the id of an unlisted chain, such as dev:31337=URL; may be repeated; needs no file",
    ),
    Flag.withMetavar("NAME=URL"),
    Flag.atLeast(0),
  ),
  database: text("database", "URL", "URL of the database; overrides the configuration file"),
  listen: text(
    "listen",
    "HOST:PORT",
    "Where to listen, as host:port, or unix: and a path; overrides the configuration file",
  ),
}

/** Values of the flags. */
export interface Given {
  readonly config: Option.Option<string>
  readonly chain: ReadonlyArray<string>
  readonly database: Option.Option<string>
  readonly listen: Option.Option<string>
}

/**
 * Makes the configuration source from the flags.
 *
 * **Errors**
 * - `CommandError`: a chain has no node. The message does not show the URL of any other node.
 */
export const sourceOf = Effect.fnUntraced(function* (given: Given): Effect.fn.Return<ConfigFile.Source, CommandError> {
  const nodes: Array<Overrides.NamedNode> = []
  for (const one of given.chain) {
    const node = Overrides.parseNode(one)
    if (node === undefined) {
      const received = one.includes("=") ? "text in another form" : quote(one)
      return yield* invalidOption(
        "--chain",
        "a name and the URL of a node, as in eth=http://127.0.0.1:8545 or dev:31337=http://127.0.0.1:8545",
        received,
      )
    }
    nodes.push(node)
  }
  return {
    nodes,
    ...Option.match(given.config, { onNone: () => ({}), onSome: (path) => ({ path }) }),
    ...Option.match(given.database, { onNone: () => ({}), onSome: (database) => ({ database }) }),
    ...Option.match(given.listen, { onNone: () => ({}), onSome: (listen) => ({ listen }) }),
  }
})
