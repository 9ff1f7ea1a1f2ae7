/**
 * Changes each part of a real block's responses in turn: no changed response passes, and the unchanged responses do.
 */
import { layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as RuleDetection from "../../src/fetch/RuleDetection.ts"
import * as Node from "../../src/node/Node.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 30 }).pipe(Layer.provideMerge(Anvil.layer()))

type Responses = readonly [block: HydratedBlock, receipts: ReadonlyArray<Receipt>]

const responsesOf = Effect.fnUntraced(function* (node: Node.Node, number: number) {
  const block = (yield* node.block(number))!
  const transactions = block.transactions.map(({ hash }) => hash)
  const receipts = (yield* node.receipts({ number, hash: block.hash!, transactions }))!
  return [block, receipts] as Responses
})

const issueAt = (checks: HashRules.Level, [block, receipts]: Responses) => {
  const outcome = BlockVerifier.verify(block, receipts, { checks, rules: HashRules.ethereum })
  return Result.isSuccess(outcome) ? "none" : outcome.failure.what
}

const other = `0x${"ab".repeat(32)}`

/** A copy of a value with one field replaced, of whatever type it is. */
const altered = <A extends object>(value: A, key: string, to: unknown): A => ({ ...value, [key]: to })

const inReceipt = ([block, receipts]: Responses, at: number, change: (receipt: Receipt) => Receipt): Responses => [
  block,
  receipts.map((receipt, index) => (index === at ? change(receipt) : receipt)),
]

const inTransaction = ([block, receipts]: Responses, key: string, to: unknown): Responses => [
  altered(
    block,
    "transactions",
    block.transactions.map((one, index) => (index === 0 ? altered(one, key, to) : one)),
  ),
  receipts,
]

layer(scenario, { excludeTestServices: true })("BlockVerifier on the scenario chain", (it) => {
  it.effect("verify: accepts every block, whatever the types of its transactions", () =>
    Effect.gen(function* () {
      const { chainId, url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const node = yield* Node.make({ urls: [url], chainId })
      const types = new Set<number>()
      for (let number = 0; number <= lastBlock; number++) {
        const responses = yield* responsesOf(node, number)
        for (const { type } of responses[0].transactions) types.add(type ?? 0)
        expect([number, issueAt("full", responses)]).toEqual([number, "none"])
      }

      expect([...types].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 4])
      expect(yield* RuleDetection.detect(node, (yield* node.head).number)).toEqual(HashRules.ethereum)
    }),
  )

  it.effect("verify: rejects each change from the level that covers it", () =>
    Effect.gen(function* () {
      const { chainId, url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const node = yield* Node.make({ urls: [url], chainId })
      let responses = yield* responsesOf(node, lastBlock)
      for (let number = lastBlock; responses[1].filter(({ logs }) => logs.length > 0).length < 2; number--) {
        responses = yield* responsesOf(node, number)
      }
      const [block, receipts] = responses
      const withLogs = receipts.findLastIndex(({ logs }) => logs.length > 0)
      const withoutLastLog = inReceipt(responses, withLogs, (receipt) =>
        altered(receipt, "logs", receipt.logs.slice(0, -1)),
      )
      const cases: ReadonlyArray<readonly [HashRules.Level, Responses, string]> = [
        ["standard", [altered(block, "timestamp", block.timestamp + 1n), receipts], "header hash: expected"],
        ["standard", [altered(block, "stateRoot", other), receipts], "header hash: expected"],
        ["standard", [altered(block, "baseFeePerGas", 1n), receipts], "header hash: expected"],
        ["standard", withoutLastLog, "the bloom of receipt"],
        [
          "standard",
          inReceipt(withoutLastLog, withLogs, (receipt) => altered(receipt, "logsBloom", `0x${"00".repeat(256)}`)),
          receipts[withLogs]!.logs.length === 1
            ? "the bloom of the block does not match its logs"
            : "the bloom of receipt",
        ],
        ["full", inTransaction(responses, "value", 123_456_789n), "the hash of transaction 0: expected"],
        ["full", inTransaction(responses, "input", "0xdead"), "the hash of transaction 0: expected"],
        ["full", inTransaction(responses, "nonce", 999_999), "the hash of transaction 0: expected"],
        [
          "full",
          inReceipt(responses, 0, (receipt) => altered(receipt, "status", 1 - (receipt.status ?? 0))),
          "receipts root: expected",
        ],
        [
          "full",
          inReceipt(responses, 0, (receipt) => altered(receipt, "cumulativeGasUsed", receipt.cumulativeGasUsed + 1n)),
          "receipts root: expected",
        ],
        [
          "full",
          inReceipt(responses, withLogs, (receipt) =>
            altered(
              receipt,
              "logs",
              receipt.logs.map((log, index) => (index === 0 ? altered(log, "data", "0x01") : log)),
            ),
          ),
          "receipts root: expected",
        ],
      ]

      expect(issueAt("full", responses)).toBe("none")
      for (const [level, changed, what] of cases) {
        expect(issueAt(level, changed)).toContain(what)
        expect(issueAt("links", changed)).toBe("none")
        if (level === "full") expect(issueAt("standard", changed)).toBe("none")
      }
    }),
  )
})
