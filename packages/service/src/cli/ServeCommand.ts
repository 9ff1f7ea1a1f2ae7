/**
 * `daybook serve`: runs the indexer, the REST server and the JSON-RPC relay until a signal ends it.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as Role from "../config/Role.ts"
import type { IndexerEvent } from "../indexer/IndexerEvent.ts"
import * as Service from "../Service.ts"
import { CommandError } from "./CommandError.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

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
  },
  Effect.fn(function* ({ config: path, role }) {
    const { progress } = Terminal
    const roles = yield* Effect.mapError(
      Effect.fromResult(Role.parse(role)),
      (message) => new CommandError({ message }),
    )
    const file = yield* ConfigFile.read(path)
    const onEvent = (chain: string, event: IndexerEvent) => Effect.sync(() => progress?.take(chain, event))
    const options = { baseFolder: file.baseFolder, roles, ...(progress === undefined ? {} : { onEvent }) }
    const running = Effect.andThen(Service.run(file.config, options), Effect.never)
    return yield* Effect.ensuring(
      Effect.scoped(Effect.onInterrupt(running, () => Effect.logInfo("Stopping; open requests are finished first"))),
      Effect.sync(() => progress?.end()),
    )
  }),
).pipe(Command.withDescription("Run the indexer and the HTTP server"))
