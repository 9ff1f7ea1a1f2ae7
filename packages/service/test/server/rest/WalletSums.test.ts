import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import * as Holding from "../../../src/ledger/Holding.ts"
import type { BlockGap } from "../../../src/block/BlockRows.ts"
import * as SigningKey from "../../../src/signed/SigningKey.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import * as Rows from "../rows.ts"
import { type Json, type Started, start } from "../service.ts"
import {
  chainOf,
  type Ledger,
  type Given,
  read,
  token,
  walk,
  writeOpenings,
  writeProof,
  writeTokens,
} from "./ledgers.ts"

const last = 30

/** Movements that differ between blocks: of ether, of a token and of ids. */
const movementOf = (seed: number): Given => {
  const amount = BigInt((seed * 7_919) % 1_000) - 400n || 1n
  if (seed % 3 === 0) return { amount }
  if (seed % 3 === 1) return { kind: "erc20", asset: token, amount }
  return { kind: "erc721", asset: token, tokenId: String(seed % 5), amount: seed % 2 === 0 ? 1n : -1n }
}

const ledgers: Readonly<Record<number, Ledger>> = Object.fromEntries(
  Array.from({ length: last + 1 }, (_, block) => [
    block,
    Object.fromEntries(
      Array.from({ length: block % 4 }, (__, index) => [
        index,
        Array.from({ length: 1 + ((block + index) % 3) }, (___, at) => movementOf(block * 16 + index * 4 + at)),
      ]),
    ),
  ]),
)

const eth = chainOf(ledgers, last, [[6, 1]])
const started = start({ chains: { eth } })

type Sums = Record<string, bigint>

/** Sums of movements by asset and id, without those that are 0. */
const sumsOf = (movements: ReadonlyArray<Json>): Sums => {
  const sums: Sums = {}
  for (const { amount, asset, token_id } of movements) {
    const key = `${asset} ${token_id}`
    sums[key] = (sums[key] ?? 0n) + BigInt(amount)
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n))
}

const balancesOf = (result: ReadonlyArray<Json>): Sums =>
  Object.fromEntries(result.map(({ asset, balance, token_id }) => [`${asset} ${token_id}`, BigInt(balance)]))

const movementsUpTo = (service: Started, block: number) =>
  Effect.map(walk(service, `to_block=${block}&order=ASC`, 100), ({ found }) => found)

/** Compares balances and statements with the movements, in an order of blocks in which kept sums are used. */
const expectSums = Effect.fnUntraced(function* (service: Started, blocks: ReadonlyArray<number>) {
  for (const block of blocks) {
    const { json, status } = yield* read(service, "balances", `to_block=${block}`)
    expect([status, json.block_number, json.block_hash]).toEqual([200, String(block), Rows.blockHash(block)])
    expect([block, balancesOf(json.result)]).toEqual([block, sumsOf(yield* movementsUpTo(service, block))])
  }
  for (const to of blocks) {
    for (const from of [0, 1, 9, to].filter((number) => number <= to)) {
      const { json } = yield* read(service, "statement", `from_block=${from}&to_block=${to}`)
      const moved = yield* walk(service, `from_block=${from}&to_block=${to}`, 100)
      const before = from === 0 ? [] : yield* movementsUpTo(service, from - 1)
      expect(balancesOf(json.opening.result)).toEqual(sumsOf(before))
      expect(balancesOf(json.closing.result)).toEqual(sumsOf([...before, ...moved.found]))
      expect(sumsOf(json.sums)).toEqual(sumsOf(moved.found))
      expect(json.sums.reduce((sum: number, { count }: Json) => sum + Number(count), 0)).toBe(moved.found.length)
      for (const sum of json.sums) expect(BigInt(sum.in) + BigInt(sum.out)).toBe(BigInt(sum.amount))
    }
  }
})

