/**
 * Everything that indexing one chain needs, as plain data: it goes to a worker thread whole. `run` does it, in whatever thread it
 * is called. A plan holds URLs with their keys and is never logged.
 */
import * as Chain from "@daybook/schema/Chain"
import * as Endpoint from "@daybook/transport/Endpoint"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ChainConfig, Config } from "../Config.ts"
import * as Decoder from "../decode/Decoder.ts"
import * as Node from "../node/Node.ts"
import * as Database from "../store/Database.ts"
import { Store, type StoreError } from "../store/Store.ts"
import * as Indexer from "./Indexer.ts"
import type { OnEvent } from "./Report.ts"

/** How to index one chain. */
export interface Plan {
  /** The chain's name, as the configuration has it. */
  readonly chain: string
  /** EIP-155 id. */
  readonly chainId: number
  /** `database` of the configuration. */
  readonly database: string
  /** The folder that paths in `database` are relative to. */
  readonly baseFolder: string
  /** Who indexes; the same for a worker that is started again, so that it need not wait for its predecessor's lease to end. */
  readonly owner: string
  readonly config: ChainConfig
}

/** A chain of the configuration has no id: it is not of the interface's list, and `id` is missing. */
export class UnknownChain extends Data.TaggedError("UnknownChain")<{ readonly chain: string }> {
  override get message() {
    return `The configuration's chain "${this.chain}" is not one of the interface: give its EIP-155 id as "id".`
  }
}

/** The EIP-155 id of a chain of the configuration: its own `id`, else that of the interface's chain of this name. */
export const chainIdOf = (chain: string, config: ChainConfig): Result.Result<number, UnknownChain> => {
  const id = config.id ?? Chain.fromName(chain)?.id
  return id === undefined ? Result.fail(new UnknownChain({ chain })) : Result.succeed(Number(id))
}

/**
 * The plans of a configuration whose file stands in `baseFolder`, one for each chain.
 *
 * **Errors**
 * - `UnknownChain`: a chain has no id.
 */
export const fromConfig = (
  config: Config,
  baseFolder: string,
  owner: string,
): Result.Result<ReadonlyArray<Plan>, UnknownChain> =>
  Result.all(
    Object.entries(config.chains).map(([chain, chainConfig]) =>
      Result.map(chainIdOf(chain, chainConfig), (chainId): Plan => ({
        chain,
        chainId,
        database: config.database,
        baseFolder,
        owner,
        config: chainConfig,
      })),
    ),
  )

const localPollMillis = 250
const longestPollMillis = 2_000

/** How often a node is asked for its head: as configured, else each block time but at most 2 seconds; often when it is near. */
const pollMillisOf = ({ chainId, config }: Plan, isLocal: boolean): number => {
  if (config.pollMillis !== undefined) return config.pollMillis
  if (isLocal) return localPollMillis
  const row = Chain.all.find(({ id }) => id === BigInt(chainId))
  return Math.min(row?.blockTimeMillis ?? longestPollMillis, longestPollMillis)
}

/** Takes every key of the plan's URLs out of a text. */
export const scrub = (plan: Plan, text: string): string =>
  plan.config.rpc.reduce((clean, url) => {
    const endpoint = Effect.runSync(Effect.option(Endpoint.make({ url })))
    return (endpoint._tag === "Some" ? endpoint.value.scrub(clean) : clean).replaceAll(url, "the node's URL")
  }, text)

/**
 * Indexes the chain until it is interrupted, over a store of its own.
 *
 * **Errors**
 * - `StoreError`: the database cannot be opened, or failed for good.
 * - `InvalidOption`: a URL of the plan is none; the message does not show it.
 */
export const run = Effect.fn("Plan.run")(function* (
  plan: Plan,
  onEvent: OnEvent = () => Effect.void,
): Effect.fn.Return<never, StoreError | InvalidOption> {
  const { chain, chainId, config, owner } = plan
  const indexing = Effect.gen(function* () {
    const database = yield* Database.fromConfig(plan.database, plan.baseFolder)
    const store = yield* database.chainStore(chain, chainId, "write")
    const node = yield* Node.make({ urls: config.rpc, chainId, traces: config.traces })
    return yield* Indexer.run(node, {
      chain,
      owner,
      onEvent,
      decoder: Decoder.make(),
      fromBlock: config.fromBlock,
      allFrames: config.allFrames,
      pollMillis: pollMillisOf(plan, node.isLocal),
    }).pipe(Effect.provideService(Store, store))
  })
  return yield* Effect.scoped(indexing)
})
