import { describe, it } from "@effect/vitest"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as UserOperation from "@daybook/schema/UserOperation"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import * as WalletLedger from "../../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import * as Rows from "../rows.ts"
import { type Json, type Response, start, type Started } from "../service.ts"

const { alice, bob, contract, stranger } = Rows
const account = Rows.address("1")
const paymaster = Rows.address("2")
const factory = Rows.address("3")
const entryPoint = "0x0000000071727de22e5e9d8baf0edac6f37da032"

const word = (value: string | number) =>
  (typeof value === "number" ? value.toString(16) : value.replace(/^0x/, "")).padStart(64, "0")
const topic = (value: string | number) => `0x${word(value)}`
const data = (...values: ReadonlyArray<string | number>) => `0x${values.map(word).join("")}`

interface Given {
  readonly hash: number
  readonly sender?: string
  readonly payer?: string
  readonly succeeded?: boolean
  readonly emitter?: string
}

const event = ({
  emitter = entryPoint,
  hash,
  payer = Rows.address("0"),
  sender = account,
  succeeded = true,
}: Given) => ({
  address: emitter,
  topics: [UserOperation.topics.userOperation, topic(hash), topic(sender), topic(payer)],
  data: data(hash + 7, succeeded ? 1 : 0, hash * 100, hash * 10),
})

const deployed = (hash: number) => ({
  address: entryPoint,
  topics: [UserOperation.topics.accountDeployed, topic(hash), topic(account)],
  data: data(factory, Rows.address("0")),
})

const reverted = (hash: number) => ({
  address: entryPoint,
  topics: [UserOperation.topics.revertReason, topic(hash), topic(account)],
  data: data(hash + 7, 64, 4, `deadbeef${"0".repeat(56)}`),
})

const carry = (...logs: ReadonlyArray<ReturnType<typeof event>>) => ({ from: bob, to: entryPoint, logs })

/** Bob bundles operations of the account, some of which the paymaster pays, and one of alice. */
const blocks = [
  Rows.block(0, [carry(deployed(1), event({ hash: 1 })), { from: alice, to: bob }]),
  Rows.block(1, [
    carry(event({ hash: 2, payer: paymaster }), reverted(3), event({ hash: 3, succeeded: false }), event({ hash: 4 })),
    { from: stranger, to: account },
    carry(event({ hash: 5, sender: alice, payer: paymaster })),
  ]),
  Rows.block(2, [{ from: stranger, to: contract, logs: [event({ hash: 6, emitter: contract })] }]),
]

const projections = [WalletTransactions.projection, WalletLedger.make(1)]
const started = start({ chains: { eth: { blocks, projections } } })

const read = (service: Started, wallet: string, query = ""): Effect.Effect<Response> =>
  service.get(`/api/v2.2/${wallet}/user_operations?${query}`)

const numberOf = ({ user_operation_hash: hash }: Json): number => Number(hash)

const walk = Effect.fnUntraced(function* (service: Started, wallet: string, query: string) {
  const found: Array<Json> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const response: Response = yield* read(service, wallet, `${query}${cursor === "" ? "" : `&cursor=${cursor}`}`)
    expect([response.status, response.json.message]).toEqual([200, undefined])
    found.push(...response.json.result)
    cursor = response.json.cursor
  }
  return found
})

