import { type Anvil, Head } from "@daybook/chain"
import { RestClient } from "@daybook/rest"
import type { Balance, Movement } from "@daybook/schema"
import { Effect, Logger, type Scope, Stream } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import type * as Local from "../src/Local.ts"
import { startLocal } from "./startLocal.ts"
import { untilIndexed } from "./untilIndexed.ts"

/** The chain and the service of all tests; the last one changes the chain. */
let local: Local.Local
beforeAll(async () => {
  const started = await startLocal(25)
  local = started.local
  return started.close
}, 180_000)

const run = <A>(effect: Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.scoped, Effect.provide(Logger.layer([]))))

const clientOf = ({ provider }: Local.Local) => RestClient.make({ baseUrl: provider.baseUrl, apiKey: provider.apiKey })

const hex = (value: number | bigint) => `0x${value.toString(16)}`
const word = (value: string | bigint) => BigInt(value).toString(16).padStart(64, "0")

/** Balance of an account in wei at the end of a block, from the node. */
const etherAt = (node: Anvil.Node, wallet: string, block: number) =>
  Effect.map(node.call<string>("eth_getBalance", [wallet, hex(block)]), BigInt)

/** Balance of a wallet in a token contract, from the node: for one id, or for all. */
const tokenAt = (node: Anvil.Node, wallet: string, asset: string, id: bigint | null, block: number) => {
  const data = id === null ? `0x70a08231${word(wallet)}` : `0x00fdd58e${word(wallet)}${word(id)}`
  return Effect.map(node.call<string>("eth_call", [{ to: asset, data }, hex(block)]), BigInt)
}

type Row = Movement.Movement

/** Non-zero sums by key. */
const sumsOf = <A>(rows: ReadonlyArray<A>, keyOf: (row: A) => string, amountOf: (row: A) => bigint) => {
  const sums = new Map<string, bigint>()
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0n) + amountOf(row))
  return new Map([...sums].filter(([, sum]) => sum !== 0n))
}

const assetOf = ({ asset, token_id }: Pick<Row, "asset" | "token_id">) => `${asset} ${token_id}`

const movementSums = (rows: ReadonlyArray<Row>) => sumsOf(rows, assetOf, ({ amount }) => amount)

const balanceSums = (result: ReadonlyArray<Balance.Balance>) => sumsOf(result, assetOf, ({ balance }) => balance)

/** Identity of a holding as its contract counts it: the ids of an ERC-721 contract are counted together. */
const holdingOf = ({ asset, kind, token_id }: Row) => `${asset} ${kind === "erc1155" ? token_id : ""}`

const movementsOf = (rest: RestClient.Client, query: Parameters<RestClient.Client["movementsStream"]>[0]) =>
  Stream.runCollect(rest.movementsStream({ order: "ASC", ...query }))

