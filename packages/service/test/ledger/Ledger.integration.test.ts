import { describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Block from "@daybook/schema/Block"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Result from "effect/Result"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as LedgerSource from "../../src/ledger/LedgerSource.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as BlockFacts from "../../src/projection/BlockFacts.ts"
import * as InternalTransactions from "../../src/projection/InternalTransactions.ts"
import type { MinedBlock } from "../../src/verification/BlockVerifier.ts"
import * as balanceOracle from "./balanceOracle.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const hex = (number: number) => `0x${number.toString(16)}`
const decodeBlock = Schema.decodeUnknownSync(Block.HydratedBlock)
const decodeReceipts = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.result)
const decodeFrames = Schema.decodeUnknownSync(RpcMethod.all.debug_traceBlockByNumber.result)

const rules = LedgerRules.fromChainId(31_337)

/** The rows of a block, from responses alone. */
const rowsOf = Effect.fnUntraced(function* (node: Anvil.Node, number: number) {
  const block = decodeBlock(yield* node.call("eth_getBlockByNumber", [hex(number), true])) as MinedBlock
  const receipts = decodeReceipts(yield* node.call("eth_getBlockReceipts", [hex(number)])) ?? []
  const traces = decodeFrames(yield* node.call("debug_traceBlockByNumber", [hex(number), { tracer: "callTracer" }]))
  const executed = receipts.map((receipt, at) => ({ receipt, transaction: block.transactions[at]! }))
  const internal = Result.getOrThrow(InternalTransactions.fromFrames(block, traces))
  const gasFees = receipts.reduce((sum, { effectiveGasPrice, gasUsed }) => sum + gasUsed * effectiveGasPrice!, 0n)
  const facts = BlockFacts.of({ block, rows: executed, gasFees })
  return Ledger.derive(LedgerSource.fromResponses({ block, executed, internal, facts }), rules)
})

describe("Ledger", () => {
  it.live.each([5])(
    "derive: gives the balances of every account and token at every block, on the chain of seed %i",
    (seed) =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const world = yield* Scenario.run(node, { seed, blobs: false, blocks: 15 })
        const changes: Array<balanceOracle.Change> = []
        const incomplete: Array<unknown> = []
        const kinds = new Set<string>()
        for (let block = 1; block <= world.lastBlock; block++) {
          for (const { movements, roles, ...row } of yield* rowsOf(node, block)) {
            if (Role.isIncomplete(roles)) incomplete.push({ block, ...row })
            for (const { amount, asset, kind, tokenId, wallet } of movements) {
              kinds.add(kind)
              changes.push({ block, wallet, asset, tokenId, amount })
            }
          }
        }
        const { collectible, gold, multiCollectible, silver, wrappedEther, ...more } = world.contracts
        const tokens: balanceOracle.Tokens = {
          fungible: [gold, silver, wrappedEther, more.goldSilverPair, more.etherGoldPair],
          collectibles: [collectible],
          multi: [[multiCollectible, [1n, 2n]]],
        }
        const result = yield* balanceOracle.differences(node, world.lastBlock, changes, tokens)

        const left = changes[changes.length >> 2]!
        const fewer = changes.filter((change) => change !== left)
        const tampered = yield* balanceOracle.differences(node, left.block, fewer, tokens)

        expect(tampered.differences).toMatchObject([{ block: left.block, wallet: left.wallet, asset: left.asset }])
        expect(incomplete).toEqual([])
        expect(result.differences).toEqual([])
        expect([...kinds].toSorted()).toEqual(["erc1155", "erc20", "erc721", "fee", "internal", "reward", "value"])
        expect(result.compared).toBeGreaterThan(5_000)
      }).pipe(Effect.scoped),
  )
})