describe("balances and statement", () => {
  it.live("balances, statement: equal the sums of movements, with and without sums kept at final blocks", () =>
    Effect.gen(function* () {
      const service = yield* started
      yield* expectSums(service, [last, 0, 13, 5])
      yield* Effect.orDie(service.stores["eth"]!.finalize(20))
      yield* expectSums(service, [12, last, 5, 20, 21, 13])
      yield* expectSums(service, [13, 21, last])
    }).pipe(Effect.scoped),
  )

  it.live("balances, statement: have the names of the interface, native first", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { headers, json } = yield* read(service, "balances")
      const statement = yield* read(service, "statement", "from_block=3")

      expect(json.result[0].asset).toBe("native")
      expect(json.result[0].proved_at_block).toBe(null)
      expect(headers["daybook-indexed-to"]).toBe(String(last))
      expect(statement.json).toMatchObject({
        address: Rows.alice,
        from_block: "3",
        block_number: String(last),
        block_timestamp: Rows.timeOf(last),
        opening: { block_number: "2" },
        proof: null,
        closing: json,
      })
      Schema.decodeUnknownSync(RestOperation.balances.response)(json)
      Schema.decodeUnknownSync(RestOperation.statement.response)(statement.json)
    }).pipe(Effect.scoped),
  )

  it.live("balances, statement: state what the sums lack", () =>
    Effect.gen(function* () {
      const service = yield* started
      const incompleteOf = (operation: string, query: string) =>
        Effect.map(read(service, operation, query), ({ json }) => json.incomplete)

      expect(yield* incompleteOf("balances", "to_block=5")).toEqual({ opening: true, places: "0", first_block: null })
      expect(yield* incompleteOf("balances", "to_block=6")).toEqual({ opening: true, places: "1", first_block: "6" })
      expect(yield* incompleteOf("statement", "from_block=6")).toMatchObject({ places: "1", first_block: "6" })
      expect(yield* incompleteOf("statement", "from_block=7")).toMatchObject({ places: "0", first_block: null })
    }).pipe(Effect.scoped),
  )

  it.live("balances, statement: a negative balance states its reason, and no other balance does", () =>
    Effect.gen(function* () {
      const other = Rows.address("e")
      const moved = {
        0: { 0: [{ amount: -5n }, { kind: "erc20", asset: token, amount: -2n }] },
        1: { 0: [{ kind: "erc20", asset: other, amount: 2n }] },
        2: {
          0: [
            { kind: "erc1155", asset: Rows.address("f"), tokenId: "7", amount: -1n },
            { kind: "erc1155", asset: Rows.address("f"), tokenId: "8", amount: -1n },
            { kind: "erc721", asset: Rows.address("f"), tokenId: "9", amount: -1n },
          ],
        },
        3: { 0: [{ kind: "erc20", asset: other, amount: 1n }] },
      } as const
      const service = yield* start({ chains: { eth: chainOf(moved, 3, [[3, 0]]) } })
      const opening = (asset: string, amount: bigint) => ({
        holding: asset === "native" ? Holding.native : { standard: "erc20" as const, asset, tokenId: null },
        amount,
      })
      const eighth = { holding: { standard: "erc1155" as const, asset: Rows.address("f"), tokenId: "8" }, amount: 0n }
      const reasons = Effect.fnUntraced(function* (query: string) {
        const balances = yield* read(service, "balances", query)
        const statement = yield* read(service, "statement", query)
        expect(statement.json.closing).toEqual(balances.json)
        Schema.decodeUnknownSync(RestOperation.balances.response)(balances.json)
        return balances.json.result.map((one: Json) => one.negative_reason ?? null)
      })
      const before = yield* reasons("")
      yield* Effect.orDie(
        writeOpenings(service, [opening("native", 3n), opening(token, 9n), opening(other, 0n), eighth]),
      )

      const unknown = "opening_unknown"
      expect(before).toEqual([unknown, unknown, null, unknown, unknown, unknown])
      expect(yield* reasons("to_block=2")).toEqual(["unexplained", null, null, unknown, "unexplained", unknown])
      expect(yield* reasons("")).toEqual(["movements_missing", null, null, unknown, "movements_missing", unknown])
    }).pipe(Effect.scoped),
  )

  it.live("movements, balances, statement: include opening balances, once they are known", () =>
    Effect.gen(function* () {
      const erc20 = { standard: "erc20", asset: token, tokenId: null } as const
      const moved = { 0: { 0: [{ amount: 5n }] }, 1: { 0: [{ kind: "erc20", asset: token, amount: 2n }] } } as const
      const service = yield* start({ chains: { eth: chainOf(moved, 2) } })
      yield* Effect.orDie(service.stores["eth"]!.finalize(2))
      const before = yield* read(service, "balances")
      yield* Effect.orDie(writeOpenings(service, [{ holding: Holding.native, amount: 3n }]))
      const native = yield* read(service, "balances", "asset=native")
      const both = yield* read(service, "balances")
      yield* Effect.orDie(writeOpenings(service, [{ holding: erc20, amount: 0n }]))
      const after = yield* read(service, "balances")
      const { sums } = (yield* read(service, "statement")).json

      expect(before.json.incomplete.opening).toBe(true)
      expect(balancesOf(before.json.result)).toEqual({ "native null": 5n, [`${token} null`]: 2n })
      expect(native.json.incomplete.opening).toBe(false)
      expect(both.json.incomplete.opening).toBe(true)
      expect(after.json.incomplete).toEqual({ opening: false, places: "0", first_block: null })
      expect(balancesOf(after.json.result)).toEqual({ "native null": 8n, [`${token} null`]: 2n })
      expect(sums.map(({ amount, kind }: Json) => `${kind} ${amount}`)).toEqual(["genesis 3", "value 5", "erc20 2"])
      for (const limit of [1, 2, 100]) {
        const { found } = yield* walk(service, "order=ASC", limit)
        expect(found.map(({ kind, movement_index }) => `${kind} ${movement_index}`)).toEqual([
          "genesis 0",
          "value 0",
          "erc20 0",
        ])
        expect(found[0]).toMatchObject({ transaction_hash: null, transaction_index: null, roles: [] })
        expect(found[1].transaction_hash).toMatch(/^0x/)
        expect((yield* walk(service, "", limit)).found).toEqual(found.toReversed())
      }
    }).pipe(Effect.scoped),
  )

  it.live(
    "balances, statement: continue after a third party sent 20,001 ids in one transfer, which are one named row",
    () =>
      Effect.gen(function* () {
        const spam = Rows.address("f")
        const sent = Array.from({ length: 20_001 }, (_, id) => ({
          kind: "erc1155" as const,
          asset: spam,
          tokenId: String(id),
          amount: 1n,
        }))
        const coin = { kind: "erc20" as const, asset: token, amount: 2n }
        const moved = { 1: { 0: [coin, { amount: 5n }] }, 2: { 0: sent }, 3: { 0: [coin] } }
        const service = yield* start({ chains: { eth: chainOf(moved, 4) } })
        yield* Effect.orDie(writeOpenings(service, [{ holding: Holding.native, amount: 0n }]))
        yield* Effect.orDie(
          writeOpenings(service, [{ holding: { standard: "erc20", asset: token, tokenId: null }, amount: 0n }]),
        )
        const balances = yield* read(service, "balances")
        const statement = yield* read(service, "statement", "from_block=2")
        const named = yield* read(service, "balances", `asset=${token}`)
        const expected = { "native null": 5n, [`${token} null`]: 4n, [`${spam} null`]: 20_001n }

        expect(balances.json.incomplete).toEqual({ opening: false, places: "0", first_block: null, merged: [spam] })
        expect(balancesOf(balances.json.result)).toEqual(expected)
        expect(balancesOf(statement.json.closing.result)).toEqual(expected)
        expect(statement.json.sums.map(({ asset, count }: Json) => [asset, count])).toEqual([
          [token, "1"],
          [spam, "20001"],
        ])
        expect(balancesOf(named.json.result)).toEqual({ [`${token} null`]: 4n })
        Schema.decodeUnknownSync(RestOperation.balances.response)(balances.json)
      }).pipe(Effect.scoped),
  )

  it.live(
    "balances, statement: state the last comparison, and prove an ERC-721 id by its owner and not by the number of tokens",
    () =>
      Effect.gen(function* () {
        const erc721 = { standard: "erc721", asset: token, tokenId: null } as const
        const moved = {
          1: { 0: [{ amount: 5n }, { kind: "erc20", asset: Rows.address("e"), amount: 2n }] },
          2: { 0: ["9", "10"].map((tokenId) => ({ kind: "erc721", asset: token, tokenId, amount: 1n }) as const) },
        } as const
        const service = yield* start({ chains: { eth: chainOf(moved, 4) } })
        const compared = { block: 3, firstBlock: null }
        yield* Effect.orDie(
          writeProof(service, {
            block: {
              number: 3,
              hash: Rows.blockHash(3),
            },
            provedBlock: 2,
            unchecked: ["Some."],
            holdings: [
              {
                ...compared,
                holding: Holding.native,
                expected: 5n,
                found: 5n,
              },
              {
                ...compared,
                holding: erc721,
                expected: 2n,
                found: 2n,
              },
              {
                ...compared,
                holding: { ...erc721, tokenId: "10" },
                expected: 1n,
                found: 1n,
              },
              {
                block: 3,
                firstBlock: 1,
                expected: 2n,
                found: null,
                holding: {
                  standard: "erc20",
                  asset: Rows.address("e"),
                  tokenId: null,
                },
              },
            ],
          }),
        )
        const { json } = yield* read(service, "statement")

        expect(json.closing.result.map((one: Json) => [one.asset, one.proved_at_block])).toEqual([
          ["native", "3"],
          [token, null],
          [token, "3"],
          [Rows.address("e"), null],
        ])
        expect(json.proof).toEqual({
          block_number: "3",
          proved: false,
          proved_at_block: "2",
          not_compared: ["Some."],
          differences: [
            {
              asset: Rows.address("e"),
              token_id: null,
              expected: "2",
              found: null,
              first_block: "1",
            },
          ],
        })
        Schema.decodeUnknownSync(RestOperation.statement.response)(json)
      }).pipe(Effect.scoped),
  )

  it.live("balances: name each of 1,100 tokens, which are read in several turns", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 1_100 }, (_, at) => `0x${(at + 1).toString(16).padStart(40, "0")}`)
      const moved = assets.map((asset): Given => ({ kind: "erc20", asset, amount: 1n }))
      const service = yield* start({ chains: { eth: chainOf({ 1: { 0: moved } }, 1) } })
      const symbolOf = (asset: string) => `T${Number(asset)}`
      yield* Effect.orDie(
        writeTokens(
          service,
          new Map(assets.map((asset) => [asset, { name: null, symbol: symbolOf(asset), decimals: 0, block: 0 }])),
        ),
      )
      const { json } = yield* read(service, "balances")
      const named = json.result.filter(({ asset }: Json) => asset !== "native")

      expect(named.map((row: Json) => [row.asset, row.token?.symbol]).toSorted()).toEqual(
        assets.map((asset) => [asset, symbolOf(asset)]),
      )
    }).pipe(Effect.scoped),
  )

  it.live("balances: may be filtered by asset", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { json } = yield* read(service, "balances", "asset=native")
      const all = yield* read(service, "balances")

      expect(json.result).toEqual(all.json.result.slice(0, 1))
    }).pipe(Effect.scoped),
  )

  it.live("balances: to_date selects the last block at or before it", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { json } = yield* read(service, "balances", `to_date=${Rows.timeOf(9)}`)

      expect(json.block_number).toBe("9")
    }).pipe(Effect.scoped),
  )

  it.live("balances, statement: reject ranges without a block, and parameters of other operations", () =>
    Effect.gen(function* () {
      const service = yield* started
      const refused = [
        ["balances", "to_date=2020-01-01", "to_date"],
        ["statement", "from_block=31", "from_block"],
        ["statement", "from_block=5&to_block=4", "from_block"],
        ["balances", "chain=polygon", "chain"],
        ["balances", "cursor=x", "cursor"],
        ["statement", "asset=ether", "asset"],
      ] as const
      for (const [operation, query, parameter] of refused) {
        const { json, status } = yield* read(service, operation, query)
        expect([query, status, json.parameter]).toEqual([query, 400, parameter])
      }
    }).pipe(Effect.scoped),
  )

  it.live(
    "balances: merge the ids of one of two large contracts, and list them separately if that contract is named",
    () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 10_001 }, (_, id) => ({
          ...({ kind: "erc721", asset: token, tokenId: String(id), amount: 1n } as const),
        }))
        const others = ids.map((plan) => ({ ...plan, asset: Rows.address("e") }))
        const service = yield* start({ chains: { eth: chainOf({ 1: { 0: ids }, 2: { 0: others } }, 2) } })
        const whole = yield* read(service, "balances")
        const named = yield* read(service, "balances", `asset=${token}`)
        const native = yield* read(service, "balances", "asset=native")
        const sent = yield* read(service, "statement", `asset=${token}&to_block=1`)

        // Large bodies are sent in parts.
        expect([whole, named, sent, native].map(({ headers }) => headers["transfer-encoding"])).toEqual([
          "chunked",
          "chunked",
          "chunked",
          undefined,
        ])
        expect([native.json.result.length, native.json.incomplete.merged]).toEqual([0, undefined])
        expect([whole.json.result.length, whole.json.incomplete.merged]).toEqual([10_002, [token]])
        expect(named.json.result.length).toBe(10_001)
        expect(named.json.result[10_000].token_id).toBe("10000")
      }).pipe(Effect.scoped),
  )

  it.live("balances: those of a block after the last final one follow a reorg", () =>
    Effect.gen(function* () {
      const service = yield* started
      const store = service.stores["eth"]!
      yield* Effect.orDie(store.finalize(20))
      const before = yield* read(service, "balances", "to_block=25")
      yield* Effect.orDie(store.unwind(eth.blocks[last]!, eth.blocks[22]!))
      const forked = [23, 24, 25].map((number) =>
        Rows.block(number, [], { fork: "b" }, number === 23 ? eth.blocks[22]!.hash : Rows.blockHash(number - 1, "b")),
      )
      // Ledgers of a block are found by its number: the fork has none.
      yield* Effect.orDie(store.append(eth.blocks[22]!, forked))
      const after = yield* read(service, "balances", "to_block=25")

      expect(after.json.block_hash).toBe(Rows.blockHash(25, "b"))
      expect(after.json.block_hash).not.toBe(before.json.block_hash)
      expect(after.status).toBe(200)
    }).pipe(Effect.scoped),
  )

  it.live("signedStatement: states how many transactions the index lacks", () =>
    Effect.gen(function* () {
      const signingKey = join(yield* temporaryFolder, "key.pem")
      yield* SigningKey.create(signingKey)
      const chain = chainOf({ 1: { 0: [{ amount: 5n }] } }, 3)
      const gap: BlockGap = { kind: "receipt", transaction: Rows.hashOf("gap"), reason: "no receipt" }
      const blocks = chain.blocks.map((block) => (block.number === 2 ? { ...block, gaps: [gap] } : block))
      const service = yield* start({ config: { signingKey }, chains: { eth: { ...chain, blocks } } })
      yield* service.stores["eth"]!.finalize(3)
      yield* writeOpenings(service, [{ holding: Holding.native, amount: 7n }])
      const { headers, json, status } = yield* read(service, "statement/signed")

      expect([status, headers["daybook-missing-transactions"]]).toEqual([200, "1"])
      expect(json.statements[0].closing).toMatchObject([{ asset: "native", balance: "12" }])
      expect(json.statements[0].not_covered).toContain(
        "The index may lack transactions in which the wallet has a role: 1.",
      )
    }).pipe(Effect.scoped),
  )
})
