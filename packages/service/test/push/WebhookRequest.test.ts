/** Messages to receivers that do not answer as HTTP requires. */
import {
  createServer,
  getDefaultAutoSelectFamily,
  setDefaultAutoSelectFamily,
  type AddressInfo,
  type Socket,
} from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import * as NameLookups from "../../src/push/NameLookups.ts"
import * as Webhook from "../../src/push/Webhook.ts"
import * as WebhookRequest from "../../src/push/WebhookRequest.ts"
import * as WebhookAttempt from "../../src/server/webhook/WebhookAttempt.ts"

/** The URL of a server that answers each connection once it has received something, until the scope ends. */
const serving = (answer: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((socket) => {
        socket.on("error", () => socket.destroy())
        socket.once("data", () => answer(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        // Sound: the server listens on a port.
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

/** The URL of a server that answers each connection with a text. */
const answering = (text: string) => serving((socket) => socket.end(text))

/**
 * The URL of a server that sends a text and then nothing; reports when it was sent, and when the client disconnects.
 */
const goingOn = Effect.fnUntraced(function* (text: string) {
  const [sent, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const { url } = yield* serving((socket) => {
    socket.on("close", () => Deferred.doneUnsafe(left, Effect.void))
    socket.write(text, () => Deferred.doneUnsafe(sent, Effect.void))
  })
  return { url, sent: Deferred.await(sent), left: Deferred.await(left) }
})

/** Look-ups by a function, and the names that it received. */
const lookups = (resolve: NameLookups.Resolve) => {
  const names: Array<string> = []
  const { ofHolder: lookUp } = NameLookups.make((name, done) => {
    names.push(name)
    resolve(name, done)
  })
  return { lookUp, names }
}

const options = { allowPrivate: true, lookUp: NameLookups.make().ofHolder("") }

describe("WebhookRequest", () => {
  it.live("send: treats an upgrade of the connection as a failed attempt", () =>
    Effect.gen(function* () {
      const { url } = yield* answering(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
      )
      const received = yield* WebhookRequest.send(url, {}, "{}", options)

      expect(received).toEqual({ _tag: "Failed", reason: "The connection was closed without a response." })
    }).pipe(Effect.scoped),
  )

  it.live.each(["101 Switching Protocols", "099 Unknown", "000 Unknown", "300 Multiple Choices"])(
    "send: does not treat a response with the status %s as a delivery",
    (status) =>
      Effect.gen(function* () {
        const { url } = yield* answering(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
        const key = "k".repeat(32)
        const bounds = { perKey: 1, addressesPerKey: 1, addressesPerWebhook: 1, total: 1 }
        const [webhook] = yield* Webhook.make(key, {
          url,
          chain: "main",
          types: ["wallet.transaction"],
          finality: "head",
          from: 0,
        })
        const pending = { id: "msg_1", body: "{}", events: 1, wallet: null, position: "" }
        const sender = { settings: { ...bounds, key, allowPrivate: true }, lookups: NameLookups.make() }
        const [outcome, attempt] = yield* WebhookAttempt.send(sender, webhook, pending)

        expect(outcome).toEqual({ _tag: "Failed", waitMillis: 0 })
        expect([attempt.result, attempt.status]).toEqual(["failed", Number(status.slice(0, 3))])
      }).pipe(Effect.scoped),
  )

  it.live("send: skips early hints before a response, and fails after more than ten of them", () =>
    Effect.gen(function* () {
      const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n"
      const response = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
      const ten = yield* answering(`${hint.repeat(9)}HTTP/1.1 100 Continue\r\n\r\n${response}`)
      const eleven = yield* answering(`${hint.repeat(10)}HTTP/1.1 100 Continue\r\n\r\n${response}`)
      const received = [
        yield* WebhookRequest.send(ten.url, {}, "{}", options),
        yield* WebhookRequest.send(eleven.url, {}, "{}", options),
      ]

      expect(received).toEqual([
        { _tag: "Status", status: 204, waitMillis: 0 },
        { _tag: "Failed", reason: "More than 10 informational responses (1xx)." },
      ])
    }).pipe(Effect.scoped),
  )

  it.live.each([
    ["a response that has not ended", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", { status: 200 }],
    ["many informational responses", "HTTP/1.1 100 Continue\r\n\r\n".repeat(11), { _tag: "Failed" }],
  ] as const)("send: closes the connection after %s", ([, text, expected]) =>
    Effect.gen(function* () {
      const { left, url } = yield* goingOn(text)

      expect(yield* WebhookRequest.send(url, {}, "{}", options)).toMatchObject(expected)
      yield* left
    }).pipe(Effect.scoped),
  )

  it.live("send: closes the connection when interrupted", () =>
    Effect.gen(function* () {
      const { left, sent, url } = yield* goingOn("HTTP/1.1 100 Continue\r\n\r\n")
      const sending = yield* Effect.forkChild(WebhookRequest.send(url, {}, "{}", options))
      yield* sent
      yield* Fiber.interrupt(sending)

      yield* left
    }).pipe(Effect.scoped),
  )

  it.live("send: returns the reason of a connection error, such as a server without TLS", () =>
    Effect.gen(function* () {
      const { url } = yield* answering("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
      const received = yield* WebhookRequest.send(url.replace("http:", "https:"), {}, "{}", options)

      expect(received).toEqual({ _tag: "Failed", reason: expect.stringMatching(/ssl|tls/i) })
    }).pipe(Effect.scoped),
  )

  it.live("send: fails for a name without an address, even if each network is allowed", () =>
    Effect.gen(function* () {
      const { lookUp } = lookups((_name, done) => done(null, []))
      const received = yield* WebhookRequest.send("http://hook.example/", {}, "{}", { ...options, lookUp: lookUp("a") })

      expect(received).toEqual({
        _tag: "Failed",
        reason: "The name resolves to an address outside the public internet.",
      })
    }),
  )

  it.live.each([true, false])("send: connects to a resolved address, in the order that Node chooses: %s", (isOne) =>
    Effect.gen(function* () {
      const before = getDefaultAutoSelectFamily()
      yield* Effect.acquireRelease(
        Effect.sync(() => setDefaultAutoSelectFamily(isOne)),
        () => Effect.sync(() => setDefaultAutoSelectFamily(before)),
      )
      const { url } = yield* answering("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
      const { lookUp, names } = lookups((_name, done) => {
        done(
          null,
          ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 })),
        )
      })
      const named = url.replace("127.0.0.1", "hook.example")
      const send = (to: string) => WebhookRequest.send(to, {}, "{}", { allowPrivate: true, lookUp: lookUp("a") })

      expect(yield* send(named)).toEqual({ _tag: "Status", status: 204, waitMillis: 0 })
      // An address is not looked up.
      expect(yield* send(url)).toEqual({ _tag: "Status", status: 204, waitMillis: 0 })
      expect(names).toEqual(["hook.example"])
    }).pipe(Effect.scoped),
  )

  it.live("send: returns the wait that a response requests, in seconds or any date format, and at most a day", () =>
    Effect.gen(function* () {
      const waitAfter = Effect.fnUntraced(function* (retryAfter: string) {
        const headers = `Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nRetry-After: ${retryAfter}\r\nConnection: close`
        const { url } = yield* answering(`HTTP/1.1 503 Service Unavailable\r\n${headers}\r\n\r\n`)
        return Reflect.get(yield* WebhookRequest.send(url, {}, "{}", options), "waitMillis")
      })
      const requested = ["120", "Thu, 01 Jan 2026 00:01:00 GMT", "Thu Jan  1 00:02:00 2026", "-5", "soon", "31536000"]

      expect(yield* Effect.forEach(requested, waitAfter)).toEqual([120_000, 60_000, 120_000, 0, 0, 86_400_000])
    }).pipe(Effect.scoped),
  )

  it.effect("send: permits one look-up per holder and two in total, until each ends", () =>
    Effect.gen(function* () {
      const ended: Array<() => void> = []
      const { lookUp, names } = lookups((_name, done) => ended.push(() => done(new Error("no such name"), [])))
      const send = (holder: string, name: string) =>
        Effect.forkChild(
          WebhookRequest.send(`https://${name}.example/`, {}, "{}", { allowPrivate: false, lookUp: lookUp(holder) }),
          { startImmediately: true },
        )
      const first = [yield* send("a", "a1"), yield* send("a", "a2"), yield* send("b", "b1"), yield* send("c", "c1")]
      yield* TestClock.adjust(20_000)
      const results = yield* Effect.forEach(first, Fiber.join)
      const later = [yield* send("a", "a3"), yield* send("c", "c2")]
      const before = [...names]
      // Look-ups that begin in the meantime end too.
      for (const end of ended) end()
      const laterResults = yield* Effect.forEach(later, Fiber.join)

      expect(results.map((received) => Reflect.get(received, "reason"))).toEqual([
        "No response within 20 seconds.",
        "No response to the name lookup within 20 seconds.",
        "No response within 20 seconds.",
        "No response to the name lookup within 20 seconds.",
      ])
      // The attempts have ended, but their look-ups have not.
      expect(before).toEqual(["a1.example", "b1.example"])
      expect(names).toEqual(["a1.example", "b1.example", "a3.example", "c2.example"])
      expect(laterResults).toEqual([
        { _tag: "Failed", reason: "no such name" },
        { _tag: "Failed", reason: "no such name" },
      ])
    }),
  )

  it.effect("check: rejects a name with an address of a private network, and looks up nothing unnecessarily", () =>
    Effect.gen(function* () {
      const addresses = (name: string) =>
        name === "mixed.example" ? ["93.184.215.14", "10.0.0.1"] : name === "public.example" ? ["93.184.215.14"] : []
      const { lookUp, names } = lookups((name, done) =>
        name === "unknown.example"
          ? done(new Error("no such name"), [])
          : done(
              null,
              addresses(name).map((address) => ({ address, family: 4 })),
            ),
      )
      const check = (url: string, allowPrivate = false) =>
        WebhookRequest.check(url, { allowPrivate, lookUp: lookUp("a") })
      const refused = "a name that resolves only to addresses of the public internet"

      expect(yield* check("https://mixed.example/")).toBe(refused)
      expect(yield* check("https://public.example/")).toBe(null)
      expect(yield* check("https://unknown.example/")).toBe(null)
      expect(yield* check("https://mixed.example/", true)).toBe(null)
      expect(yield* check("http://mixed.example/")).toBe("a URL with https")
      expect(yield* check("https://93.184.215.14/")).toBe(null)
      expect(names).toEqual(["mixed.example", "public.example", "unknown.example"])
    }),
  )

  it.effect("check: does not reject a name whose look-up takes 3 seconds, and fails if none can begin by then", () =>
    Effect.gen(function* () {
      const { lookUp } = lookups(() => undefined)
      const check = (url: string) =>
        Effect.forkChild(Effect.result(WebhookRequest.check(url, { allowPrivate: false, lookUp: lookUp("a") })), {
          startImmediately: true,
        })
      const fibers = [yield* check("https://slow.example/"), yield* check("https://next.example/")]
      yield* TestClock.adjust(3_000)

      expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual([
        Result.succeed(null),
        Result.fail(new WebhookRequest.LookupsBusy()),
      ])
    }),
  )
})
