/**
 * `daybook mcp`: serves the tools of a model over standard input and output, from the database of a configuration or from a running
 * service. Standard output only carries protocol messages; the log is on standard error.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ConfigFile from "../config/ConfigFile.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as ConfigFlags from "./ConfigFlags.ts"

// The service in this process listens on its own port.
const { listen: _, ...configFlags } = ConfigFlags.flags

const flags = {
  ...configFlags,
  url: Flag.String("url").pipe(
    Flag.withDescription("Base URL of a running service, instead of a configuration"),
    Flag.withMetavar("URL"),
    Flag.optional,
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withDescription("API key for that service, by default the environment variable DAYBOOK_API_KEY"),
    Flag.withMetavar("KEY"),
    Flag.optional,
  ),
}

/** Rejects flags of the other kind of service, which would have no effect. */
const checkGiven = ({ chain, config, database, key, url }: Command.Command.Config.Infer<typeof flags>) => {
  const isConfigured = Option.isSome(config) || Option.isSome(database) || chain.length > 0
  if (Option.isSome(url) && isConfigured)
    return Effect.fail(invalidOption("--url", "either --url, or --config, --database or --chain", "both"))
  if (Option.isNone(url) && Option.isSome(key))
    return Effect.fail(invalidOption("--key", "--key together with --url", "--key alone"))
  return Effect.void
}

// Loaded lazily, because each takes longer to load than it takes to detect a wrong argument.
const loadLocalService = Effect.promise(() => import("../mcp/LocalService.ts"))
const loadServer = Effect.promise(() => import("../mcp/Server.ts"))

/** Makes `daybook mcp` for a version. It ends when its standard input ends. */
export const mcp = (version: string) =>
  Command.make(
    "mcp",
    flags,
    Effect.fn(function* ({ key, url, ...given }) {
      yield* checkGiven({ key, url, ...given })
      const ofEnvironment = process.env["DAYBOOK_API_KEY"]
      const access = yield* Option.match(url, {
        onNone: () =>
          Effect.gen(function* () {
            const source = yield* ConfigFlags.sourceOf({ ...given, listen: Option.none() })
            const file = yield* ConfigFile.load(source)
            const LocalService = yield* loadLocalService
            return yield* LocalService.make(file)
          }),
        onSome: (base) => {
          const own = Option.getOrElse(key, () => Redacted.make(ofEnvironment ?? ""))
          return Redacted.value(own) === ""
            ? Effect.fail(
                new CommandError({ message: 'Missing API key. Give "--key", or set DAYBOOK_API_KEY.', isUsage: true }),
              )
            : Effect.succeed({ url: base.replace(/\/+$/, ""), key: own })
        },
      })
      const Server = yield* loadServer
      return yield* Effect.catchTag(Server.run(access, version), "InvalidOption", ({ expected, option, received }) =>
        Effect.fail(invalidOption(option === "baseUrl" ? "--url" : "--key", expected, received)),
      )
    }, Effect.scoped),
  )
