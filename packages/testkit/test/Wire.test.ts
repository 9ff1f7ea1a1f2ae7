import { afterEach, describe, expect, it } from "vitest"
import { connect } from "node:net"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { Wire } from "@daybook/testkit"
import { ask } from "./wire.ts"

const servers: Array<Wire.Server> = []

const start = async (respond: Parameters<typeof Wire.start>[0]) => {
  const server = await Wire.start(respond)
  servers.push(server)
  return server
}

const serving = (delivery: Wire.Delivery) => start(() => ({ body: "0123456789abcdef", delivery }))

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

describe("Wire", () => {
  describe("start", () => {
    it("sends status, headers and body as told, and notes the request", async () => {
      const server = await start(({ path }) => ({ status: 418, headers: { "x-a": "b" }, body: path }))
      const received = await ask(`${server.url}/some/path?x=1`, { body: { a: 1 } })

      expect([received.status, received.headers["x-a"], received.text, received.end]).toEqual([
        418,
        "b",
        "/some/path?x=1",
        "whole",
      ])
      expect(server.exchanges()).toMatchObject([
        { number: 1, method: "POST", path: "/some/path?x=1", body: '{"a":1}', end: "sent" },
      ])
    })

    it("cuts a body in its middle, below the length it announced", async () => {
      const server = await serving({ kind: "cut" })
      const received = await ask(server.url)

      expect([received.headers["content-length"], received.text, received.end]).toEqual(["16", "01234567", "broken"])
      expect(server.exchanges()[0]?.end).toBe("closedByServer")
    })

    it("never sends a header of stalled headers, and sees the client close", async () => {
      const server = await serving({ kind: "stalledHeaders" })
      const received = await ask(server.url, { patienceMillis: 60 })

      expect([received.status, received.end]).toEqual([undefined, "given up"])
      expect((await server.whenEnded(1)).end).toBe("closedByClient")
    })

    it("sends half of a stalled body, and sees the client close", async () => {
      const server = await serving({ kind: "stalledBody" })
      const received = await ask(server.url, { patienceMillis: 60 })

      expect([received.status, received.text, received.end]).toEqual([200, "01234567", "given up"])
      expect((await server.whenEnded(1)).end).toBe("closedByClient")
    })

    it("drips a body in eight pieces", async () => {
      const server = await serving({ kind: "drip", everyMillis: 10 })
      const received = await ask(server.url)

      expect([received.text, received.end]).toEqual(["0123456789abcdef", "whole"])
      expect(received.piecesAtMillis.length).toBeGreaterThan(2)
      expect((received.piecesAtMillis.at(-1) ?? 0) - (received.piecesAtMillis[0] ?? 0)).toBeGreaterThan(40)
    })

    it("never ends an endless body", async () => {
      const server = await serving({ kind: "endless", everyMillis: 5 })
      const received = await ask(server.url, { patienceMillis: 100 })

      expect([received.text.trim(), received.end]).toEqual(["0123456789abcdef", "given up"])
      expect(received.text.length).toBeGreaterThan(18)
    })

    it("closes the socket before any header", async () => {
      const server = await serving({ kind: "closedBefore" })
      const received = await ask(server.url)

      expect([received.status, received.end]).toEqual([undefined, "broken"])
      expect(server.exchanges()[0]?.end).toBe("closedByServer")
    })

    it("closes the socket after the headers", async () => {
      const server = await serving({ kind: "closedAfter" })
      const received = await ask(server.url)

      expect([received.status, received.text, received.end]).toEqual([200, "", "broken"])
    })

    it("closes the socket when there is no answer to give", async () => {
      const server = await start(() => Promise.reject(new Error("nothing to say")))

      expect((await ask(server.url)).end).toBe("broken")
    })

    it("takes no notice of a request that never arrives whole", async () => {
      const server = await start(() => ({ body: "" }))
      await new Promise<void>((resolve) => {
        const socket = connect(server.port, "127.0.0.1", () => {
          socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n123", () => socket.destroy())
        })
        socket.once("close", () => resolve())
      })
      await ask(server.url)

      expect(server.exchanges().length).toBe(1)
    })
  })

  describe("settled", () => {
    it("is false while a request is open and true once its client has closed", async () => {
      const server = await serving({ kind: "stalledHeaders" })
      const asking = ask(server.url, { patienceMillis: 80 })
      while (server.exchanges().length === 0) await new Promise((resolve) => setTimeout(resolve, 2))

      expect(await server.settled(1)).toBe(false)
      expect(await server.settled(1_000)).toBe(true)
      await asking
      expect(server.connections()).toBe(0)
    })
  })

  describe("stop", () => {
    it("ends what is open and frees the port", async () => {
      const server = await serving({ kind: "stalledBody" })
      const asking = ask(server.url)
      while (server.exchanges().length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      await server.stop()

      expect((await asking).end).toBe("broken")
      expect(server.exchanges()[0]?.end).toBe("closedByServer")
      expect((await ask(server.url)).status).toBe(undefined)
    })
  })

  describe("make", () => {
    it("stops the server with its scope", async () => {
      const url = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* Wire.make(() => Wire.start(() => ({ body: "here" })))
            expect((yield* Effect.promise(() => ask(server.url))).text).toBe("here")
            return server.url
          }),
        ),
      )

      expect((await ask(url)).status).toBe(undefined)
    })
  })

  describe("bomb", () => {
    it("is small on the wire, huge behind gzip, and right at its end", () => {
      const packed = Wire.bomb("[1]")
      const unpacked = gunzipSync(packed)

      expect(packed.length).toBeLessThan(128 * 1024)
      expect(unpacked.length).toBe(Wire.bombBytes + 3)
      expect(unpacked.subarray(-3).toString()).toBe("[1]")
    })
  })
})
