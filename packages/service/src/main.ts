#!/usr/bin/env node
/**
 * The command line: `daybook serve`, `daybook keys`, `daybook status`, and the commands of `maintain`. Results go to standard
 * output, one line each; everything for the operator's eyes goes to standard error. Exit code 0 also after SIGTERM and SIGINT,
 * 1 when something failed.
 */
import { quote } from "@daybook/schema/Issue"
import { readFileSync, writeSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "./config/Config.ts"
import * as ConfigFile from "./config/ConfigFile.ts"
import * as Status from "./server/rest/Status.ts"
import type { IndexerEvent } from "./indexer/StatusReporter.ts"
import * as Throughput from "./indexer/Throughput.ts"
import * as Maintenance from "./cli/maintenance.ts"
import * as Progress from "./cli/ProgressLine.ts"
import * as Service from "./Service.ts"
import * as SqliteEngine from "./store/sqlite/SqliteEngine.ts"

const standardOutput = 1
const standardError = 2

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
)

const usualColumns = 80

const progress = process.stderr.isTTY
  ? Progress.make({
      write: (text) => void writeSync(standardError, text),
      // Some terminals do not know their width.
      columns: () => process.stderr.columns || usualColumns,
      now: () => performance.now(),
    })
  : undefined

/** Writes a line for the operator, above the line of progress. */
const say = (line: string) => {
  const write = () => void writeSync(standardError, `${line}\n`)
  if (progress === undefined) write()
  else progress.above(write)
}

const print = (line: string) => Effect.sync(() => writeSync(standardOutput, `${line}\n`))
const note = (line: string) => Effect.sync(() => say(line))

const logger = Logger.make(({ cause, date, logLevel, message }) => {
  const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
  const why = cause.reasons.length === 0 ? "" : ` ${Cause.pretty(cause)}`
  say(`${date.toISOString()} ${logLevel.toUpperCase().padEnd(5)} ${(text + why).replace(/\n\s*/g, " | ")}`)
})

const config = Flag.String("config").pipe(
  Flag.withDescription("The configuration file, by default daybook.json; paths in it are relative to its folder"),
  Flag.withDefault("daybook.json"),
)

const serve = Command.make(
  "serve",
  {
    config,
    role: Flag.Literals("role", ["all", "index", "serve"]).pipe(
      Flag.withDescription("Index the chains, answer over HTTP, or both"),
      Flag.withDefault("all" as const),
    ),
  },
  Effect.fn(function* ({ config: path, role }) {
    const file = yield* ConfigFile.read(path)
    const onEvent = (chain: string, event: IndexerEvent) => Effect.sync(() => progress?.take(chain, event))
    const options = { baseFolder: file.baseFolder, role, ...(progress === undefined ? {} : { onEvent }) }
    const running = Effect.andThen(Service.run(file.config, options), Effect.never)
    return yield* Effect.ensuring(
      Effect.scoped(Effect.onInterrupt(running, () => Effect.logInfo("Stopping: what is in flight is answered first"))),
      Effect.sync(() => progress?.end()),
    )
  }),
).pipe(Command.withDescription("Run the service until it is told to stop"))

/** The keys of a configuration, while something is done with them. */
const withKeys = Effect.fnUntraced(function* (path: string) {
  const file = yield* ConfigFile.read(path)
  const database = yield* SqliteEngine.fromConfig(file.config.database, file.baseFolder)
  return yield* database.keys
})

/** The name is taken. */
class NameTaken extends Error {
  override readonly name = "NameTaken"
}

/** No key has the name. */
class NoSuchKey extends Error {
  override readonly name = "NoSuchKey"
}

const add = Command.make(
  "add",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Who the key is for; each name has one key")),
    config,
    operator: Flag.Boolean("operator").pipe(
      Flag.withDescription("May also call the heavy methods: trace_block, debug_traceBlockByNumber, ..."),
      Flag.withDefault(false),
    ),
    empty: Flag.Literals("empty", ["string", "null"]).pipe(
      Flag.withDescription("How empty values are sent to this key; by default as the configuration says"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ config: path, empty, name, operator }) {
    const keys = yield* withKeys(path)
    const key = yield* keys.add({ name, operator, empty: Option.getOrNull(empty) })
    if (key === null)
      return yield* Effect.fail(new NameTaken(`There is a key named ${quote(name)} already: take another name.`))
    yield* note(`The key of ${quote(name)} follows. It is shown this once: only its hash is stored.`)
    yield* print(Redacted.value(key))
  }, Effect.scoped),
).pipe(Command.withDescription("Make a key; it is the only line on standard output"))

