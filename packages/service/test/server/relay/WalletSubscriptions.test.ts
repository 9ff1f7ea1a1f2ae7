/**
 * Subscriptions to the movements of a wallet over WebSocket: events with cursors, where they begin and continue, and
 * limits.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import { Receiver } from "../../push/Receiver.ts"
import * as TestStore from "../../store/TestStore.ts"
import { chainOf, type Ledger } from "../rest/ledgers.ts"
import * as Rows from "../rows.ts"
import { type Json, type Options, start } from "../service.ts"
import * as SocketClient from "./SocketClient.ts"

const kind = "daybook_movements"
const wallet = { address: Rows.alice }

/** A ledger with one movement in each block, whose amount is the block number and a digit for the branch. */
const ledgersOf = (numbers: ReadonlyArray<number>, branch: bigint): Record<number, Ledger> =>
  Object.fromEntries(numbers.map((number) => [number, { 0: [{ amount: BigInt(number) * 10n + branch }] }]))

const numbers = [0, 1, 2, 3, 4, 5]
const ledgers = ledgersOf(numbers, 1n)
const chain = chainOf(ledgers, 5)

const served = Effect.fnUntraced(function* (options: Options = {}, blocks = chain.blocks) {
  const service = yield* start({ ...options, chains: { eth: { ...chain, blocks } } })
  return { service, store: service.stores["eth"]!, url: SocketClient.urlOf(service) }
})

/** The events of a subscription, in short. */
const shortOf = (events: ReadonlyArray<Json>) =>
  events.map(({ data, type }) => [type, type === "wallet.movement" ? data.movement.amount : data.number])

const isCovered = (id: string, number: number) => (message: Json) =>
  message.params?.subscription === id &&
  message.params.result?.type === "covered" &&
  message.params.result.data.number === String(number)

const subscribe = (client: SocketClient.SocketClient, params: object) =>
  Effect.map(client.call("eth_subscribe", [kind, { ...wallet, ...params }]), ({ result }) => result as string)

