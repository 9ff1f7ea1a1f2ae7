/** Contract tests of the wallets of webhooks, which both engines store in the same way. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { StoreError } from "../../src/store/StoreError.ts"
import type { EncodedWebhook, Webhooks } from "../../src/store/Webhooks.ts"
import { notBegun, type WebhookWallet } from "../../src/store/WebhookWallets.ts"

const webhook: EncodedWebhook = { holder: "usual", state: "active", content: "{}" }

const shared = (wallet: string, highest = -1): WebhookWallet => ({ wallet, journal: null, next: 0, start: 5, highest })
const own = (wallet: string, next: number): WebhookWallet => ({ wallet, journal: "7-a", next, start: 5, highest: 9 })

/** Runs the suite against an engine. */
export const webhookContract = (opened: Effect.Effect<Webhooks, StoreError, Scope.Scope>): void => {
  /** Changes the wallets of the webhook `books`; returns all of them. */
  const changed = Effect.fnUntraced(function* (
    webhooks: Webhooks,
    wallets: NonNullable<Parameters<Webhooks["change"]>[3]>,
  ) {
    const { revision } = (yield* webhooks.find("books"))!
    const isChanged = yield* webhooks.change("books", revision, webhook, wallets)
    return [isChanged, yield* webhooks.walletsOf("books", {})] as const
  })

  /** A webhook with some wallets, next to one with other wallets. */
  const withWallets = Effect.fnUntraced(function* (wallets: ReadonlyArray<WebhookWallet>) {
    const webhooks = yield* opened
    yield* webhooks.add("books", webhook, wallets)
    yield* webhooks.add("other", webhook, [shared("0xa", 20), notBegun("0xz")])
    return webhooks
  })

  describe("wallets of webhooks", () => {
    it.live("walletsOf: filters by address, position and highest block, in the order of the addresses", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xc", 30), own("0xb", 6), shared("0xa"), notBegun("0xd")])
        const read = (selection: Parameters<Webhooks["walletsOf"]>[1]) =>
          Effect.map(webhooks.walletsOf("books", selection), (rows) => rows.map(({ wallet }) => wallet).join(" "))

        expect(yield* webhooks.walletsOf("books", { position: "own" })).toEqual([own("0xb", 6), notBegun("0xd")])
        expect(yield* webhooks.walletsOf("books", { among: ["0xc", "0xz"] })).toEqual([shared("0xc", 30)])
        expect(yield* read({})).toBe("0xa 0xb 0xc 0xd")
        expect(yield* webhooks.walletsOf("books", { position: "none", limit: 9 })).toEqual([notBegun("0xd")])
        expect(yield* read({ position: "shared" })).toBe("0xa 0xc")
        expect(yield* read({ position: "shared", highestFrom: 0 })).toBe("0xc")
        expect(yield* read({ position: "shared", highestFrom: 31 })).toBe("")
        expect(yield* read({ after: "0xa", limit: 2 })).toBe("0xb 0xc")
        expect(yield* read({ among: [] })).toBe("")
      }).pipe(Effect.scoped),
    )

    it.live("having: names the webhooks that have one of the wallets, whatever their positions", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([own("0xb", 6), shared("0xa")])
        const found = yield* Effect.forEach([["0xa"], ["0xb", "0xq"], ["0xz"], []], webhooks.having)

        expect(found.map((names) => [...names].toSorted())).toEqual([["books", "other"], ["books"], ["other"], []])
      }).pipe(Effect.scoped),
    )

    it.live("firstWallets: returns the first addresses of each webhook, and none for an unknown one", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xb"), shared("0xa"), shared("0xc")])
        const found = yield* webhooks.firstWallets(["books", "nothing", "other"], 2)

        expect([...found]).toEqual([
          ["books", ["0xa", "0xb"]],
          ["nothing", []],
          ["other", ["0xa", "0xz"]],
        ])
      }).pipe(Effect.scoped),
    )

    it.live("change: adds and removes wallets, keeps existing ones, and counts them", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xa", 3), shared("0xb")])
        const [, wallets] = yield* changed(webhooks, { remove: ["0xb", "0xq"], add: [own("0xa", 1), own("0xc", 2)] })

        expect(wallets).toEqual([shared("0xa", 3), own("0xc", 2)])
        expect((yield* webhooks.list).map((one) => [one.name, one.wallets])).toEqual([
          ["books", 2],
          ["other", 2],
        ])
      }).pipe(Effect.scoped),
    )

    it.live(
      "change: separates those at the shared position, and resends all from a block except those not yet started",
      () =>
        Effect.gen(function* () {
          const webhooks = yield* withWallets([shared("0xa", 3), own("0xb", 12), notBegun("0xc")])
          const [, parted] = yield* changed(webhooks, { part: { journal: "8-b", next: 40 }, rewind: 4 })

          expect(parted).toEqual([
            { wallet: "0xa", journal: "8-b", next: 4, start: 4, highest: 3 },
            { wallet: "0xb", journal: "7-a", next: 4, start: 4, highest: 9 },
            notBegun("0xc"),
          ])
        }).pipe(Effect.scoped),
    )

    it.live("change: separates, rewinds and resets only the wallets of a range of addresses", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xa"), shared("0xb", 3), own("0xc", 12), shared("0xd")])
        const within = { after: "0xa", to: "0xc" }
        const [, parted] = yield* changed(webhooks, { within, part: { journal: "8-b", next: 40 }, rewind: 4 })
        const [, reset] = yield* changed(webhooks, { within: { after: "0xb" }, isReset: true })

        expect(parted).toEqual([
          shared("0xa"),
          { wallet: "0xb", journal: "8-b", next: 4, start: 4, highest: 3 },
          { wallet: "0xc", journal: "7-a", next: 4, start: 4, highest: 9 },
          shared("0xd"),
        ])
        expect(reset).toEqual([...parted.slice(0, 2), notBegun("0xc"), notBegun("0xd")])
      }).pipe(Effect.scoped),
    )

    it.live("change: raises, moves and resets only wallets of this webhook", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xa", 3), own("0xb", 12)])
        const [, raised] = yield* changed(webhooks, { raise: ["0xa", 8], move: [shared("0xb", 13), own("0xq", 1)] })
        const [, lowered] = yield* changed(webhooks, { raise: ["0xa", 7] })
        const [, reset] = yield* changed(webhooks, { isReset: true })

        expect(raised).toEqual([shared("0xa", 8), shared("0xb", 13)])
        expect(lowered).toEqual(raised)
        expect(reset).toEqual([notBegun("0xa"), notBegun("0xb")])
        expect(yield* webhooks.walletsOf("other", {})).toEqual([shared("0xa", 20), notBegun("0xz")])
      }).pipe(Effect.scoped),
    )

    it.live("change: another revision changes no wallet", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xa", 3)])
        const { revision } = (yield* webhooks.find("books"))!
        const isChanged = yield* webhooks.change("books", revision + 1, webhook, { remove: ["0xa"] })

        expect(isChanged).toBe(false)
        expect(yield* webhooks.walletsOf("books", {})).toEqual([shared("0xa", 3)])
      }).pipe(Effect.scoped),
    )

    it.live("add, remove: a taken name keeps its wallets, and a removed webhook has none", () =>
      Effect.gen(function* () {
        const webhooks = yield* withWallets([shared("0xa", 3)])
        const isAdded = yield* webhooks.add("books", webhook, [shared("0xb")])
        const before = yield* webhooks.walletsOf("books", {})
        const isRemoved = yield* webhooks.remove("books")

        expect([isAdded, isRemoved, yield* webhooks.remove("books")]).toEqual([false, true, false])
        expect(before).toEqual([shared("0xa", 3)])
        expect(yield* webhooks.walletsOf("books", {})).toEqual([])
        expect([...(yield* webhooks.having(["0xa"]))]).toEqual(["other"])
      }).pipe(Effect.scoped),
    )
  })
}
