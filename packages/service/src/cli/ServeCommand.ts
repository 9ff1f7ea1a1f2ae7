/**
 * `daybook serve`: runs the indexer, the REST server and the JSON-RPC relay until a signal ends it.
 */
import { format, quote } from "@daybook/schema/Issue"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as Role from "../config/Role.ts"
import type { IndexerEvent } from "../indexer/IndexerEvent.ts"
import * as Member from "../server/cluster/Member.ts"
import * as Primary from "../server/cluster/Primary.ts"
import * as Service from "../Service.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Terminal from "./Terminal.ts"

const maxProcesses = 64

const parseProcesses = (text: string): Effect.Effect<number, CommandError> => {
  const processes = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (processes >= 1 && processes <= maxProcesses) return Effect.succeed(processes)
  const expected = `a whole number from 1 to ${maxProcesses}`
  const message = format("option", { path: "--processes", expected, received: quote(text) })
  return Effect.fail(new CommandError({ message }))
}

const servesHttp = (role: Role.Role): boolean => role !== "index"

const stoppingMessage = (roles: ReadonlyArray<Role.Role>): string =>
  roles.some(servesHttp) ? "Stopping; open requests are finished first" : "Stopping; the last blocks are stored first"

/** How to run the roles of this process, after `prepare` where they write the database. */
interface Own<A, E, R> {
  readonly prepare: Effect.Effect<void, E, R>
  readonly run: (roles: ReadonlyArray<Role.Role>) => Effect.Effect<A, E, R>
}

/** Runs the roles that serve HTTP in processes of their own, each with the command line of this one, and the others here. */
const serveByProcesses = Effect.fnUntraced(function* <A, E, R>(
  processes: number,
  drainSeconds: number,
  roles: ReadonlyArray<Role.Role>,
  { prepare, run }: Own<A, E, R>,
) {
  if (!roles.some(servesHttp)) {
    const issue = { path: "--processes", expected: "1 for a role without HTTP", received: String(processes) }
    return yield* new CommandError({ message: format("option", issue) })
  }
  if (roles.includes("index")) yield* prepare
  const url = yield* Primary.run(processes, drainSeconds)
  yield* Effect.logInfo(`${Service.listeningMessage(url)}; ${processes} processes`)
  if (roles.includes("index")) yield* run(["index"])
})

/** `daybook serve`. */
export const serve = Command.make(
  "serve",
  {
    config: Selection.configFlag,
    role: Flag.String("role").pipe(
      Flag.withDescription("Roles of this process, separated by commas: index, rest, relay; all, serve (rest,relay)"),
      Flag.withMetavar("LIST"),
      Flag.withDefault("all"),
    ),
    processes: Flag.String("processes").pipe(
      Flag.withDescription("Processes that serve HTTP on the same port, from 1 to 64"),
      Flag.withMetavar("N"),
      Flag.withDefault("1"),
    ),
  },
  Effect.fn(function* ({ config: path, processes: given, role }) {
    const { progress } = Terminal
    Shutdown.complete()
    const processes = yield* parseProcesses(given)
    const roles = yield* Effect.mapError(
      Effect.fromResult(Role.parse(role)),
      (message) => new CommandError({ message }),
    )
    const file = yield* ConfigFile.read(path)
    const { drainSeconds } = file.config.limits
    Shutdown.grant(drainSeconds)
    const onEvent = (chain: string, event: IndexerEvent) => Effect.sync(() => progress?.take(chain, event))
    const options = { baseFolder: file.baseFolder, ...(progress === undefined ? {} : { onEvent }) }
    const member = Member.current()
    const service =
      member === undefined && processes > 1
        ? serveByProcesses(processes, drainSeconds, roles, {
            prepare: Service.migrate(file.config, file.baseFolder),
            run: (own) => Service.run(file.config, { ...options, roles: own }),
          })
        : Service.run(
            file.config,
            member === undefined
              ? { ...options, roles }
              : { ...options, member, roles: roles.filter(servesHttp), isIndexing: roles.includes("index") },
          )
    const running = Effect.andThen(service, Effect.never)
    return yield* Effect.ensuring(
      Effect.scoped(
        Effect.onInterrupt(running, () =>
          member === undefined ? Effect.logInfo(stoppingMessage(roles)) : Effect.void,
        ),
      ),
      Effect.sync(() => progress?.end()),
    )
  }),
).pipe(Command.withDescription("Run the indexer and the HTTP server"))
