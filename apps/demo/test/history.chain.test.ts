import { Head } from "@daybook/chain"
import { RestClient } from "@daybook/rest"
import type { WalletPage, WalletTransaction } from "@daybook/schema"
import { Effect, Logger, Stream } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import type * as Local from "../src/Local.ts"
import * as oracle from "./oracle.ts"
import { startLocal } from "./startLocal.ts"
import { untilIndexed } from "./untilIndexed.ts"

/** The chain and the service of all tests; the last ones change the chain. */
let local: Local.Local
beforeAll(async () => {
  const started = await startLocal(20)
  local = started.local
  return started.close
}, 180_000)

const clientOf = (local: Local.Local) =>
  RestClient.make({ baseUrl: local.provider.baseUrl, apiKey: local.provider.apiKey })

const hashes = (rows: ReadonlyArray<{ readonly hash: string }>) => rows.map(({ hash }) => hash)

const collect = (rest: RestClient.Client, query: Parameters<RestClient.Client["walletTransactionsStream"]>[0]) =>
  Stream.runCollect(rest.walletTransactionsStream(query))

describe("wallet history by cursor", () => {
  it(
    "equals a scan of the node's blocks, for every address, both orders and several page sizes",
    { timeout: 90_000 },
    async () => {
      const checked = await Effect.runPromise(
        Effect.gen(function* () {
          const rest = yield* clientOf(local)
          const scanned = yield* oracle.scan(local.node, local.world.lastBlock)
          let rows = 0
          for (const [at, address] of local.world.addresses.entries()) {
            const oldestFirst = hashes(oracle.historyOf(scanned, address))
            for (const limit of [100, at % 3 === 0 && oldestFirst.length <= 50 ? 2 : 7]) {
              expect(hashes(yield* collect(rest, { address, limit, order: "ASC" }))).toEqual(oldestFirst)
              expect(hashes(yield* collect(rest, { address, limit, order: "DESC" }))).toEqual(oldestFirst.toReversed())
            }
            rows += oldestFirst.length
          }
          return { addresses: local.world.addresses.length, rows, transactions: scanned.length }
        }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
      )

      expect(checked.addresses).toBeGreaterThan(20)
      expect(checked.rows).toBeGreaterThan(checked.transactions)
    },
  )

  it("has the values, statuses and internal transactions that the node reports", { timeout: 180_000 }, async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const rest = yield* clientOf(local)
        const byHash = new Map((yield* oracle.scan(local.node, local.world.lastBlock)).map((one) => [one.hash, one]))
        const seen = new Set<string>()
        for (const address of Object.values(local.world.accounts)) {
          const rows = yield* collect(rest, { address, include: "internal_transactions" })
          for (const row of rows) {
            const expected = byHash.get(row.hash)
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
            }).toEqual({ ...expected, hash: undefined })
          }
        }
        expect(seen.size).toBe(byHash.size)
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
    )
  })

  it(
    "fails with StaleCursor after a reorg, and resumed from resumeFromBlock equals the new chain",
    { timeout: 180_000 },
    async () => {
      await Effect.runPromise(
        Effect.gen(function* () {
          const { node } = local
          const rest = yield* clientOf(local)
          const { address } = local.provider
          for (const order of ["DESC", "ASC"] as const) {
            // The newest blocks contain transfers of the wallet, so that the reorg removes some of its rows.
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
            if (stale._tag !== "StaleCursor") throw new Error(`Unexpected error: ${stale._tag}: ${stale.message}`)
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
            const expected = hashes(oracle.historyOf(yield* oracle.scan(node, head.number), address))
            expect(hashes([...kept, ...resumed])).toEqual(order === "ASC" ? expected : expected.toReversed())
            expect(hashes(valid)).toEqual(hashes([...kept, ...resumed].filter(isBelow)).slice(0, valid.length))
          }
        }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
      )
    },
  )
})

describe("stream over a chain that reorgs", () => {
  it(
    "marks the reverted rows and emits their replacements, or fails with the block to resume from",
    { timeout: 90_000 },
    () =>
      Effect.gen(function* () {
        const { node } = local
        const rest = yield* clientOf(local)
        const address = node.accounts[0] ?? ""
        for (const order of ["ASC", "DESC"] as const) {
          const query = { address, order, limit: 5 }
          yield* untilIndexed(rest, node)
          let kept: ReadonlyArray<{ readonly hash: string; readonly block: bigint }> = []
          const marks: Array<bigint> = []
          let emitted = 0
          let fromBlock = 0n
          const reorganise = Effect.gen(function* () {
            const { ancestor } = yield* Head.reorganise(node, { depth: 6, moreBlocks: 1 })
            fromBlock = BigInt(ancestor.number + 1)
            yield* untilIndexed(rest, node)
          })
          yield* rest.walletTransactionsStream(query, { onStaleCursor: "restart" }).pipe(
            Stream.runForEach((value) => {
              if ("_tag" in value) {
                marks.push(value.fromBlock)
                kept = kept.filter(({ block }) => block < value.fromBlock)
                return Effect.void
              }
              kept = [...kept, { hash: value.hash, block: value.block_number }]
              return ++emitted === 12 ? reorganise : Effect.void
            }),
          )
          const current = yield* Stream.runCollect(rest.walletTransactionsStream(query))

          expect(marks).toEqual([fromBlock])
          expect(new Set(kept.map(({ hash }) => hash)).size).toBe(kept.length)
          const inOrder = kept.toSorted((a, b) => Number(order === "ASC" ? a.block - b.block : b.block - a.block))
          expect(inOrder.map(({ block }) => block)).toEqual(current.map((row) => row.block_number))
          expect(new Set(kept.map(({ hash }) => hash))).toEqual(new Set(current.map(({ hash }) => hash)))

          emitted = 0
          const error = yield* rest.walletTransactionsStream(query).pipe(
            Stream.runForEach(() => (++emitted === 12 ? reorganise : Effect.void)),
            Effect.flip,
          )
          expect(error._tag === "StaleCursor" && error.resumeFromBlock).toBe(fromBlock)
        }
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise),
  )
})
