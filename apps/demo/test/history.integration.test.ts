import { type Anvil, Head } from "@daybook/chain"
import { RestClient } from "@daybook/rest"
import type { WalletPage, WalletTransaction } from "@daybook/schema"
import { Effect, Layer, Logger, Stream } from "effect"
import { describe, expect, it } from "vitest"
import * as Local from "../src/Local.ts"
import * as Screen from "../src/Screen.ts"
import * as oracle from "./oracle.ts"

const silent = Layer.succeed(Screen.Screen, Screen.make({ write: () => undefined }, {}))

const started = Local.start({
  blobs: false,
  config: { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } },
}).pipe(Effect.provide(silent))

const clientOf = (local: Local.Local) =>
  RestClient.make({ baseUrl: local.provider.baseUrl, apiKey: local.provider.apiKey })

const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

const collect = (rest: RestClient.Client, query: Parameters<RestClient.Client["walletTransactionsStream"]>[0]) =>
  Stream.runCollect(rest.walletTransactionsStream(query))

const untilIndexed = (rest: RestClient.Client, node: Anvil.Node) =>
  Effect.gen(function* () {
    const head = yield* Head.current(node)
    for (;;) {
      const { page, indexCoverage } = yield* rest.walletTransactionsWithResponse({
        address: node.accounts[0] ?? "",
        from_block: head.number,
        to_block: head.number,
      })
      const isOurs = page.result.every((row) => row.block_hash === head.hash)
      if (indexCoverage.indexedTo === BigInt(head.number) && isOurs) return head
      yield* Effect.sleep("50 millis")
    }
  })

describe("a wallet's history by cursor", () => {
  it(
    "is what a scan of the node's blocks gives, for every address, in both orders and several page sizes",
    { timeout: 90_000 },
    async () => {
      const checked = await Effect.runPromise(
        Effect.gen(function* () {
          const local = yield* started
          const rest = yield* clientOf(local)
          const truths = yield* oracle.scan(local.node, local.world.lastBlock)
          let rows = 0
          for (const address of local.world.addresses) {
            const oldestFirst = hashes(oracle.historyOf(truths, address))
            for (const limit of [2, 7, 100]) {
              expect(hashes(yield* collect(rest, { address, limit, order: "ASC" }))).toEqual(oldestFirst)
              expect(hashes(yield* collect(rest, { address, limit, order: "DESC" }))).toEqual(oldestFirst.toReversed())
            }
            rows += oldestFirst.length
          }
          return { addresses: local.world.addresses.length, rows, transactions: truths.length }
        }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
      )

      expect(checked.addresses).toBeGreaterThan(20)
      expect(checked.rows).toBeGreaterThan(checked.transactions)
    },
  )

  it("has the values, statuses and inner calls that the node has", { timeout: 60_000 }, async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const local = yield* started
        const rest = yield* clientOf(local)
        const truths = new Map(
          (yield* oracle.scan(local.node, local.world.lastBlock)).map((truth) => [truth.hash, truth]),
        )
        const seen = new Set<string>()
        for (const address of Object.values(local.world.accounts)) {
          const rows = yield* collect(rest, { address, include: "internal_transactions" })
          for (const row of rows) {
            const truth = truths.get(row.hash)
            seen.add(row.hash)
            expect({
              block: Number(row.block_number),
              index: row.transaction_index,
              timestamp: row.block_timestamp.getTime() / 1000,
              from: row.from_address,
              to: row.to_address,
              created: row.receipt_contract_address,
              value: row.value,
              status: row.receipt_status,
              logs: row.logs.length,
              inner: row.internal_transactions?.map(({ type, from, to, value }) => ({
                type,
                from,
                to: to ?? "",
                value,
              })),
            }).toEqual({ ...truth, hash: undefined })
          }
        }
        expect(seen.size).toBe(truths.size)
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
    )
  })

  it(
    "says that it is stale after a reorganisation, and resumed it is the new chain's",
    { timeout: 60_000 },
    async () => {
      await Effect.runPromise(
        Effect.gen(function* () {
          const local = yield* started
          const { node } = local
          const rest = yield* clientOf(local)
          const { address } = local.provider
          for (const order of ["DESC", "ASC"] as const) {
            // The newest blocks hold transfers of the wallet, so that the reorganisation takes some of its rows away.
            for (let block = 0; block < 6; block++) {
              yield* Head.transfer(node, { from: address, to: local.world.accounts.bob, valueWei: 1n })
              yield* Head.mine(node)
            }
            const top = yield* untilIndexed(rest, node)
            const first: WalletPage.WalletPage = yield* rest.walletTransactions({ address, order, limit: 3 })
            expect(first.cursor).not.toBe(null)

            const { ancestor } = yield* Head.reorganise(node, {
              depth: 5,
              transfers: [{ from: address, to: local.world.accounts.carol, valueWei: 7n, blockIndex: 1 }],
              moreBlocks: 1,
            })
            yield* untilIndexed(rest, node)
            const stale = yield* Effect.flip(
              rest.walletTransactions({ address, order, limit: 3, cursor: first.cursor ?? "" }),
            )
            if (stale._tag !== "StaleCursor")
              throw new Error(`expected StaleCursor, got ${stale._tag}: ${stale.message}`)
            expect(stale.resumeFromBlock).toBe(BigInt(ancestor.number + 1))

            const valid = first.result.filter((row) => row.block_number < stale.resumeFromBlock)
            const isBelow = (row: WalletTransaction.WalletTransaction) => row.block_number < stale.resumeFromBlock
            const resumed = yield* collect(rest, {
              address,
              order,
              from_block: order === "ASC" ? stale.resumeFromBlock : 0,
            })
            const kept =
              order === "ASC" ? yield* collect(rest, { address, order, to_block: stale.resumeFromBlock - 1n }) : []
            const head = yield* Head.current(node)
            expect(head.number).toBe(top.number + 1)
            const truth = hashes(oracle.historyOf(yield* oracle.scan(node, head.number), address))
            expect(hashes([...kept, ...resumed])).toEqual(order === "ASC" ? truth : truth.toReversed())
            expect(hashes(valid)).toEqual(hashes([...kept, ...resumed].filter(isBelow)).slice(0, valid.length))
          }
        }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
      )
    },
  )
})
