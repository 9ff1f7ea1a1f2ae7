/**
 * The nodes of a chain and how to assemble their blocks: what indexing and repair use to fetch blocks.
 */
import { formatPath } from "@daybook/schema/Issue"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as ServedChain from "../../config/ServedChain.ts"
import * as LedgerRules from "../../ledger/LedgerRules.ts"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as Node from "../../node/Node.ts"
import type * as BlockFetcher from "../../fetch/BlockFetcher.ts"
import * as ChainJob from "./ChainJob.ts"

/**
 * A connection to the nodes, with options for assembling.
 */
export interface BlockSource {
  readonly node: Node.Node
  readonly assembling: BlockFetcher.Options
}

/**
 * Makes the source of a job without sending a request; `urls` are nodes that replace the configured ones.
 *
 * **Errors**
 * - `InvalidOption`: the URL of a node is invalid; the message does not show it.
 */
export const make = Effect.fnUntraced(function* (
  job: ChainJob.ChainJob,
  urls: Node.Options["urls"] = job.config.rpc,
  { limitsOf, onRequest }: Pick<Node.Options, "limitsOf" | "onRequest"> = {},
): Effect.fn.Return<BlockSource, InvalidOption> {
  const { chain, chainId, config, key, traceLimits } = job
  const node = yield* Node.make({
    urls,
    chainId,
    traces: config.traces,
    where: formatPath(["chains", key ?? chain, "rpc"]),
    traceLimits,
    limitsOf,
    onRequest,
  })
  const rules = ChainJob.hashRules(job)
  const assembling: BlockFetcher.Options = {
    decoder: KnownSignatures.decoder(),
    allFrames: config.allFrames,
    ledger: LedgerRules.fromChainId(chainId, config.feeRules),
    watch: ChainJob.watchedWallets(job),
    checks: config.checks ?? "standard",
    mayLackParents: ServedChain.mayRewind({ config, id: chainId }),
    frames: traceLimits?.frames,
    rules: rules === "detect" ? undefined : rules,
  }
  return { node, assembling }
})
