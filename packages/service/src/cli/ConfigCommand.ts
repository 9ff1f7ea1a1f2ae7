/**
 * `daybook config check`: reads the configuration as `daybook serve` would, and names everything that is wrong with it.
 */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import * as ConfigFile from "../config/ConfigFile.ts"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import * as Listen from "../config/Listen.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as SignatureDirectory from "../contract/SignatureDirectory.ts"
import * as Listener from "../server/Listener.ts"
import * as SigningKey from "../signed/SigningKey.ts"
import * as ConfigFlags from "./ConfigFlags.ts"
import * as Terminal from "./Terminal.ts"

/** Reads the files that a configuration names, as the service does at its start; fails with everything that is wrong with them. */
const checkFiles = Effect.fnUntraced(
  function* ({
    baseFolder,
    config: { signatures, signingKey, tls },
  }: ConfigFile.ConfigFile): Effect.fn.Return<void, InvalidConfig> {
    const inFolder = (path: string) => resolve(baseFolder, path)
    const reads: ReadonlyArray<Effect.Effect<unknown, InvalidConfig>> = [
      signatures === undefined ? Effect.void : SignatureDirectory.read(inFolder(signatures)),
      signingKey === undefined ? Effect.void : SigningKey.readConfigured(inFolder(signingKey)),
      tls === undefined
        ? Effect.void
        : Effect.mapError(
            Listener.readTls({ cert: inFolder(tls.cert), key: inFolder(tls.key) }),
            ({ message }) => new InvalidConfig({ found: [{ path: "tls", message }] }),
          ),
    ]
    const results = yield* Effect.forEach(reads, Effect.result)
    const found = results.flatMap((result) => (Result.isFailure(result) ? result.failure.found : []))
    if (found.length > 0) return yield* new InvalidConfig({ found })
  },
  Effect.provideService(References.MinimumLogLevel, "None"),
)

const check = Command.make(
  "check",
  ConfigFlags.flags,
  Effect.fn(function* (flags) {
    const source = yield* ConfigFlags.sourceOf(flags)
    const file = yield* ConfigFile.load(source)
    yield* checkFiles(file)
    const { config: checked, path } = file
    const { chains, listen } = checked
    const names = (yield* Effect.fromResult(ServedChain.fromChains(chains))).map(({ name }) => name)
    yield* Terminal.print(
      `${path ?? "The configuration"} is valid: ${names.join(", ")}; listens on ${Listen.format(listen)}`,
    )
    const warning = Listen.plainTextWarning(checked)
    if (warning !== undefined) yield* Terminal.print(warning)
  }),
).pipe(Command.withDescription("Name everything that is wrong with the configuration, each in a line; changes nothing"))

/** `daybook config`. */
export const config = Command.make("config").pipe(Command.withSubcommands([check]))
