/**
 * Network between the processes of a simulated service and its receivers, in virtual time: connections are rejected, slow, or cut in the
 * middle of the data, and responses are lost. Data of a connection arrives in order.
 */
import { EventEmitter } from "node:events"
import type { Fetch, Reader } from "@daybook/transport/Fetch"
import { Effect, Exit, Fiber, Stream } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as ServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ErrorResponse from "../../../src/server/http/ErrorResponse.ts"
import type { Count } from "../../simulation/Count.ts"
import type { VirtualTime } from "../../simulation/VirtualTime.ts"
import type { SeededRandom } from "../../store/SeededRandom.ts"
import type { ServedProcess } from "./ServedProcess.ts"

/** A process as seen from the network, and the connections to close when it ends. */
export interface Reachable {
  readonly served: ServedProcess
  /** Runs an effect in virtual time with the log of the process. */
  readonly inside: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly connections: Set<() => void>
}

/** Dependencies of the network. */
export interface Options {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly count: Count
  /** Selects a running process; `undefined` if there is none. */
  readonly pick: () => Reachable | undefined
  /** True once no faults are injected. */
  readonly isCalm: () => boolean
}

/** Maximum number of body chunks that wait for a slow client. */
const maxWaiting = 2

/** Transfers a body to its client. */
class Pipe {
  private readonly waiting: Array<Uint8Array> = []
  private state: "open" | "ended" | "cut" = "open"
  private wake: (() => void) | undefined
  private drained: (() => void) | undefined

  get isFull(): boolean {
    return this.waiting.length >= maxWaiting && this.state === "open"
  }

  onDrained(callback: () => void): void {
    this.drained = callback
  }

  push(chunk: Uint8Array): void {
    if (this.state !== "open") return
    this.waiting.push(chunk)
    this.wake?.()
  }

  /** Ends the body; waiting chunks are still read. */
  end(): void {
    if (this.state === "open") this.state = "ended"
    this.wake?.()
  }

  /** Cuts the body; waiting chunks are lost. */
  cut(): void {
    if (this.state === "open") this.state = "cut"
    this.waiting.length = 0
    this.wake?.()
    this.drained?.()
  }

  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }> {
    return new Promise((resolve, reject) => {
      const attempt = () => {
        const value = this.waiting.shift()
        if (value === undefined && this.state === "open") return
        this.wake = undefined
        this.drained?.()
        if (value !== undefined) resolve({ done: false, value })
        else if (this.state === "ended") resolve({ done: true })
        else reject(new TypeError("terminated"))
      }
      this.wake = attempt
      attempt()
    })
  }
}

/** Sends a response body through a pipe, as fast as its client reads; cuts it after some bytes. */
const send = ({ body }: HttpServerResponse, pipe: Pipe, bytes: number): Effect.Effect<void> => {
  if (body._tag === "Uint8Array") return Effect.sync(() => (pipe.push(body.body), pipe.end()))
  if (body._tag !== "Stream") return Effect.die(new Error(`Unexpected body: ${body._tag}.`))
  let left = bytes
  const isWritable = Effect.callback<void>((resume) => {
    if (!pipe.isFull) return resume(Effect.void)
    pipe.onDrained(() => resume(Effect.void))
  })
  const chunks = Stream.runForEach(body.stream, (chunk) =>
    Effect.andThen(
      isWritable,
      Effect.sync(() => {
        pipe.push(chunk.slice(0, left))
        left -= chunk.length
        if (left <= 0) pipe.cut()
      }),
    ),
  )
  return Effect.matchCause(chunks, { onFailure: () => pipe.cut(), onSuccess: () => pipe.end() })
}

/** A `fetch` whose requests are handled by any running process. */
export const fetcher = (options: Options): Fetch => {
  const { count, isCalm, pick, random, time } = options

  const answer = (
    to: Reachable,
    url: URL,
    headers: Readonly<Record<string, string>>,
    sides: ReadonlyArray<EventEmitter>,
  ) => {
    const [socket, response] = sides
    const source = { method: "GET", url: url.href, headers: new Headers(headers), socket }
    // Sound: the handlers use only these members of a Node request.
    const request = ServerRequest.fromWeb(source as unknown as Request)
    Object.assign(request, { response })
    for (const { answer: handle, path } of to.served.handlers) {
      const address = path.exec(url.pathname)?.[1]
      if (address === undefined) continue
      const handled = handle(address, Object.fromEntries(url.searchParams))
      return Effect.provideService(ErrorResponse.answer(handled), HttpServerRequest, request)
    }
    return Effect.die(new Error(`No operation of ${url.pathname}`))
  }

  const connect = (
    to: Reachable,
    ...[url, { headers, signal }, resolve, reject]: [
      ...Parameters<Fetch>,
      (response: Response) => void,
      (e: Error) => void,
    ]
  ): void => {
    const [socket, response] = [new EventEmitter(), Object.assign(new EventEmitter(), { closed: false })]
    const pipe = new Pipe()
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      to.connections.delete(end)
      pipe.cut()
      reject(new TypeError("fetch failed"))
      socket.emit("close")
      response.closed = true
      response.emit("close")
      Effect.runFork(time.inside(Fiber.interrupt(fiber)))
    }
    const isLost = !isCalm() && random.is(0.1)
    const bytes = isCalm() || random.is(0.3) ? Infinity : 500 + random.below(60_000)
    const work = Effect.gen(function* () {
      const answered = yield* answer(to, new URL(url), headers, [socket, response])
      if (isLost) {
        count("a response is lost")
        return end()
      }
      const reader: Reader = { read: () => pipe.read(), cancel: async () => end() }
      const received = {
        status: answered.status,
        headers: new Headers(answered.headers),
        body: { getReader: () => reader },
      }
      // Sound: the client uses only these members of a response.
      resolve(received as unknown as Response)
      yield* send(answered, pipe, bytes)
    })
    const fiber = Effect.runFork(to.inside(work))
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit)) end()
    })
    to.connections.add(end)
    signal.addEventListener("abort", end)
  }

  return (url, init) =>
    new Promise((resolve, reject) => {
      time.after(random.below(20), () => {
        const to = pick()
        if (to === undefined) return reject(new TypeError("fetch failed"))
        connect(to, url, init, resolve, reject)
      })
      init.signal.addEventListener("abort", () => reject(init.signal.reason as Error))
    })
}