describe("the ledger of a wallet", () => {
  it(
    "movements: their sums equal the ether and the tokens that the node reports, at each sampled block",
    { timeout: 180_000 },
    () =>
      run(
        Effect.gen(function* () {
          const { node, world } = local
          const rest = yield* clientOf(local)
          const blocks = [1, Math.floor(world.lastBlock / 2), world.lastBlock - 1, world.lastBlock]
          // The chain table names another contract of a wrapped currency than the one on this chain.
          const wrapped = world.contracts.wrappedEther
          const compared = { ether: 0, tokens: 0, kinds: new Set<string>() }
          for (const address of world.addresses) {
            const rows = yield* movementsOf(rest, { address })
            for (const { kind } of rows) compared.kinds.add(kind)
            // An account of the genesis block may have a movement for its genesis balance.
            const hasOpening = rows.some(({ kind }) => kind === "genesis")
            const opening = hasOpening ? 0n : yield* etherAt(node, address, 0)
            for (const block of blocks) {
              const until = rows.filter((row) => row.block_number <= BigInt(block))
              const native = until.filter(({ asset }) => asset === "native")
              const sum = native.reduce((total, { amount }) => total + amount, opening)
              expect([address, block, sum]).toEqual([address, block, yield* etherAt(node, address, block)])
              compared.ether++
              const tokens = sumsOf(
                until.filter(({ asset }) => asset !== "native" && asset !== wrapped),
                holdingOf,
                ({ amount }) => amount,
              )
              for (const [holding, amount] of tokens) {
                const [asset = "", id = ""] = holding.split(" ")
                const held = yield* tokenAt(node, address, asset, id === "" ? null : BigInt(id), block)
                expect([address, block, holding, amount]).toEqual([address, block, holding, held])
                compared.tokens++
              }
            }
          }
          expect(compared.ether).toBeGreaterThan(80)
          expect(compared.tokens).toBeGreaterThan(50)
          expect([...compared.kinds]).toEqual(expect.arrayContaining(["fee", "value", "internal", "erc20", "erc721"]))
        }),
      ),
  )

  it(
    "balances, statement: equal the sums of movements, and opening balances plus sums equal the closing balances",
    { timeout: 180_000 },
    () =>
      run(
        Effect.gen(function* () {
          const { world } = local
          const rest = yield* clientOf(local)
          const middle = Math.floor(world.lastBlock / 2)
          for (const address of world.addresses) {
            const rows = yield* movementsOf(rest, { address })
            const early = rows.filter((row) => row.block_number <= BigInt(middle))
            const before = yield* rest.balances({ address, to_block: middle })
            const after = yield* rest.balances({ address })
            const { closing, opening, sums } = yield* rest.statement({ address, from_block: middle + 1 })

            expect(balanceSums(before.result)).toEqual(movementSums(early))
            expect(balanceSums(after.result)).toEqual(movementSums(rows))
            expect(opening.result).toEqual(before.result)
            expect(closing).toEqual(after)
            const moved = sums.map(({ amount, asset, token_id }) => ({ asset, token_id, balance: amount }))
            const added = sumsOf([...opening.result, ...moved], assetOf, ({ balance }) => balance)
            expect(added).toEqual(balanceSums(closing.result))
            expect(sums.reduce((total, { count }) => total + count, 0)).toBe(rows.length - early.length)
          }
          expect(world.addresses.length).toBeGreaterThan(20)
        }),
      ),
  )

  it("movements: pages of any size equal one page, in either order", { timeout: 180_000 }, () =>
    run(
      Effect.gen(function* () {
        const { accounts } = local.world
        const rest = yield* clientOf(local)
        for (const address of Object.values(accounts).slice(0, 2)) {
          const rows = (yield* movementsOf(rest, { address })).slice(-24)
          const from_block = rows[0]!.block_number
          const whole = yield* movementsOf(rest, { address, from_block, limit: 100 })
          for (const limit of [1, 3, 8, whole.length]) {
            const up = yield* movementsOf(rest, { address, from_block, limit })
            const down = yield* movementsOf(rest, { address, from_block, limit, order: "DESC" })
            expect([limit, up]).toEqual([limit, whole])
            expect([limit, down]).toEqual([limit, whole.toReversed()])
          }
          expect(whole.length).toBeGreaterThan(10)
        }
      }),
    ),
  )

  it(
    "movements: a reorg during a walk is a StaleCursor, and a new walk adds up to the balances on the new chain",
    { timeout: 180_000 },
    () =>
      run(
        Effect.gen(function* () {
          const { node, world } = local
          const rest = yield* clientOf(local)
          const { address } = local.provider
          for (let block = 0; block < 6; block++) {
            yield* Head.transfer(node, { from: address, to: world.accounts.bob, valueWei: 1n })
            yield* Head.mine(node)
          }
          yield* untilIndexed(rest, node)
          const first = yield* rest.movements({ address, limit: 3 })
          const { ancestor } = yield* Head.reorganise(node, {
            depth: 5,
            transfers: [{ from: address, to: world.accounts.carol, valueWei: 7n, blockIndex: 1 }],
            moreBlocks: 1,
          })
          yield* untilIndexed(rest, node)
          const stale = yield* Effect.flip(rest.movements({ address, limit: 3, cursor: first.cursor ?? "" }))
          const head = yield* Head.current(node)
          const { block_number, result } = yield* rest.balances({ address, asset: "native" })
          const rows = yield* movementsOf(rest, { address, asset: "native" })

          expect(stale).toMatchObject({ _tag: "StaleCursor", resumeFromBlock: BigInt(ancestor.number + 1) })
          expect(block_number).toBe(BigInt(head.number))
          expect(balanceSums(result)).toEqual(movementSums(rows))
        }),
      ),
  )
})
