/**
 * The events of a fake, received by the client: its table equals the list, whatever happens to the chain and the
 * connections.
 */
import { createRestClient, type Movement, rowId, type WalletEvent, type WalletTransaction } from "@daybook/rest/promise"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "@effect/vitest"
import * as FakeService from "../src/FakeService.ts"
import * as Random from "../src/internal/Random.ts"

type Row = WalletTransaction | Movement

/** The table of a receiver. */
class Table {
  readonly rows = new Map<string, { readonly revision: number; readonly row: Row }>()
  readonly effective: Array<string> = []
  cursor: string | undefined

  apply(event: WalletEvent): void {
    this.cursor = event.data.cursor
    if (event.type === "block.voided") {
      for (const [id, { row }] of this.rows) {
        if (row.block_hash !== event.data.hash) continue
        this.rows.delete(id)
        this.effective.push(`void ${id}`)
      }
    }
    if (event.type !== "wallet.transaction" && event.type !== "wallet.movement") return
    const { data } = event
    expect(data.row).toBe(rowId("transaction" in data ? data.transaction : data.movement))
    this.effective.push(`${data.revision} ${data.row}`)
    this.rows.set(data.row, { revision: data.revision, row: "transaction" in data ? data.transaction : data.movement })
  }
}

const listOf = async (fake: FakeService.FakeService): Promise<ReadonlyArray<string>> => {
  // Faults that no stream of events met are left.
  const rest = createRestClient({ ...fake.rest, retry: { base: 1, cap: 2, maxAttempts: 20 } })
  const ids: Array<string> = []
  const query = { address: fake.wallet, order: "ASC" } as const
  for await (const row of rest.walletTransactionsStream(query)) ids.push(rowId(row))
  for await (const row of rest.movementsStream(query)) ids.push(rowId(row))
  return ids.toSorted()
}

const below = (limit: number, from = 0) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: from, maximum: limit })))

describe("walletEvents", () => {
  it.live.prop(
    "law: the table of a receiver equals the list, through reorgs and connections cut after any number of bytes, and no row takes effect twice",
    { seed: below(1_000_000), blocks: below(12, 1), cut: below(60_000, 20_000) },
    ({ blocks, cut, seed }) =>
      Effect.promise(async () => {
        const random = Random.make(seed)
        const fake = FakeService.make({ seed, blocks })
        fake.fail(...Array.from({ length: 6 }, () => ({ cutAfterBytes: cut + random.integer(20_000) })))
        const rest = createRestClient({ ...fake.rest, retry: { base: 1, cap: 2 } })
        const table = new Table()
        let left = 8
        let head = ""
        for await (const event of rest.walletEvents({ address: fake.wallet, from: 0 })) {
          table.apply(event)
          if (event.type !== "covered") continue
          head = fake.blocks().at(-1)!.hash
          if (left-- === 0) break
          if (random.integer(3) === 0) fake.reorg(1 + random.integer(blocks))
          fake.mine(1 + random.integer(3))
        }
        while (head !== fake.blocks().at(-1)!.hash) {
          for await (const event of rest.walletEvents({ address: fake.wallet, from: table.cursor })) {
            table.apply(event)
            if (event.type === "covered" && event.data.hash === (head = fake.blocks().at(-1)!.hash)) break
          }
        }

        expect([...table.rows.keys()].toSorted()).toEqual(await listOf(fake))
        expect(new Set(table.effective.filter((one) => !one.startsWith("void"))).size).toBe(
          table.effective.filter((one) => !one.startsWith("void")).length,
        )
      }),
    { arbitrary: { runs: Math.ceil(80 * Number(process.env["DAYBOOK_LAWS"] ?? 0.15)) }, timeout: 120_000 },
  )

  it.live("follow: returns newer rows once an event reports them, and the client does not poll", () =>
    Effect.promise(async () => {
      const fake = FakeService.make({ blocks: 30 })
      const head = BigInt(fake.blocks().at(-1)!.number)
      const fetch: FakeService.FakeFetch = async (...request) => {
        const response = await fake.fetch(...request)
        if (fake.received.at(-1)!.url.includes("/events")) fake.mine(10)
        return response
      }
      const rest = createRestClient({ ...fake.rest, fetch })
      const seen: Array<string> = []
      for await (const row of rest.walletTransactionsStream({ address: fake.wallet }, { follow: "1 hour" })) {
        seen.push(rowId(row))
        if (row.block_number > head) break
      }

      expect(seen.length).toBeGreaterThan(1)
      expect(fake.received.filter(({ url }) => url.includes("/events")).length).toBe(1)
      expect(fake.received.length).toBeLessThanOrEqual(4)
    }),
  )

  it.live("walletEvents: rejects an address that is not on the chain, as pages do", () =>
    Effect.promise(async () => {
      const fake = FakeService.make({ blocks: 3 })
      const rest = createRestClient(fake.rest)
      const events = rest.walletEvents({ address: `0x${"77".repeat(20)}` })[Symbol.asyncIterator]()
      const error: unknown = await events.next().catch((reason: unknown) => reason)

      expect(error).toMatchObject({ _tag: "BadRequest", code: "address_not_watched" })
    }),
  )
})
