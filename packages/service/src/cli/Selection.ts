/**
 * Flags shared by several commands, and the chains on which a command operates.
 */
import { quote } from "@daybook/schema/Issue"
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import * as ChainRegistry from "../config/ChainRegistry.ts"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as ChainJob from "../indexer/job/ChainJob.ts"
import { ChainReorganized } from "../node/CallsError.ts"
import * as Engine from "../store/Engine.ts"
import { CommandError, invalidOption } from "./CommandError.ts"

/** `--config`: the configuration file. */
export const configFlag = Flag.String("config").pipe(
  Flag.withDescription("Configuration file, by default daybook.json; paths in it are relative to its folder"),
  Flag.withDefault(ConfigFile.usualPath),
)

/** `--chain`: name of a chain; may be repeated. */
export const chainFlag = (description: string) =>
  Flag.String("chain").pipe(Flag.withDescription(description), Flag.withMetavar("NAME"), Flag.atLeast(0))

/** Names of flags that take a block number. */
type BlockFlag = "from" | "to" | "at" | "from-block"

/** `--from`: a block number. */
export const blockFlag = (description: string, name: BlockFlag = "from") =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("N"), Flag.optional)

/**
 * Parses the block number of a flag; `undefined` if the flag is absent.
 *
 * **Errors**
 * - `CommandError`: the text is not a block number.
 */
export const parseBlock = (
  given: Option.Option<string>,
  name: BlockFlag = "from",
): Effect.Effect<number | undefined, CommandError> => {
  const text = Option.getOrUndefined(given)
  if (text === undefined) return Effect.succeed(undefined)
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Effect.succeed(Number(text))
  const expected = `a block number in decimal digits from 0 to ${Number.MAX_SAFE_INTEGER}`
  return Effect.fail(invalidOption(`--${name}`, expected, quote(text)))
}

/** Adds to the message of `ChainReorganized` how to run a command with `--at` again. */
export const adviseFinalBlock = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandError, R> =>
  Effect.mapError(work, (error) =>
    error instanceof ChainReorganized
      ? new CommandError({ message: `${error.message} Run the command again, with --at a final block.` })
      : error,
  )

/**
 * Selects chains by name; all chains if none is named.
 *
 * **Errors**
 * - `CommandError`: a name is not in the configuration.
 */
export const select = Effect.fnUntraced(function* <C extends ServedChain.ServedChain>(
  served: ReadonlyArray<C>,
  names: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<C>, CommandError> {
  const unknown = names.find((name) => !served.some(ChainRegistry.isNamed(name)))
  if (unknown !== undefined) {
    const expected = `a chain of the configuration (${served.map(({ key }) => key).join(", ")})`
    return yield* invalidOption("--chain", expected, quote(unknown))
  }
  return served.filter((chain) => names.length === 0 || names.some((name) => ChainRegistry.isNamed(name)(chain)))
})

/**
 * Opens the database of a configuration file and selects chains by name; all chains if none is named. The folder of a database is only
 * created for a command that fills an empty database.
 *
 * **Errors**
 * - `CommandError`: a name is not in the configuration.
 * - `InvalidConfig`, `StoreError`: the configuration or the database cannot be used.
 */
export const open = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>, mustExist = true) {
  const { baseFolder, config } = yield* ConfigFile.read(path)
  const chains = yield* select(yield* Effect.fromResult(ServedChain.fromChains(config.chains)), names)
  const database = yield* Engine.fromUrl(config.database, baseFolder, { ...config, mustExist })
  const owner = `maintenance ${randomUUID()}`
  const jobs = chains.map((one) =>
    ChainJob.fromChain(one, {
      database: Engine.primaryOf(config.database),
      documents: config.documents,
      baseFolder,
      owner,
      traceLimits: config.limits.traces,
    }),
  )
  return { database, jobs, owner }
})
