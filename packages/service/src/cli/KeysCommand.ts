/**
 * `daybook keys`: adds, lists, rotates and revokes API keys.
 */
import { quote } from "@daybook/schema/Issue"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as ChainRegistry from "../config/ChainRegistry.ts"
import { nameOf, type StoredKey } from "../store/ApiKeys.ts"
import * as Engine from "../store/Engine.ts"
import * as ConfigFlags from "./ConfigFlags.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as KeyFlags from "./KeyFlags.ts"
import * as Terminal from "./Terminal.ts"
import * as TextTable from "./TextTable.ts"

/** Prints a new key. Only its hash is stored. */
export const show = Effect.fnUntraced(function* (
  name: string,
  key: Redacted.Redacted<string>,
  remedy = 'Remove it with "daybook keys revoke", then add a key again.',
) {
  yield* Terminal.note(`Key of ${quote(name)}, shown only once (its hash is stored):`)
  yield* Terminal.printSecret(Redacted.value(key), { what: `The key of ${quote(name)}`, remedy })
})

const flags = { config: ConfigFlags.flags.config, database: ConfigFlags.flags.database }

/** Opens the keys of the database, and the chain names of the configuration, if there is one. */
const openKeys = Effect.fnUntraced(function* (given: Pick<ConfigFlags.Given, "config" | "database">) {
  const [path, database] = [Option.getOrUndefined(given.config), Option.getOrUndefined(given.database)]
  const found = yield* ConfigFile.databaseOf({
    path,
    database,
  })
  const isChain = (name: string): boolean => found.chains?.some(ChainRegistry.isNamed(name)) ?? true
  return { keys: (yield* Engine.fromUrl(found.database, found.baseFolder)).apiKeys, isChain }
})

const noKey = (name: string) =>
  new CommandError({ message: `No key has this name: ${quote(name)}. "daybook keys list" lists the names.` })

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
      Flag.withDescription("Form of empty values for this key; by default as configured"),
      Flag.optional,
    ),
    ...KeyFlags.flags,
  },
  Effect.fn(function* ({ empty, name: given, operator, ...rest }) {
    const name = yield* Effect.mapError(nameOf(given), ({ message }) => new CommandError({ message, isUsage: true }))
    const { isChain, keys } = yield* openKeys(rest)
    const grant = yield* KeyFlags.parse(rest, isChain)
    const key = yield* keys.add({ name, operator, empty: Option.getOrNull(empty), ...grant })
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
    const { keys } = yield* openKeys(database)
    if (!(yield* keys.revoke(name))) return yield* noKey(name)
    yield* Terminal.note(`Revoked the key of ${quote(name)}; running servers reject it from now on.`)
  }, Effect.scoped),
).pipe(Command.withDescription("Revoke a key; its name can be used again"))

const rotate = Command.make(
  "rotate",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the key")),
    ...flags,
    keep: Flag.String("keep").pipe(
      Flag.withDescription("How long the previous key stays valid: 0s, 30m, 12h, 90d; by default 1d"),
      Flag.withMetavar("TIME"),
      Flag.withDefault("1d"),
    ),
  },
  Effect.fn(function* ({ keep, name, ...database }) {
    const millis = KeyFlags.parseDuration(keep)
    if (millis === undefined) return yield* invalidOption("--keep", "a time such as 0s, 30m, 12h or 90d", quote(keep))
    const { keys } = yield* openKeys(database)
    const now = yield* Clock.currentTimeMillis
    const expires = (yield* keys.list).find((stored) => stored.name === name.trim())?.expires
    if (expires !== undefined && expires <= now) {
      const message = `The key of ${quote(name)} has expired, and a new one would have the same expiry: ${new Date(expires).toISOString()}. Revoke it and add a key.`
      return yield* new CommandError({ message })
    }
    const until = now + millis
    const key = yield* keys.rotate(name, until)
    if (key === null) return yield* noKey(name)
    const end = new Date(until).toISOString()
    yield* Terminal.note(`The previous key is accepted until ${end}.`)
    const remedy = `The previous one is accepted until ${end}; another rotation ends it at once.`
    yield* show(name.trim(), key, remedy)
  }, Effect.scoped),
).pipe(Command.withDescription("Replace the key of a name, with the same grant; the previous key expires later"))

/** Columns of a key: name, grants, and last use. */
const columnsOf = (key: StoredKey, now: number): ReadonlyArray<string> => {
  const grants = KeyFlags.describe(key).join("; ")
  const used = key.lastUsed === null ? "never" : TextTable.formatAge(key.lastUsed, now)
  return [key.name, grants === "" ? "all chains" : grants, used]
}

const heading = ["NAME", "GRANT", "LAST USED"]

const list = Command.make(
  "list",
  {
    ...flags,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per key"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ json, ...database }) {
    const { keys } = yield* openKeys(database)
    const found = yield* keys.list
    if (found.length === 0) yield* Terminal.note('No keys. Add one with "daybook keys add NAME".')
    const now = yield* Clock.currentTimeMillis
    const [title = "", ...rows] = TextTable.format([heading, ...found.map((key) => columnsOf(key, now))])
    if (!json && found.length > 0) yield* Terminal.note(title)
    yield* Effect.forEach(json ? found.map((key) => JSON.stringify(key)) : rows, Terminal.print)
  }, Effect.scoped),
).pipe(Command.withDescription("List the names of the keys, their grants and when each was used last"))

/** `daybook keys`. */
export const keys = Command.make("keys").pipe(Command.withSubcommands([add, list, rotate, revoke]))
