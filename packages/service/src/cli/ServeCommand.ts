/**
 * `daybook serve`: runs the indexer, the REST server and the JSON-RPC relay until a signal ends it.
 */
import { quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Config } from "../config/Config.ts"
import * as ConfigChanges from "../config/ConfigChanges.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as Limits from "../config/Limits.ts"
import * as Listen from "../config/Listen.ts"
import * as Role from "../config/Role.ts"
import type { IndexerEvent } from "../indexer/IndexerEvent.ts"
import type * as Configuration from "../server/cluster/Configuration.ts"
import * as Member from "../server/cluster/Member.ts"
import type { ProcessNotStarted } from "../server/cluster/Primary.ts"
import type * as Service from "../Service.ts"
import * as ConfigFlags from "./ConfigFlags.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Terminal from "./Terminal.ts"

const maxProcesses = 64

const parseProcesses = (text: string): Effect.Effect<number, CommandError> => {
  const processes = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (processes >= 1 && processes <= maxProcesses) return Effect.succeed(processes)
  return Effect.fail(invalidOption("--processes", `a whole number from 1 to ${maxProcesses}`, quote(text)))
}

const servesHttp = (role: Role.Role): boolean => role !== "index"

const stoppingMessage = (roles: ReadonlyArray<Role.Role>): string =>
  roles.some(servesHttp) ? "Stopping; open requests are finished first" : "Stopping; the last blocks are stored first"

/** Applies another configuration at run time. */
type Reload = (
  config: Config,
) => Effect.Effect<ConfigChanges.ConfigChanges, Service.StartError | Configuration.ConfigurationRefused>

/** Reloads the configuration. An invalid one is reported and changes nothing. */
const reloadOnce = (source: ConfigFile.Source, reload: Reload) =>
  Effect.gen(function* () {
    const { config } = yield* ConfigFile.load(source)
    const { applied, postponed } = yield* reload(config)
    Shutdown.grant(config.limits.drainSeconds)
    const changed = applied.length === 0 ? "no changes" : applied.join(", ")
    yield* Effect.logInfo(`Configuration reloaded: ${changed}`)
    if (postponed.length === 0) return
    yield* Effect.logWarning(`Takes effect after a restart of the service: ${postponed.join(", ")}`)
  }).pipe(Effect.catch((error) => Effect.logError(`Configuration not reloaded: ${error.message}`)))

/** Configurations to apply: a serving process receives them, any other process reads its own at each SIGHUP. */
const reloadsOf = Effect.fnUntraced(function* (source: ConfigFile.Source, member: Member.Member | undefined) {
  if (member === undefined) {
    const hangups = yield* Queue.sliding<void>(1)
    Shutdown.reloads(() => void Queue.offerUnsafe(hangups, undefined))
    return (reload: Reload) => Effect.andThen(Queue.take(hangups), reloadOnce(source, reload))
  }
  Shutdown.reloads(() => undefined)
  const given = yield* Queue.unbounded<Parameters<Parameters<typeof member.onReload>[0]>>()
  member.onReload((...each) => void Queue.offerUnsafe(given, each))
  return (reload: Reload) =>
    Effect.flatMap(Queue.take(given), ([{ config }, report]) =>
      Effect.match(reload(config), {
        onFailure: ({ message }) => report(message),
        onSuccess: () => {
          Shutdown.grant(config.limits.drainSeconds)
          report(null)
        },
      }),
    )
})

/** How to run the roles of this process, after `prepare` if they write to the database. */
interface Own<E, R> {
  readonly prepare: Effect.Effect<void, E, R>
  readonly run: (roles: ReadonlyArray<Role.Role>) => Effect.Effect<Service.Running, E, R>
}

/** Loaded lazily, because the server takes longer to load than it takes to detect a wrong argument. */
const loadService = Effect.promise(async () => ({
  Engine: await import("../store/Engine.ts"),
  KeysCommand: await import("./KeysCommand.ts"),
  Primary: await import("../server/cluster/Primary.ts"),
  Service: await import("../Service.ts"),
  Tracing: await import("../server/monitoring/Tracing.ts"),
}))

/** Name of the first key of a service without a configuration file. */
const firstKey = "default"

/** Adds and prints a key if the database has none, so that a service without a file needs a single command. */
const addFirstKey = Effect.fnUntraced(function* ({ baseFolder, config }: ConfigFile.ConfigFile) {
  const { Engine, KeysCommand } = yield* loadService
  const { apiKeys } = yield* Engine.fromUrl(config.database, baseFolder)
  if ((yield* apiKeys.list).length > 0) return
  const key = yield* apiKeys.add({ name: firstKey, operator: false, empty: null })
  if (key !== null) yield* KeysCommand.show(firstKey, key)
}, Effect.scoped)

