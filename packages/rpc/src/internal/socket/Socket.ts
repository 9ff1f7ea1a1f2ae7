/**
 * The WebSocket of a client: sends requests as `fetch` does and queues the notifications of its subscriptions. It connects when something
 * is sent and no connection is open. When a connection ends, pending requests fail, and the next request reconnects.
 */
import { BodyTooLarge, type Fetch } from "@daybook/transport/Fetch"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Listening from "./Listening.ts"

/**
 * The part of a WebSocket that is used. Both the platform's and that of the package `ws` conform to it.
 */
export interface WebSocketLike {
  send(text: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: "open", listener: () => void): void
  addEventListener(type: "error", listener: (event: unknown) => void): void
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void
}

/**
 * Makes a WebSocket, which starts to connect.
 */
export type WebSocketConstructor = new (url: string) => WebSocketLike

/** What a socket is made from. */
export interface Options extends Listening.Bounds {
  readonly make: WebSocketConstructor
  /** Maximum number of characters of a message. */
  readonly maxCharacters: number
}

/** The WebSocket of a client. */
export interface Socket {
  readonly fetch: Fetch
  /** Notifications of a subscription whose id was received. Call it once; undefined for an unknown id. */
  readonly listen: (id: string) => Listening.Listening | undefined
  /** Completes at the next `close`. */
  readonly untilClose: () => Effect.Effect<void>
  /** Ends the connection and the running streams. It is reopened when something is sent. */
  readonly close: () => void
}

/** A request that waits for its reply. */
interface Pending {
  /** Ids of its calls. */
  readonly ids: ReadonlyArray<number>
  readonly isSubscribe: boolean
  readonly resolve: (reply: string | BodyTooLarge) => void
  readonly reject: (error: Error) => void
}

/** An open connection, or one that is being opened. */
interface Connection {
  readonly webSocket: WebSocketLike
  /** Pending requests by each of their ids. */
  readonly pending: Map<number, Pending>
  /** A gateway may assign one id to several subscriptions. */
  readonly subscriptions: Map<string, Set<Listening.Queue>>
  /** Subscription requests whose callers were interrupted: subscriptions named in their replies are ended. */
  readonly abandoned: Set<number>
  /** Texts to send once the connection is open; null when it is. */
  waiting: Set<string> | null
  /** Whether anything was received since the last check. */
  isActive: boolean
  /** Whether a call was sent to check that the connection is alive. */
  isProbed: boolean
  timer: ReturnType<typeof setInterval> | undefined
}

/** A subscription and its connection. */
interface Subscription {
  readonly id: string
  readonly connection: Connection
  readonly queue: Listening.Queue
}

/** Maximum number of subscriptions that wait to be read; more means that their callers were interrupted. */
const maxUnread = 100

/** Time within which a connection must open, and interval between checks of a connection that receives nothing. */
const lookMillis = 15_000

const aliveCall = `{"jsonrpc":"2.0","id":"alive","method":"eth_chainId","params":[]}`

const unsubscribeCall = (id: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: "ended", method: "eth_unsubscribe", params: [id] })

const encoder = new TextEncoder()

