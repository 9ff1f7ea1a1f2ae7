/**
 * A program that stores a table of a wallet's rows, from a stream of the REST client or a subscription of the JSON-RPC client. It is
 * restarted from its last stored position, and is sometimes slow. A row that it receives twice, or with different contents, is recorded
 * as a fault.
 */
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as WebSocketClient from "@daybook/rpc/WebSocketClient"
import * as RestClient from "@daybook/rest/RestClient"
import type { Fetch } from "@daybook/transport/Fetch"
import type * as ClientError from "@daybook/transport/ClientError"
import type * as RestError from "@daybook/rest/RestError"
import { Effect, Fiber, type Scope, Stream } from "effect"
import type { Count } from "../../simulation/Count.ts"
import type { VirtualTime } from "../../simulation/VirtualTime.ts"
import type { SeededRandom } from "../../store/SeededRandom.ts"
import { Receiver, type TableRow } from "../Receiver.ts"

export interface Options {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly count: Count
  readonly fetch: Fetch
  readonly webSocket: WebSocketClient.WebSocketConstructor
  readonly wallet: string
  readonly kind: "server-sent events" | "WebSocket"
  readonly from: number
  readonly finality: "head" | "final"
}

type Failure = RestError.RestError | WebSocketClient.SubscriptionError

/** Maximum time between two runs of a stream. */
const maxWaitMillis = 300_000

/** State stored in one transaction. */
interface Stored {
  readonly table: ReadonlyMap<string, TableRow>
  readonly cursor: string
  readonly from: number
}

const url = "http://service.test"
const clientOptions = { apiKey: "k".repeat(43), retry: { maxAttempts: 4 } }

/** Block from which to restart, according to an error of either client. */
const resumeBlockOf = (error: unknown): number | undefined => {
  const { data, resumeFromBlock } = error as { readonly data?: unknown; readonly resumeFromBlock?: bigint }
  const resumeBlock = resumeFromBlock ?? (data as { readonly resumeFromBlock?: number } | undefined)?.resumeFromBlock
  return resumeBlock === undefined ? undefined : Number(resumeBlock)
}

const contentOf = ({ data }: TableRow["event"]): string =>
  JSON.stringify("transaction" in data ? data.transaction : data.movement, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  )

/** A receiver of an event stream. */
export class StreamReceiver extends Receiver {
  readonly faults: Array<string> = []
  readonly options: Options
  /** Number of failed streams since the last event. */
  private failures = 0
  private from: number
  private stored: Stored
  /** Valid rows with their revisions that the current run received. */
  private readonly given = new Set<string>()
  /** Contents by row and revision. */
  private readonly contents = new Map<string, string>()
  private fiber: Fiber.Fiber<void> | undefined

  constructor(options: Options) {
    super("", "")
    this.options = options
    this.from = options.from
    this.stored = { table: new Map(), cursor: "", from: options.from }
  }

  /** Stores the table and the position. */
  private keep(): void {
    this.stored = { table: new Map(this.table), cursor: this.cursor, from: this.from }
  }

  private note(event: WalletEvent): void {
    if (event.type === "block.voided") this.given.clear()
    if (event.type !== "wallet.transaction" && event.type !== "wallet.movement") return
    const once = `${event.data.row} ${event.data.revision}`
    if (this.given.has(once)) this.faults.push(`row and revision received twice: ${once}`)
    this.given.add(once)
    const content = contentOf(event)
    const before = this.contents.get(once) ?? content
    if (before !== content) this.faults.push(`row and revision with different contents: ${once}`)
    this.contents.set(once, content)
  }

  private readonly process = (event: WalletEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { random } = this.options
      this.failures = 0
      this.note(event)
      this.take(event, event.data.cursor)
      if (random.is(0.2)) this.keep()
      return random.is(0.01) ? Effect.sleep(random.below(3_000)) : Effect.void
    })

  private readonly connected: Effect.Effect<
    Stream.Stream<WalletEvent, Failure>,
    ClientError.InvalidOption,
    Scope.Scope
  > = Effect.gen({ self: this }, function* () {
    const { fetch, finality, kind, wallet: address, webSocket } = this.options
    const from = this.cursor === "" ? this.from : this.cursor
    if (kind === "WebSocket") {
      const client = yield* WebSocketClient.make({ url, webSocket, retry: clientOptions.retry })
      return client.movements({ address, from, finality })
    }
    const client = yield* RestClient.make({ baseUrl: url, fetch, ...clientOptions })
    return client.walletEvents({ address, from, finality })
  })

  /** Applies events; after an error it restarts from an earlier block if the service requires it. */
  private readonly run: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    for (;;) {
      const ended = yield* Effect.result(
        Effect.scoped(Effect.flatMap(this.connected, (stream) => Stream.runForEach(stream, this.process))),
      )
      if (ended._tag === "Failure") {
        const next = resumeBlockOf(ended.failure)
        this.options.count(next === undefined ? `a stream fails: ${ended.failure._tag}` : "a position is forgotten")
        if (next !== undefined) this.begin(next)
      }
      this.given.clear()
      this.failures++
      yield* Effect.sleep(Math.min(maxWaitMillis, 500 * 2 ** Math.min(this.failures, 10)))
    }
  })

  /** Deletes the rows from a block on, and restarts there. */
  private begin(block: number): void {
    for (const [
      row,
      {
        event: { data },
      },
    ] of this.table) {
      const { block_number: number } = "transaction" in data ? data.transaction : data.movement
      if (Number(number) >= block) this.table.delete(row)
    }
    this.from = block
    this.cursor = ""
  }

  start(): void {
    this.fiber = Effect.runFork(this.options.time.inside(this.run))
  }

  /** Stops the program; returns the fiber that has not ended yet. */
  stop(): Fiber.Fiber<unknown> | undefined {
    const { fiber } = this
    this.fiber = undefined
    if (fiber !== undefined) Effect.runFork(this.options.time.inside(Fiber.interrupt(fiber)))
    return fiber
  }

  /** Stops the program, which loses unsaved state, and restarts it. */
  restart(): void {
    const again = () => {
      this.failures = 0
      const { cursor, from, table } = this.stored
      this.table.clear()
      for (const entry of table) this.table.set(...entry)
      this.cursor = cursor
      this.from = from
      this.given.clear()
      this.start()
    }
    this.stop()?.addObserver(again)
  }
}