/** Runs the roles that serve HTTP in separate processes, each with this command line, and the others in this process. */
const serveByProcesses = Effect.fnUntraced(function* <E, R>(
  processes: number,
  file: ConfigFile.ConfigFile,
  roles: ReadonlyArray<Role.Role>,
  { prepare, run }: Own<E, R>,
): Effect.fn.Return<Reload, CommandError | E | ProcessNotStarted, R | Scope.Scope> {
  if (!roles.some(servesHttp)) {
    return yield* invalidOption("--processes", "1 for a role without HTTP", String(processes))
  }
  const { Primary, Service } = yield* loadService
  if (roles.includes("index")) yield* prepare
  let own: Service.Running | null = null
  const ownMetrics = () => own?.metrics() ?? ""
  const ofProcess = (config: Config): ConfigFile.ConfigFile => ({
    ...file,
    config: { ...config, limits: Limits.ofProcess(config.limits, processes) },
  })
  const { replace, url } = yield* Primary.run({ processes, ownMetrics, file: ofProcess(file.config) })
  yield* Effect.logInfo(`${Service.listeningMessage(url)}; ${processes} processes`)
  const running = roles.includes("index") ? yield* run(["index"]) : null
  own = running
  let { config } = file
  return Effect.fnUntraced(function* (next) {
    const before = config
    const after = ConfigChanges.applicable(before, next)
    yield* replace(ofProcess(after))
    if (running !== null) {
      yield* Effect.onError(running.reload(after), () => Effect.ignore(replace(ofProcess(before))))
    }
    config = after
    return ConfigChanges.between(before, next)
  })
})

/** `daybook serve`. */
export const serve = Command.make(
  "serve",
  {
    ...ConfigFlags.flags,
    role: Flag.String("role").pipe(
      Flag.withDescription("Roles of this process, separated by commas: index, rest, relay; all, serve (rest,relay)"),
      Flag.withMetavar("LIST"),
      Flag.withDefault("all"),
    ),
    processes: Flag.String("processes").pipe(
      Flag.withDescription("Number of processes that serve HTTP on the same port, from 1 to 64"),
      Flag.withMetavar("N"),
      Flag.withDefault("1"),
    ),
  },
  Effect.fn(function* ({ processes: given, role, ...flags }) {
    const { progress } = Terminal
    Shutdown.complete()
    const processes = yield* parseProcesses(given)
    const roles = yield* Effect.mapError(
      Effect.fromResult(Role.parse(role)),
      (message) => new CommandError({ message, isUsage: true }),
    )
    const source = yield* ConfigFlags.sourceOf(flags)
    const member = Member.current()
    const reloadNext = yield* reloadsOf(source, member)
    const file = yield* member === undefined ? ConfigFile.load(source) : member.configuration
    Shutdown.grant(file.config.limits.drainSeconds)
    const { Service, Tracing } = yield* loadService
    const onEvent = (chain: string, event: IndexerEvent) => Effect.sync(() => progress?.take(chain, event))
    const options = { baseFolder: file.baseFolder, onEvent: progress === undefined ? undefined : onEvent }
    if (file.path === null && member === undefined) yield* addFirstKey(file)
    const service =
      member === undefined && processes > 1
        ? serveByProcesses(processes, file, roles, {
            prepare: Service.migrate(file.config, file.baseFolder),
            run: (own) => Service.run(file.config, { ...options, roles: own }),
          })
        : Effect.map(
            Service.run(
              file.config,
              member === undefined
                ? { ...options, roles }
                : { ...options, member, roles: roles.filter(servesHttp), isIndexing: roles.includes("index") },
            ),
            ({ reload }) => reload,
          )
    const { log, otlp } = file.config
    const warning = member === undefined && roles.some(servesHttp) ? Listen.plainTextWarning(file.config) : undefined
    const logger = Logger.layer([log.format === "json" ? Terminal.jsonLogger : Terminal.logger])
    const warned = warning === undefined ? Effect.void : Effect.logWarning(warning)
    const running = Effect.andThen(warned, service).pipe(
      Effect.flatMap((reload) => Effect.forever(reloadNext(reload))),
      Effect.provide(Tracing.layer(otlp)),
    )
    return yield* Effect.ensuring(
      Effect.scoped(
        Effect.onInterrupt(running, () =>
          member === undefined ? Effect.logInfo(stoppingMessage(roles)) : Effect.void,
        ),
      ),
      Effect.sync(() => progress?.end()),
    ).pipe(Effect.provide(logger))
  }),
)