/** First id of a request or a reply, in the member order that this client and most servers use. */
const usualId = /^\[?\{"jsonrpc":"2\.0","id":(\d+),/

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: unknown
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown; readonly error?: unknown } | null
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Message => typeof value === "object" && value !== null

/** The request that a reply without an id belongs to: the batch, or the only request. Servers echo the id of a single call. */
const unnamedOf = ({ pending }: Connection): number | undefined => {
  const all = [...pending.values()]
  const [found] = all.find(({ ids }) => ids.length > 1)?.ids ?? (all.length === 1 ? all[0]!.ids : [])
  return found
}

/** The id of the request that a reply answers. */
const idOfReply = (connection: Connection, message: unknown): number | undefined => {
  if (!isObject(message) || Array.isArray(message)) return undefined
  const { id } = message
  if (id == null) return unnamedOf(connection)
  return typeof id === "number" && (connection.pending.has(id) || connection.abandoned.has(id)) ? id : undefined
}

/** An id of the request that a message answers. Replies of a batch come in any order; an array within one is not a reply. */
const idOf = (connection: Connection, message: unknown): number | undefined => {
  if (!Array.isArray(message)) return idOfReply(connection, message)
  for (const one of message) {
    const id = idOfReply(connection, one)
    if (id !== undefined) return id
  }
  return undefined
}

const forget = ({ pending }: Connection, request: Pending): boolean => {
  const own = request.ids.filter((id) => pending.get(id) === request)
  for (const id of own) pending.delete(id)
  return own.length > 0
}

/** Ids of a request written by this client. */
const idsOf = (body: string): ReadonlyArray<number> => {
  if (!body.startsWith("[")) return [Number(usualId.exec(body)?.[1])]
  return (JSON.parse(body) as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id)
}

/** Makes a response like that of `fetch`. */
const responseOf = (reply: string | BodyTooLarge) => ({
  status: 200,
  headers: new Headers(),
  arrayBuffer: async () => {
    if (typeof reply !== "string") throw reply
    return encoder.encode(reply).buffer
  },
})

/** What the connections of a client share. */
interface State {
  readonly options: Options
  current: Connection | undefined
  /** Completed when the client is closed, and then replaced by a new one. */
  closing: Deferred.Deferred<void>
  /**
   * Subscriptions whose ids were received but which are not read yet. Notifications may follow at once, and the connection may end in
   * between.
   */
  readonly unread: Array<Subscription>
}

/** Sends a text once the connection is open. */
const send = ({ waiting, webSocket }: Connection, text: string): void => {
  if (waiting === null) webSocket.send(text)
  else waiting.add(text)
}

/** Ends a subscription, unless it or its connection has already ended. The server is notified when the last subscription with the id ends. */
const stop = ({ connection, id, queue }: Subscription): void => {
  const queues = connection.subscriptions.get(id)
  if (queues?.delete(queue) !== true || queues.size > 0) return
  connection.subscriptions.delete(id)
  send(connection, unsubscribeCall(id))
}

/** Delivers a reply to its request. */
const settle = (
  { unread }: State,
  connection: Connection,
  id: number | undefined,
  reply: string | BodyTooLarge,
  result: unknown,
): void => {
  const found = id === undefined ? undefined : connection.pending.get(id)
  if (found === undefined) return
  forget(connection, found)
  if (found.isSubscribe && typeof result === "string") {
    const queue = Listening.queue()
    connection.subscriptions.set(result, (connection.subscriptions.get(result) ?? new Set()).add(queue))
    unread.push({ id: result, connection, queue })
    if (unread.length > maxUnread) stop(unread.shift()!)
  }
  found.resolve(reply)
}

/** The error of a pending request. Its code is that of a broken connection if the request was sent. */
const failureOf = ({ waiting }: Connection, reason: string): Error =>
  waiting === null ? Object.assign(new Error(reason), { code: "ECONNRESET" }) : new Error(reason)

/** Ends a connection: its pending requests fail, and its subscriptions end. */
const end = (state: State, connection: Connection, reason: string): void => {
  if (state.current === connection) state.current = undefined
  clearInterval(connection.timer)
  for (const { reject } of connection.pending.values()) reject(failureOf(connection, reason))
  connection.pending.clear()
  for (const queues of connection.subscriptions.values()) for (const queue of queues) Listening.end(queue, reason)
  connection.subscriptions.clear()
  connection.webSocket.close()
}

/** Queues a notification. */
const notify = (
  { options }: State,
  connection: Connection,
  { error, result, subscription }: NonNullable<Message["params"]>,
  size: number,
): void => {
  if (typeof subscription !== "string") return
  const item = error === undefined ? ({ _tag: "Result", result } as const) : ({ _tag: "Error", error } as const)
  for (const queue of connection.subscriptions.get(subscription) ?? []) {
    if (!Listening.offer(queue, item, size, options)) stop({ connection, id: subscription, queue })
  }
}

/** Takes a message. */
const receive = (state: State, connection: Connection, text: string): void => {
  const { maxCharacters } = state.options
  const usual = usualId.exec(text)?.[1]
  const known = usual === undefined ? undefined : connection.pending.get(Number(usual))
  if (text.length > maxCharacters) {
    if (known === undefined)
      return end(state, connection, `a message of more than ${maxCharacters} characters was received`)
    return settle(state, connection, Number(usual), new BodyTooLarge(maxCharacters), undefined)
  }
  if (known !== undefined && !known.isSubscribe) return settle(state, connection, Number(usual), text, undefined)
  const message = parse(text)
  if (message === undefined) return end(state, connection, "a message that is not JSON was received")
  if (isObject(message) && message.method === "eth_subscription" && isObject(message.params)) {
    return notify(state, connection, message.params, text.length)
  }
  const result = isObject(message) ? message.result : undefined
  const id = idOf(connection, message)
  if (id !== undefined && connection.abandoned.delete(id) && typeof result === "string") {
    return send(connection, unsubscribeCall(result))
  }
  settle(state, connection, id, text, result)
}

/** Checks whether a connection is still needed and alive. */
const look = (state: State, connection: Connection): void => {
  const { isActive, pending, subscriptions, waiting } = connection
  if (waiting !== null) return end(state, connection, `no connection after ${lookMillis / 1_000} seconds`)
  if (isActive) {
    connection.isActive = false
    connection.isProbed = false
  } else if (subscriptions.size === 0 && pending.size === 0) end(state, connection, "the connection was not used")
  else if (connection.isProbed) end(state, connection, `nothing was received for ${(2 * lookMillis) / 1_000} seconds`)
  else {
    connection.isProbed = true
    send(connection, aliveCall)
  }
}

/** Reason of an error. Only the package `ws` reports the response of a server that does not open a connection, such as its status 401. */
const reasonOf = ({ waiting }: Connection, event: unknown): string => {
  if (waiting === null) return "the connection was lost"
  const message: unknown = typeof event === "object" && event !== null ? Reflect.get(event, "message") : undefined
  return typeof message === "string" && message !== ""
    ? message
    : "the server cannot be reached, or rejects the WebSocket, for example because of a wrong key or chain"
}

/** Opens a connection. */
const open = (state: State, url: string): Connection => {
  const webSocket = new state.options.make(url)
  const connection: Connection = {
    webSocket,
    pending: new Map(),
    subscriptions: new Map(),
    abandoned: new Set(),
    waiting: new Set(),
    isActive: true,
    isProbed: false,
    timer: undefined,
  }
  connection.timer = setInterval(() => look(state, connection), lookMillis)
  webSocket.addEventListener("open", () => {
    const { waiting } = connection
    connection.waiting = null
    for (const text of waiting ?? []) webSocket.send(text)
  })
  webSocket.addEventListener("error", (event) => end(state, connection, reasonOf(connection, event)))
  webSocket.addEventListener("close", ({ code, reason }) =>
    end(state, connection, reason === "" ? `the connection was closed with code ${code}` : reason),
  )
  webSocket.addEventListener("message", ({ data }) => {
    connection.isActive = true
    if (typeof data !== "string") return end(state, connection, "binary data was received")
    receive(state, connection, data)
  })
  return connection
}

/** Makes the socket of a client. */
export const make = (options: Options): Socket => {
  const state: State = { options, current: undefined, closing: Deferred.makeUnsafe(), unread: [] }

  const fetch: Fetch = (url, { body = "", signal }) =>
    new Promise<string | BodyTooLarge>((resolve, reject) => {
      state.current ??= open(state, url.replace(/^http/, "ws"))
      const connection = state.current
      const isSubscribe = body.includes(`"method":"eth_subscribe"`)
      const request: Pending = { ids: idsOf(body), isSubscribe, resolve, reject }
      for (const id of request.ids) connection.pending.set(id, request)
      signal.addEventListener("abort", () => {
        const isPending = forget(connection, request)
        if (connection.waiting?.delete(body) !== true && isPending && isSubscribe) {
          connection.abandoned.add(request.ids[0]!)
        }
        reject(signal.reason as Error)
      })
      send(connection, body)
    }).then(responseOf)

  return {
    fetch,
    listen: (id) => {
      const at = state.unread.findLastIndex((one) => one.id === id)
      const [found] = at < 0 ? [] : state.unread.splice(at, 1)
      return found && { read: Listening.read(found.queue), stop: Effect.sync(() => stop(found)) }
    },
    untilClose: () => Deferred.await(state.closing),
    close: () => {
      const { closing } = state
      state.closing = Deferred.makeUnsafe()
      Deferred.doneUnsafe(closing, Effect.void)
      if (state.current !== undefined) end(state, state.current, "the client was closed")
    },
  }
}
