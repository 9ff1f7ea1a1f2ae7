import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EventPosition from "../../src/push/EventPosition.ts"
import * as Webhook from "../../src/push/Webhook.ts"
import type { IndexedChain } from "../../src/query/IndexedChain.ts"
import type { WebhookWallet } from "../../src/store/WebhookWallets.ts"

const key = "k".repeat(40)

const settings: Webhook.Settings = {
  url: "https://hook.example/",
  chain: "eth",
  types: ["wallet.transaction"],
  finality: "head",
  from: "now",
}

/** A webhook with a message of a wallet, or a test, that failed once. */
const waiting = Effect.fnUntraced(function* (wallet: string | null) {
  const [made] = yield* Webhook.make(key, settings)
  const attempts = { failures: 1, firstFailureAt: 5, nextAt: 9, paused: null }
  return { ...made, attempts, pending: { id: "msg", body: "{}", events: 1, wallet, position: "" } }
})

/** A position for which rows were sent up to a block. */
const sentTo = (highest: number): EventPosition.EventPosition => ({
  journal: { change: 7, mark: 1 },
  from: 2,
  next: 5,
  highest,
})

/** Sent to the wallet 0xa up to a block, while a message of a wallet up to block 20 waits. */
const replayOf = Effect.fnUntraced(function* (pendingOf: string, sent: { wallet: number; cursor: number }) {
  const failing = yield* waiting(pendingOf)
  const pending = { ...failing.pending, position: EventPosition.format(sentTo(20), "") }
  const wallet = { wallet: "0xa", highest: sent.wallet }
  const [next, { move = [] }] = Webhook.replayedAfter(
    { ...failing, pending, forgotten: true },
    wallet,
    sentTo(sent.cursor),
  )
  return { next, move }
})

