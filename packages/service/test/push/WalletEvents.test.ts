/** The table of a receiver of events equals the service's list, whatever happens to the chain and to the connection. */
import { once } from "node:events"
import { PassThrough } from "node:stream"
import { finished } from "node:stream/promises"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { BlockGap } from "../../src/block/BlockRows.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { State, Step } from "../../src/push/WalletEvents.ts"
import * as UnavailableLog from "../../src/server/http/UnavailableLog.ts"
import * as WalletEvents from "../../src/server/rest/WalletEvents.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import * as Rows from "../server/rows.ts"
import { start, type Started } from "../server/service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as ReceiverRun from "./ReceiverRun.ts"
import { Receiver } from "./Receiver.ts"

const runs = Number(process.env["DAYBOOK_RECEIVER_RUNS"] ?? 1)

const eventsUrl = (service: Started, query: string) => `${service.url}/api/v2.2/${Rows.alice}/events?${query}`

describe("walletEvents", () => {
  it.live(
    "walletEvents: a receiver's table equals the lists by row id, through reorgs, repairs, restarts and broken connections",
    () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < runs; seed++) {
          const folder = yield* temporaryFolder
          const { differences } = yield* ReceiverRun.run({ url: "sqlite:data", folder }, seed)

          expect(differences).toEqual([])
        }
      }).pipe(Effect.scoped),
    180_000,
  )

  const blocks = Array.from({ length: 6 }, (_, number) =>
    Rows.block(number, [
      { from: Rows.alice, to: Rows.bob },
      { from: Rows.bob, to: Rows.alice },
    ]),
  )
  const transactions = "types=wallet.transaction"

  it.live("walletEvents: a stream that has sent everything continues with each block that is stored later", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks: blocks.slice(0, 4) } } })
      const receiver = new Receiver(eventsUrl(service, `${transactions}&from=now`), service.key)
      const isWaiting = yield* Deferred.make<void>()
      const heard: Array<unknown> = []
      const listening = yield* Effect.forkChild(
        Effect.promise(() =>
          receiver.listen(({ data, type }) => {
            if (type === "covered" && "number" in data) heard.push(data.number)
            Deferred.doneUnsafe(isWaiting, Effect.void)
            return heard.length === 2
          }),
        ),
      )
      yield* Deferred.await(isWaiting)
      yield* service.stores["eth"]!.append({ number: 3, hash: blocks[3]!.hash }, blocks.slice(4))
      yield* Fiber.join(listening)

      expect(heard).toEqual([3n, 5n])
      expect(receiver.table.size).toBe(4)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: sends gaps of many blocks one by one up to a limit, and the others as one range", () =>
    Effect.gen(function* () {
      const check: BlockGap = { kind: "check", reason: "a bloom" }
      const gapsIn = (count: number) => Array.from({ length: count }, () => check)
      const gaps = [60, 0, 40, 1, 1, 1]
      const withGaps = (counts: ReadonlyArray<number>) =>
        blocks.map((block, number) => ({ ...block, gaps: gapsIn(counts[number]!) }))
      const chains = {
        eth: { blocks: withGaps(gaps) },
        polygon: { blocks: withGaps(gaps.slice(0, 3).concat(0, 0, 0)) },
      }
      const service = yield* start({ chains })
      const sent = (chain: string) =>
        Effect.promise(async () => {
          const receiver = new Receiver(eventsUrl(service, `${transactions}&from=0&chain=${chain}`), service.key)
          await receiver.listen(({ type }) => type === "covered")
          return receiver.events.flatMap(({ data }) =>
            "reason" in data ? [`${data.from_block} to ${data.to_block}: ${data.reason}`] : [],
          )
        })
      const each = [...Array<string>(60).fill("0 to 0: check"), ...Array<string>(40).fill("2 to 2: check")]

      expect(yield* sent("polygon")).toEqual(each)
      expect(yield* sent("eth")).toEqual([...each, "3 to 5: many"])
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: reports up to which block movements may be missing, unless none are sent", () =>
    Effect.gen(function* () {
      const projections = [WalletTransactions.projection, WalletLedger.make(1)]
      const service = yield* start({ chains: { eth: { blocks, projections } } })
      const settings = [{ name: "traces", value: "off" }] as const
      const status = { state: "synced", traces: "off", nodeHead: 5, message: "", settings } as const
      yield* service.stores["eth"]!.writeStatus(status)
      const untracedTo = (types: string) =>
        Effect.promise(async () => {
          const open = new AbortController()
          const init = { headers: { "x-api-key": service.key }, signal: open.signal }
          const { headers } = await fetch(eventsUrl(service, types), init)
          open.abort()
          return [headers.get("daybook-indexed-to"), headers.get("daybook-untraced-to")]
        })
      const movements = "types=wallet.movement"
      const stated = yield* Effect.forEach(["", movements, `${movements},wallet.transaction`, transactions], untracedTo)

      expect(stated).toEqual([...Array<unknown>(3).fill(["5", "5"]), ["5", null]])
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: a stream without events ends cleanly when the service stops", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const service = yield* start({ chains: { eth: { blocks } }, config: { limits: { drainSeconds: 3_600 } } }).pipe(
        Scope.provide(scope),
      )
      const url = eventsUrl(service, `${transactions}&from=now`)
      const response = yield* Effect.promise(() => fetch(url, { headers: { "x-api-key": service.key } }))
      const text = yield* Effect.forkChild(Effect.promise(() => response.text()))

      yield* Scope.close(scope, Exit.void)

      expect(yield* Fiber.join(text)).toMatch(/\n\n$/)
    }),
  )

  it.live("walletEvents: finality=final sends only rows of final blocks, and no void for a reorg above them", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks } } })
      const store = service.stores["eth"]!
      yield* store.finalize(2)
      const receiver = new Receiver(eventsUrl(service, `${transactions}&from=0&finality=final`), service.key)
      yield* Effect.promise(() => receiver.listen(({ type }) => type === "covered"))
      const covered = receiver.events.at(-1)!
      yield* store.unwind({ number: 5, hash: blocks[5]!.hash }, { number: 3, hash: blocks[3]!.hash })
      yield* store.finalize(3)
      yield* Effect.promise(() => receiver.listen(({ type }) => type === "covered"))

      expect(covered).toMatchObject({ data: { number: 2n, hash: blocks[2]!.hash } })
      expect(receiver.table.size).toBe(8)
      expect(receiver.events.filter(({ type }) => type === "block.voided")).toEqual([])
      expect(receiver.events.filter(({ type }) => type === "block.final")).toMatchObject([{ data: { number: 3n } }])
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: a request that cannot be served is an error before the stream begins", () =>
    Effect.gen(function* () {
      const service = yield* start({
        chains: { eth: { blocks }, polygon: { config: { watch: [Rows.alice] }, blocks: [] } },
      })
      const path = `/api/v2.2/${Rows.alice}/events`
      const other = `/api/v2.2/${Rows.stranger}/events?chain=polygon&${transactions}`
      const receiver = new Receiver(eventsUrl(service, `${transactions}&from=0`), service.key)
      yield* Effect.promise(() => receiver.listen(({ type }) => type === "covered"))
      const lost = receiver.cursor.replace(/^e1\.[^.]*/, "e1.1-5")
      const answers = yield* Effect.forEach(
        [
          `${path}?from=yesterday-ish`,
          `${path}?types=block.final`,
          `${path}?finality=soon`,
          `${path}?limit=3`,
          `${path}?from=${receiver.cursor}`,
          `${path}?${transactions}&from=${receiver.cursor}x`,
          `${path}?${transactions}&from=${lost}`,
          other,
          `${path}?types=wallet.movement`,
        ],
        service.get,
      )
      const keyless = yield* service.fetch(`${path}?from=0`)

      expect(answers.map(({ json, status }) => [status, json.code])).toEqual([
        [400, "bad_request"],
        [400, "bad_request"],
        [400, "bad_request"],
        [400, "bad_request"],
        [400, "bad_request"],
        [400, "bad_request"],
        [409, "stale_cursor"],
        [400, "address_not_watched"],
        [503, "unavailable"],
      ])
      expect(keyless.status).toBe(401)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: concurrent requests count before their streams begin, and rejected ones do not", () =>
    Effect.gen(function* () {
      const service = yield* start({
        config: { limits: { eventStreams: 2, drainSeconds: 1 } },
        chains: { eth: { blocks } },
      })
      const url = eventsUrl(service, `${transactions}&from=0`)
      const openAll = () =>
        Promise.all(
          Array.from({ length: 8 }, async () => {
            const open = new AbortController()
            const { status } = await fetch(url, { headers: { "x-api-key": service.key }, signal: open.signal })
            return { open, status }
          }),
        )
      const first = yield* Effect.promise(openAll)
      const statuses = first.map(({ status }) => status)
      for (const { open } of first) open.abort()
      const receiver = new Receiver(url, service.key)
      while ((yield* Effect.promise(() => receiver.listen(({ type }) => type === "covered"))) !== undefined);

      expect(statuses.filter((status) => status === 200)).toHaveLength(2)
      expect(statuses.filter((status) => status === 429)).toHaveLength(6)
      expect(receiver.table.size).toBe(12)
    }).pipe(Effect.scoped),
  )

  it.live("walletEvents: a key has at most limits.eventStreams open streams, and closing one frees a place", () =>
    Effect.gen(function* () {
      const service = yield* start({
        config: { limits: { eventStreams: 1, drainSeconds: 1 } },
        chains: { eth: { blocks } },
      })
      const url = eventsUrl(service, `${transactions}&from=0`)
      const second = new Receiver(url, service.key)
      const open = new AbortController()
      const response = yield* Effect.promise(() =>
        fetch(url, { headers: { "x-api-key": service.key }, signal: open.signal }),
      )
      const reader = response.body!.getReader()
      yield* Effect.promise(() => reader.read())
      const refused = yield* Effect.promise(() => second.listen(() => true))
      open.abort()
      while ((yield* Effect.promise(() => second.listen(({ type }) => type === "covered"))) !== undefined);

      expect(refused?.status).toBe(429)
      expect(second.table.size).toBe(12)
    }).pipe(Effect.scoped),
  )
})

