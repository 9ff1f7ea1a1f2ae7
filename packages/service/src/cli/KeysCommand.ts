/**
 * `daybook keys`: adds, lists and revokes API keys.
 */
import { quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import { nameOf } from "../store/ApiKeys.ts"
import * as Engine from "../store/Engine.ts"
import * as ConfigFlags from "./ConfigFlags.ts"
import { CommandError } from "./CommandError.ts"
import * as Terminal from "./Terminal.ts"

/** Prints a new key, which is not stored: only its hash is. */
export const show = Effect.fnUntraced(function* (name: string, key: Redacted.Redacted<string>) {
  yield* Terminal.note(`Key of ${quote(name)}, shown only once (its hash is stored):`)
  yield* Terminal.print(Redacted.value(key))
})

const flags = { config: ConfigFlags.flags.config, database: ConfigFlags.flags.database }

const openKeys = Effect.fnUntraced(function* (given: Pick<ConfigFlags.Given, "config" | "database">) {
  const [path, database] = [Option.getOrUndefined(given.config), Option.getOrUndefined(given.database)]
  const found = yield* ConfigFile.databaseOf({
    ...(path === undefined ? {} : { path }),
    ...(database === undefined ? {} : { database }),
  })
  return (yield* Engine.fromUrl(found.database, found.baseFolder)).apiKeys
})

const add = Command.make(
  "add",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the key's owner; a name has one key")),
    ...flags,
    operator: Flag.Boolean("operator").pipe(
      Flag.withDescription("Allow methods for operators: trace_block, debug_traceBlockByNumber, ..."),
      Flag.withDefault(false),
    ),
    empty: Flag.Literals("empty", ["string", "null"]).pipe(
      Flag.withDescription("Form of empty values for this key; by default that of the configuration"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ empty, name: given, operator, ...database }) {
    const name = yield* Effect.mapError(nameOf(given), ({ message }) => new CommandError({ message, isUsage: true }))
    const keys = yield* openKeys(database)
    const key = yield* keys.add({ name, operator, empty: Option.getOrNull(empty) })
    if (key === null) {
      const message = `A key with this name exists: ${quote(name)}. Choose another name, or revoke that key.`
      return yield* new CommandError({ message })
    }
    yield* show(name, key)
  }, Effect.scoped),
).pipe(Command.withDescription("Add a key; it is the only line on standard output"))

const revoke = Command.make(
  "revoke",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the key")), ...flags },
  Effect.fn(function* ({ name, ...database }) {
    const keys = yield* openKeys(database)
    if (!(yield* keys.revoke(name))) {
      const message = `No key has this name: ${quote(name)}. "daybook keys list" lists the names.`
      return yield* new CommandError({ message })
    }
    yield* Terminal.note(`Revoked the key of ${quote(name)}; running servers reject it from now on.`)
  }, Effect.scoped),
).pipe(Command.withDescription("Revoke a key; its name can be used again"))

const list = Command.make(
  "list",
  flags,
  Effect.fn(function* (database) {
    const keys = yield* openKeys(database)
    const found = yield* keys.list
    if (found.length === 0) yield* Terminal.note('No keys. Add one with "daybook keys add NAME".')
    for (const { empty, name, operator } of found) {
      const grants = [...(operator ? ["operator"] : []), ...(empty === null ? [] : [`empty ${empty}`])]
      yield* Terminal.print([name, ...grants].join("\t"))
    }
  }, Effect.scoped),
).pipe(Command.withDescription("List the names of the keys and their grants"))

/** `daybook keys`. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Add, list and revoke API keys"),
  Command.withSubcommands([add, list, revoke]),
)
