/**
 * `daybook serve`: runs the indexer, the REST server and the JSON-RPC relay until a signal ends it.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import type { IndexerEvent } from "../indexer/StatusTracker.ts"
import * as Service from "../Service.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

/** `daybook serve`. */
export const serve = Command.make(
  "serve",
  {
    config: Selection.configFlag,
    role: Flag.Literals("role", ["all", "index", "serve"]).pipe(
      Flag.withDescription("What this process does: index the chains, serve HTTP, or both"),
      Flag.withDefault("all" as const),
    ),
  },
  Effect.fn(function* ({ config: path, role }) {
    const { progress } = Terminal
    const file = yield* ConfigFile.read(path)
    const onEvent = (chain: string, event: IndexerEvent) => Effect.sync(() => progress?.take(chain, event))
    const options = { baseFolder: file.baseFolder, role, ...(progress === undefined ? {} : { onEvent }) }
    const running = Effect.andThen(Service.run(file.config, options), Effect.never)
    return yield* Effect.ensuring(
      Effect.scoped(Effect.onInterrupt(running, () => Effect.logInfo("Stopping; open requests are finished first"))),
      Effect.sync(() => progress?.end()),
    )
  }),
).pipe(Command.withDescription("Run the indexer and the HTTP server"))