describe("leaving", () => {
  const end = async (socket: PassThrough) => {
    socket.resume().end()
    await finished(socket)
  }
  const close = async (socket: PassThrough) => void socket.destroy()

  it.live.each([
    ["has ended its side", new PassThrough({ autoDestroy: false }), end],
    ["closed the connection", new PassThrough(), close],
  ] as const)("leaving: ends if the client %s, before or during the stream", ([, socket, leave]) =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(WalletEvents.leaving(socket), { startImmediately: true })
      const early = waiting.pollUnsafe()
      yield* Effect.promise(() => leave(socket))
      yield* Fiber.join(waiting)
      yield* WalletEvents.leaving(socket)

      expect(early).toBeUndefined()
    }),
  )

  it.live("leaving: listens to a connection no longer than its stream lasts", () =>
    Effect.gen(function* () {
      const socket = new PassThrough()
      const listeners = () => socket.listenerCount("end") + socket.listenerCount("close")
      const before = listeners()
      const waiting = yield* Effect.forkChild(WalletEvents.leaving(socket), { startImmediately: true })
      const during = listeners()
      yield* Fiber.interrupt(waiting)

      expect(during - before).toBe(2)
      expect(listeners()).toBe(before)
    }),
  )
})

describe("releaseWith", () => {
  it.live.each([
    ["before it is begun", true],
    ["later", false],
  ] as const)("releaseWith: releases a stream once if its response closes %s", ([, isEarly]) =>
    Effect.gen(function* () {
      const response = new PassThrough()
      let released = 0
      const release = Effect.sync(() => void released++)
      const close = Effect.promise(() => once(response.destroy(), "close"))
      if (isEarly) yield* close
      yield* WalletEvents.releaseWith(response, release)
      const begun = released
      if (!isEarly) yield* close

      expect([begun, released]).toEqual(isEarly ? [1, 1] : [0, 1])
    }),
  )
})