describe("WalletSubscriptions", () => {
  it.live(
    "eth_subscribe: daybook_movements sends the past, then new rows, and voids of a reorg before their replacements",
    () =>
      Effect.gen(function* () {
        const { store, url } = yield* served({}, chain.blocks.slice(0, 4))
        const client = yield* SocketClient.open(url)
        const id = yield* subscribe(client, { from: 2 })
        yield* client.until(isCovered(id, 3))
        yield* store.append({ number: 3, hash: chain.blocks[3]!.hash }, chain.blocks.slice(4))
        yield* client.until(isCovered(id, 5))
        yield* store.unwind({ number: 5, hash: chain.blocks[5]!.hash }, { number: 4, hash: chain.blocks[4]!.hash })
        yield* client.until(isCovered(id, 4))

        expect(shortOf(client.notified(id))).toEqual([
          ["wallet.movement", "21"],
          ["wallet.movement", "31"],
          ["covered", "3"],
          ["wallet.movement", "41"],
          ["wallet.movement", "51"],
          ["covered", "5"],
          ["block.voided", "5"],
          ["covered", "4"],
        ])
        const [first] = client.notified(id)
        expect(first.data).toMatchObject({ chain: "eth", address: Rows.alice, final: false })
        expect(Object.keys(first.data)).toEqual(["chain", "cursor", "address", "row", "revision", "final", "movement"])
      }),
  )

  it.live(
    "eth_subscribe: daybook_movements continues after any cursor, including one of server-sent events, with equal rows",
    () =>
      Effect.gen(function* () {
        const { service, url } = yield* served()
        const receiver = new Receiver(
          `${service.url}/api/v2.2/${Rows.alice}/events?types=wallet.movement&from=0`,
          service.key,
        )
        yield* Effect.promise(() => receiver.listen(({ type }) => type === "covered"))
        const client = yield* SocketClient.open(url)
        const id = yield* subscribe(client, { from: "0x0" })
        yield* client.until(isCovered(id, 5))
        const events = client.notified(id)
        const rest: Array<Json> = []
        for (const event of events) {
          const again = yield* subscribe(client, { from: event.data.cursor })
          yield* client.until(isCovered(again, 5))
          rest.push(shortOf(client.notified(again)))
        }

        expect(events.map(({ data: { cursor } }) => cursor)).toEqual(
          receiver.events.map(({ data: { cursor } }) => cursor),
        )
        expect(rest).toEqual(events.map((_, at) => (at === 6 ? [["covered", "5"]] : shortOf(events.slice(at + 1)))))
      }),
  )

  it.live(
    "eth_subscribe: daybook_movements states what is accepted, and has the errors and limits of server-sent events",
    () =>
      Effect.gen(function* () {
        const { service, url } = yield* served({ config: { limits: { eventStreams: 1 } } })
        const narrow = yield* service.addKey({ name: "narrow", options: { operations: ["relay"] } })
        const client = yield* SocketClient.open(url)
        const ofNarrow = yield* SocketClient.open(SocketClient.urlOf(service, "eth", narrow))
        const id = yield* subscribe(client, { from: "now" })
        yield* client.until(isCovered(id, 5))
        const { cursor } = client.notified(id)[0].data
        const stream = yield* service.get(`/api/v2.2/${Rows.alice}/events?types=wallet.movement`)
        const second = yield* client.call("eth_subscribe", [kind, wallet])
        yield* client.call("eth_unsubscribe", [id])
        const errors = yield* Effect.forEach(
          [
            [kind],
            [kind, wallet, {}],
            [kind, Rows.alice],
            [kind, { address: "0x1" }],
            [kind, { ...wallet, chain: "eth" }],
            [kind, { ...wallet, from: "soon" }],
            [kind, { ...wallet, from: -1 }],
            [kind, { ...wallet, from: `${cursor}x` }],
            [kind, { address: Rows.bob, from: cursor }],
            [kind, { ...wallet, from: cursor.replace(/^e1\.[^.]*/, "e1.1-5") }],
          ],
          (params) => Effect.map(client.call("eth_subscribe", params), ({ error }) => error),
        )
        const refused = yield* ofNarrow.call("eth_subscribe", [kind, wallet])
        const after = yield* client.call("eth_subscribe", [kind, wallet])

        expect([stream.status, second.error.code, second.error.data.code]).toEqual([429, -32005, "rate_limited"])
        expect(errors.map(({ code }) => code)).toEqual([...errors.slice(1).map(() => -32602), -32000])
        expect(errors[3].message).toContain(`"params[1].address"`)
        expect(errors.at(-1).data).toMatchObject({ code: "stale_cursor", resumeFromBlock: 6 })
        expect([refused.error.code, refused.error.message]).toEqual([
          4100,
          "API key not allowed for the operation walletEvents. It allows relay.",
        ])
        expect(after.result).toMatch(/^0x[0-9a-f]{32}$/)
      }),
  )

  it.live("eth_subscribe: limits.subscriptions counts subscriptions that are being opened, but not failed ones", () =>
    Effect.gen(function* () {
      const { url } = yield* served({ config: { limits: { subscriptions: 2 } } })
      const client = yield* SocketClient.open(url)
      yield* client.call("eth_subscribe", [kind, { address: "0x1" }])
      const params = [kind, { ...wallet, from: 5 }]
      const calls = [0, 1, 2, 3, 4, 5].map((id) => ({ jsonrpc: "2.0", id, method: "eth_subscribe", params }))
      yield* client.send(JSON.stringify(calls))
      const responses: ReadonlyArray<Json> = yield* client.until(Array.isArray)

      expect(responses.map(({ error }) => error?.code ?? 0).toSorted((a, b) => a - b)).toEqual([
        -32005, -32005, -32005, -32005, 0, 0,
      ])
    }),
  )

  it.live("eth_subscribe: an error that ends a subscription to movements is its last notification", () =>
    Effect.gen(function* () {
      const { store, url } = yield* served({}, chain.blocks.slice(0, 5))
      const client = yield* SocketClient.open(url)
      const id = yield* subscribe(client, { from: 4 })
      yield* client.until(isCovered(id, 4))
      const withoutLedgers = yield* TestStore.open(store.database, store.ref, {
        projections: [WalletTransactions.projection],
      })
      yield* withoutLedgers.append({ number: 4, hash: chain.blocks[4]!.hash }, chain.blocks.slice(5))
      const { params } = yield* client.until((message) => message.params?.error !== undefined)
      const again = yield* client.call("eth_unsubscribe", [id])

      expect(params).toMatchObject({ subscription: id, error: { code: -32002, data: { code: "unavailable" } } })
      expect(client.received.at(-2).params).toEqual(params)
      expect(again.error.message).toBe("subscription not found")
    }),
  )

  it.live(
    "eth_subscribe: a client that does not read a past stalls no other, and receives all of it once it reads",
    () =>
      Effect.gen(function* () {
        const amounts = Array.from({ length: 50 }, () => ({ amount: 1n }))
        const long = chainOf(
          Object.fromEntries(Array.from({ length: 60 }, (_, number) => [number, { 0: amounts }])),
          59,
        )
        const service = yield* start({ chains: { eth: long } })
        const client = yield* SocketClient.open(SocketClient.urlOf(service))
        client.socket.pause()
        for (let id = 1; id <= 4; id++) {
          const params = [kind, { ...wallet, from: 0 }]
          yield* client.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_subscribe", params }))
        }
        const other = yield* SocketClient.open(SocketClient.urlOf(service))
        const id = yield* subscribe(other, { from: 0 })
        yield* other.until(isCovered(id, 59))
        client.socket.resume()
        yield* client.until(() => client.received.length === 4 * 3_002)

        expect(other.notified(id)).toHaveLength(3_001)
        const ids = client.received.flatMap(({ result }) => result ?? [])
        expect(ids.map((one) => client.notified(one).length)).toEqual([3_001, 3_001, 3_001, 3_001])
      }),
  )
})