describe("user operations", () => {
  it.live("userOperations: lists those of each role once, in either order and with any limit", () =>
    Effect.gen(function* () {
      const service = yield* started
      const expected: Readonly<Record<string, ReadonlyArray<number>>> = {
        [account]: [1, 2, 3, 4, 6],
        [paymaster]: [2, 5],
        [bob]: [1, 2, 3, 4, 5],
        [alice]: [5],
        [stranger]: [6],
        [factory]: [],
        [entryPoint]: [],
      }
      for (const [wallet, numbers] of Object.entries(expected)) {
        for (const limit of [1, 2, 3, 100]) {
          const up = yield* walk(service, wallet, `order=ASC&limit=${limit}`)
          const down = yield* walk(service, wallet, `limit=${limit}`)
          expect([wallet, limit, up.map(numberOf)]).toEqual([wallet, limit, numbers])
          expect([wallet, limit, down.map(numberOf)]).toEqual([wallet, limit, numbers.toReversed()])
        }
      }
    }).pipe(Effect.scoped),
  )

  it.live("userOperations: has the names of the interface, and null if the entry point is not known", () =>
    Effect.gen(function* () {
      const service = yield* started
      const { headers, json } = yield* read(service, account, "order=ASC")
      const hash = Rows.hashOf(`${Rows.blockHash(1)} 0`)

      expect(json.result[2]).toEqual({
        user_operation_hash: topic(3),
        sender: account,
        paymaster: null,
        bundler: bob,
        factory: null,
        nonce: "10",
        success: false,
        revert_reason: "0xdeadbeef",
        post_operation_revert_reason: null,
        prefund_too_low: false,
        actual_gas_cost: "300",
        actual_gas_used: "30",
        entry_point: entryPoint,
        entry_point_version: "0.7",
        log_index: "2",
        transaction_hash: hash,
        transaction_index: "0",
        block_number: "1",
        block_hash: Rows.blockHash(1),
        block_timestamp: Rows.timeOf(1),
        roles: ["operation_sender"],
      })
      expect(json.result[0]).toMatchObject({ factory, paymaster: null })
      expect(json.result[1]).toMatchObject({ paymaster, revert_reason: null })
      expect(json.result[4]).toMatchObject({ entry_point: contract, entry_point_version: null })
      expect(headers).toMatchObject({ "daybook-indexed-from": "0", "daybook-indexed-to": "2" })
      Schema.decodeUnknownSync(RestOperation.userOperations.response)(json)
    }).pipe(Effect.scoped),
  )

  it.live("userOperations: filters by role and range, and a cursor keeps its role", () =>
    Effect.gen(function* () {
      const service = yield* started
      const ofRole = (wallet: string, role: string) =>
        Effect.map(walk(service, wallet, `order=ASC&limit=1&role=${role}`), (rows) => rows.map(numberOf))

      expect(yield* ofRole(alice, "operation_sender")).toEqual([5])
      expect(yield* ofRole(alice, "bundler")).toEqual([])
      expect(yield* ofRole(paymaster, "paymaster")).toEqual([2, 5])
      expect((yield* walk(service, bob, "from_block=1&to_block=1&limit=2")).map(numberOf)).toEqual([5, 4, 3, 2])
      const { cursor } = (yield* read(service, bob, "role=bundler&limit=1")).json
      const other = yield* read(service, bob, `role=paymaster&cursor=${cursor}`)
      const movements = yield* service.get(`/api/v2.2/${bob}/movements?cursor=${cursor}`)
      const unknown = yield* read(service, bob, "role=factory")

      expect([other.status, other.json.message]).toEqual([
        400,
        'Invalid query parameter "cursor": expected a cursor of role paymaster, received one of role bundler.',
      ])
      expect(movements.json.message).toBe(
        'Invalid query parameter "cursor": expected a cursor of movements, received one of user operations.',
      )
      expect(unknown.json).toMatchObject({ code: "bad_request", parameter: "role" })
    }).pipe(Effect.scoped),
  )

  it.live("scope=all: lists the transactions of a wallet's operations, with those in which it has a role", () =>
    Effect.gen(function* () {
      const service = yield* started
      for (const wallet of [account, paymaster, bob, alice, stranger]) {
        const operations = (yield* read(service, wallet, "order=ASC")).json.result as ReadonlyArray<Json>
        const page = (yield* service.wallet(wallet, "scope=all&order=ASC")).json
        const rows = page.result as ReadonlyArray<Json>

        expect(rows.flatMap(({ user_operations: own = [] }) => own)).toEqual(operations)
        for (const { hash, user_operations: own } of rows) {
          expect(own === undefined || own.every((one: Json) => one.transaction_hash === hash)).toBe(true)
          expect(own).not.toEqual([])
        }
        Schema.decodeUnknownSync(RestOperation.walletTransactions.response)(page)
      }
      expect((yield* service.wallet(bob)).text).not.toContain("user_operations")
    }).pipe(Effect.scoped),
  )

  it.live("movements: contain no operation, and sums are those of the transactions without them", () =>
    Effect.gen(function* () {
      const service = yield* started
      const without = yield* start({
        chains: {
          eth: {
            blocks: blocks.map((block) => ({
              ...block,
              transactions: block.transactions.map((one) => ({
                ...one,
                body: JSON.stringify({ ...JSON.parse(one.body), logs: [] }),
              })),
            })),
            projections,
          },
        },
      })
      for (const wallet of [account, paymaster, bob, alice]) {
        const pathOf = (operation: string) => `/api/v2.2/${wallet}/${operation}`
        const [own, other] = [yield* service.get(pathOf("balances")), yield* without.get(pathOf("balances"))]
        expect(own.json.result).toEqual(other.json.result)
        const amounts = ({ json }: Response) => json.result.map(({ amount, kind }: Json) => [kind, amount])
        const [moved, before] = [yield* service.get(pathOf("movements")), yield* without.get(pathOf("movements"))]
        expect(amounts(moved)).toEqual(amounts(before))
      }
    }).pipe(Effect.scoped),
  )
})