describe("bodyOf", () => {
  const position = { journal: { change: 1, mark: 1 }, from: 0, next: 1, highest: -1 }
  const state: State = { position, pending: null }
  const stepOf = (awaited: number | null): Step => ({ sent: [], state, serial: 1, finalized: null, awaited })
  const idle = { awaitChange: () => Effect.never, since: () => Effect.succeed(null) }

  /** The texts of a stream during an hour of its clock, whose steps have their number as text. */
  const textsBy = Effect.fnUntraced(function* (
    recent: typeof idle | { readonly awaitChange: () => Effect.Effect<number>; readonly since: typeof idle.since },
    take: () => Effect.Effect<Step, StoreError>,
    first = stepOf(7),
  ) {
    const texts: Array<string> = []
    let steps = 0
    const textsOf = () => Effect.sync(() => [{ type: "t", cursor: String(++steps), json: "{}" }])
    const body = WalletEvents.bodyOf({ endsAt: 3_600_000, first, recent, take, textsOf })
    const decoder = new TextDecoder()
    const reading = yield* Effect.forkChild(
      Stream.runForEach(body, (bytes) => Effect.sync(() => void texts.push(decoder.decode(bytes)))),
    )
    yield* TestClock.adjust(29_999)
    const before = [...texts]
    yield* TestClock.adjust(3_600_000)
    yield* Fiber.join(reading)
    return { before, texts }
  })
  const frame = (cursor: number) => `id: ${cursor}\nevent: t\ndata: {}\n\n`

  it.effect("bodyOf: a stream without events sends a comment every 15 seconds, and ends after an hour", () =>
    Effect.gen(function* () {
      const { before, texts } = yield* textsBy(idle, () => Effect.die("nothing changed"))

      expect(before).toEqual(["retry: 2000\n\n", frame(1), ": waiting\n\n"])
      expect(texts).toHaveLength(2 + 240)
    }),
  )

  it.effect("bodyOf: takes steps without a wait until everything is sent, and then one per change", () =>
    Effect.gen(function* () {
      const awaited: Array<number> = []
      const taken = [stepOf(null), stepOf(8), stepOf(9)]
      const recent = {
        ...idle,
        awaitChange: (known: number) => {
          awaited.push(known)
          return known === 8 ? Effect.succeed(9) : Effect.never
        },
      }
      const { before } = yield* textsBy(recent as typeof idle, () => Effect.sync(() => taken.shift()!), stepOf(null))

      expect(before.slice(0, 5)).toEqual(["retry: 2000\n\n", ...[1, 2, 3, 4].map(frame)])
      expect(awaited.slice(0, 2)).toEqual([8, 9])
    }),
  )

  it.effect.each([true, false])(
    "bodyOf: ends with a database error and logs it, as a reason of refused requests, or of failed ones; retryable: %s",
    (isRetryable) =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => logged.push(String(message)))])
        const failed = Effect.fail(new StoreError({ message: "Disk full.", isRetryable, cause: undefined }))
        const { texts } = yield* textsBy(idle, () => failed, stepOf(null)).pipe(
          Effect.provide(logger),
          Effect.provideService(UnavailableLog.LoggedAt, new Map()),
        )

        expect(texts).toEqual(["retry: 2000\n\n", frame(1)])
        expect(logged).toEqual([`Requests ${isRetryable ? "are refused" : "fail"}: Disk full.`])
      }),
  )
})