describe("Webhook", () => {
  it("newId: is unique, with 144 random bits after the prefix of its kind", () => {
    const ids = Array.from({ length: 2 }, Webhook.newId)

    for (const id of ids) expect(id).toMatch(/^msg_[\w-]{24}$/)
    expect(ids[0]).not.toBe(ids[1])
  })

  it.effect("replayedAfter: continues at the position immediately, and drops only a message of the wallet", () =>
    Effect.gen(function* () {
      const own = yield* replayOf("0xa", { wallet: 9, cursor: 8 })
      const other = yield* replayOf("0xb", { wallet: 9, cursor: 8 })
      const moved: WebhookWallet = { wallet: "0xa", journal: "7-1", next: 5, start: 2, highest: 20 }

      expect(own.move).toEqual([moved])
      expect(own.next).toMatchObject({ pending: null, forgotten: false, attempts: { failures: 0, paused: null } })
      expect(other.move).toEqual([{ ...moved, highest: 9 }])
      expect(other.next).toMatchObject({ pending: { wallet: "0xb" }, forgotten: false, attempts: { failures: 0 } })
    }),
  )

  it.effect(
    "replayedAfter: voids from the highest block that was sent, according to the message, the wallet or the cursor",
    () =>
      Effect.gen(function* () {
        const highest = Effect.fnUntraced(function* (wallet: number, cursor: number) {
          const { move } = yield* replayOf("0xa", { wallet, cursor })
          return move[0]?.highest
        })

        expect([yield* highest(9, 8), yield* highest(30, 8), yield* highest(9, 40)]).toEqual([20, 30, 40])
        const [made] = yield* Webhook.make(key, settings)
        const [, { move }] = Webhook.replayedAfter(made, { wallet: "0xa", highest: -1 }, sentTo(-1))
        expect(move).toMatchObject([{ wallet: "0xa", highest: -1 }])
      }),
  )

  it.effect(
    "replayed: drops a message of the wallets, whose rows are voided up to its last one, and no other message",
    () =>
      Effect.gen(function* () {
        const place = { journal: "4-1", next: 6 }
        const replayOf = Effect.fnUntraced(function* (wallet: string | null, within = {}, position = sentTo(20)) {
          const failing = yield* waiting(wallet)
          const pending = { ...failing.pending, position: EventPosition.format(position, "") }
          return Webhook.replayed({ ...failing, pending, place }, 3, within)
        })
        const whole = { within: {}, part: place, rewind: 3 }
        const [dropped, wallets] = yield* replayOf("0xb")

        expect([dropped.pending, dropped.from, wallets]).toEqual([null, 3, { ...whole, raise: ["0xb", 20] }])
        for (const [wallet, within] of [
          ["0xb", { after: "0xb" }],
          ["0xb", { to: "0xa" }],
          [null, {}],
        ] as const) {
          const [kept, changes] = yield* replayOf(wallet, within)
          expect([kept.pending?.wallet, changes]).toEqual([wallet, { ...whole, within, raise: undefined }])
        }
        const failing = yield* waiting("0xb")
        const [without] = Webhook.replayed({ ...failing, pending: null }, 3)
        const [, unread] = Webhook.replayed(failing, 3)
        expect([without.pending, unread.raise]).toEqual([null, undefined])
      }),
  )

  it.effect("replayed: only the last part resumes the webhook, and forgotten changes reset the wallets", () =>
    Effect.gen(function* () {
      const paused = Webhook.paused({ ...(yield* waiting("0xb")), forgotten: true }, "The changes are forgotten.")
      const [part, wallets] = Webhook.replayed(paused, 3, { to: "0xc" })
      const [last] = Webhook.replayed(paused, 3, { after: "0xc" })

      expect([part.attempts, part.forgotten, part.pending]).toEqual([paused.attempts, true, null])
      expect(wallets).toEqual({ within: { to: "0xc" }, isReset: true })
      expect([last.attempts.paused, last.attempts.failures, last.forgotten]).toEqual([null, 0, false])
    }),
  )

  it.effect(
    "encode, decode: a webhook is stored with its holder and state, and a text of another version is rejected",
    () =>
      Effect.gen(function* () {
        const failing = { ...(yield* waiting("0xa")), holder: "usual" }
        const encoded = Webhook.encode(failing)
        const states = [
          failing,
          Webhook.resumed(failing),
          Webhook.paused(failing, "A reason."),
          Webhook.paused(Webhook.resumed(failing), "A reason."),
        ]

        expect([encoded.holder, encoded.state, yield* Webhook.decode(encoded.content)]).toEqual([
          "usual",
          "failing",
          failing,
        ])
        expect(states.map(Webhook.stateOf)).toEqual(["failing", "active", "paused", "paused"])
        expect(yield* Effect.flip(Webhook.decode("{}"))).toMatchObject({
          message: "Webhook not readable: another version wrote it. Remove it and add it again.",
          isRetryable: false,
        })
      }),
  )

  it("subscriptionOf: has only rows of final blocks if the webhook waits for them", () => {
    // Sound: nothing is read of the chain.
    const chain = { name: "eth" } as IndexedChain
    const of = (finality: "final" | "head") =>
      Webhook.subscriptionOf({ finality, types: ["wallet.transaction"] }, chain, "0xa", 9)
    const expected = { chain, wallet: "0xa", types: new Set(["wallet.transaction"]), selection: {}, maxBytes: 9 }

    expect([of("head"), of("final")]).toEqual([
      { ...expected, isFinal: false },
      { ...expected, isFinal: true },
    ])
  })

  it.effect("rotate: signs with the receiver's current secret until it expires, however many responses were lost", () =>
    Effect.gen(function* () {
      const [made, { secret }] = yield* Webhook.make(key, settings)
      const rotated = Array.from({ length: 5 }).reduce<Webhook.Webhook>(
        (webhook) => Webhook.rotate(key, webhook, { nowMillis: 0, until: 1_000 })[0],
        made,
      )
      const [current, ...earlier] = yield* Webhook.signingKeys(key, rotated, 999)
      const later = yield* Webhook.signingKeys(key, rotated, 1_000)

      expect(earlier).toContain(secret)
      expect(earlier).toHaveLength(4)
      expect([later[0], later.length]).toEqual([current, 2])
    }),
  )

  it.effect("without: drops the message and failures of a removed wallet, and stays paused", () =>
    Effect.gen(function* () {
      const failing = yield* waiting("0xa")
      const paused = Webhook.paused(failing, "The receiver rejects further messages: status 410.")
      const removed = new Set(["0xa"])

      expect(Webhook.without(failing, removed)).toEqual(Webhook.resumed({ ...failing, pending: null }))
      expect(Webhook.without(paused, removed)).toEqual({ ...paused, pending: null })
    }),
  )

  it.effect("without: keeps the message of another wallet, a test, and a webhook without a message", () =>
    Effect.gen(function* () {
      const kept = [yield* waiting("0xb"), yield* waiting(null), { ...(yield* waiting(null)), pending: null }]

      for (const webhook of kept) expect(Webhook.without(webhook, new Set(["0xa"]))).toBe(webhook)
    }),
  )

  it.effect("decrypt: fails for a secret encrypted with another key, and names the setting", () =>
    Effect.gen(function* () {
      const secret = Webhook.encrypt(key, "whsec_secret")
      const refused = yield* Effect.flip(Webhook.decrypt("o".repeat(40), secret))

      expect(yield* Webhook.decrypt(key, secret)).toBe("whsec_secret")
      expect(refused.message).toContain('"webhooks.key" has changed since the webhook was created')
      expect(refused.isRetryable).toBe(false)
    }),
  )

  it("logged: keeps the last 50 attempts, oldest first", () => {
    const attempt = (at: number): Webhook.Attempt => ({
      message: "msg",
      at,
      attempt: 1,
      events: 1,
      result: "delivered",
      status: 204,
      reason: null,
      millis: 1,
    })
    const log = Array.from({ length: 51 }, (_, at) => attempt(at)).reduce<ReadonlyArray<Webhook.Attempt>>(
      Webhook.logged,
      [],
    )

    expect(log.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
    expect(Webhook.resultText(attempt(1))).toBe("status 204")
    expect(Webhook.resultText({ ...attempt(1), status: null, reason: "socket hang up" })).toBe("socket hang up")
  })
})