const revoke = Command.make(
  "revoke",
  { name: Argument.String("name").pipe(Argument.withDescription("Whose key is refused from now on")), config },
  Effect.fn(function* ({ config: path, name }) {
    const keys = yield* withKeys(path)
    if (!(yield* keys.revoke(name)))
      return yield* Effect.fail(new NoSuchKey(`There is no key named ${quote(name)}; "daybook keys list" names them.`))
    yield* note(`The key of ${quote(name)} is refused from now on, by running servers too.`)
  }, Effect.scoped),
).pipe(Command.withDescription("Refuse a key from now on; its name is free again"))

const list = Command.make(
  "list",
  { config },
  Effect.fn(function* ({ config: path }) {
    const file = yield* ConfigFile.read(path)
    const database = yield* SqliteEngine.fromConfig(file.config.database, file.baseFolder)
    for (const { empty, name, operator } of yield* database.listKeys) {
      const grants = [...(operator ? ["operator"] : []), ...(empty === null ? [] : [`empty ${empty}`])]
      yield* print([name, ...grants].join("\t"))
    }
  }),
).pipe(Command.withDescription("List the names of the keys and what each may do"))

const keys = Command.make("keys").pipe(
  Command.withDescription("Make, list and revoke API keys"),
  Command.withSubcommands([add, list, revoke]),
)

/** A chain does not follow its node's head. */
class NotReady extends Error {
  override readonly name = "NotReady"
}

const sayStatus = (status: Status.Status): string => {
  const { blocksPerSecond, chain, etaMillis, head, indexed, lag, message, state, traces, unchecked } = status
  const range = indexed === null ? "nothing indexed" : `indexed ${indexed.from} to ${indexed.to}`
  const node = head === null ? "head unknown" : `head ${head}, lag ${lag ?? head}`
  const speed = blocksPerSecond === undefined ? "" : `, ${blocksPerSecond} blocks a second`
  const eta = etaMillis === undefined ? "" : `, ${Throughput.sayMillis(etaMillis)} to go`
  const left = unchecked === undefined ? "" : ` Not checked: ${unchecked}.`
  return `${chain}: ${state}, ${range}, ${node}${speed}${eta}, traces ${traces ?? "unknown"}. ${message}${left}`.trim()
}

const status = Command.make(
  "status",
  { config },
  Effect.fn(function* ({ config: path }) {
    const file = yield* ConfigFile.read(path)
    const chains = yield* Effect.fromResult(Config.servedChains(file.config))
    const database = yield* SqliteEngine.fromConfig(file.config.database, file.baseFolder)
    const late: Array<string> = []
    for (const chain of chains) {
      const store = yield* database.chainStore(chain.name, chain.id, "read")
      const found = yield* Status.of({ ...chain, store })
      if (!found.ready) late.push(chain.name)
      yield* print(sayStatus(found))
    }
    if (late.length > 0) return yield* Effect.fail(new NotReady(`Not ready: ${late.join(", ")}.`))
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Say for each chain what is indexed and what the indexer does; exit code 1 unless every chain follows its node's head",
  ),
)

const daybook = Command.make("daybook").pipe(
  Command.withDescription("A wallet's transaction history and a way to a node, on EVM chains"),
  Command.withSubcommands([serve, keys, status, Maintenance.verify, Maintenance.reindex, Maintenance.backup]),
)

const stopMillis = 15_000

/** A stop ends in time whatever hangs; a second signal ends it at once. */
const boundStop = () => {
  let signals = 0
  const stop = () => {
    if (++signals > 1) process.exit(1)
    setTimeout(() => process.exit(1), stopMillis).unref()
  }
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
}

/** One line about a failure that a person can act on; a defect with its trace. */
const report = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  // The command line's own errors have been shown with its help.
  if (CliError.isCliError(error)) return Effect.void
  return note(error instanceof Error ? `daybook: ${error.message}` : `daybook: ${Cause.pretty(cause)}`)
}

boundStop()
daybook.pipe(
  Command.run({ version: manifest.version }),
  Effect.tapCause(report),
  Effect.provide([NodeServices.layer, Logger.layer([logger])]),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1),
  }),
)
