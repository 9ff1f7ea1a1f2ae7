import { afterEach, describe, expect, it } from "vitest"
import { connect } from "node:net"
import { Effect } from "effect"
import { Eventually, FaultyServer, LocalServer } from "@daybook/harness"
import { send } from "@daybook/harness/HttpRequest"

const servers: Array<FaultyServer.Server> = []

const start = async (respond: Parameters<typeof FaultyServer.start>[0]) => {
  const server = await FaultyServer.start(respond)
  servers.push(server)
  return server
}

const delivering = (delivery: FaultyServer.Delivery) => start(() => ({ body: "0123456789abcdef", delivery }))

const receivedOne = (server: FaultyServer.Server) =>
  Eventually.until(() => server.exchanges().length === 1, { what: "the server received a request" })

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

describe("FaultyServer", () => {
  it("start: sends the status, headers and body of the response and records the request", async () => {
    const server = await start(({ url }) => ({ status: 418, headers: { "x-a": "b" }, body: url }))
    const received = await send(`${server.url}/some/path?x=1`, { body: { a: 1 } })

    expect(received).toMatchObject({ status: 418, headers: { "x-a": "b" }, text: "/some/path?x=1", end: "whole" })
    expect(server.exchanges()).toMatchObject([
      { number: 1, method: "POST", url: "/some/path?x=1", body: '{"a":1}', end: "sent" },
    ])
  })

  it("start: a truncated response ends after half of the announced length", async () => {
    const server = await delivering({ kind: "truncated" })
    const received = await send(server.url)

    expect([received.headers["content-length"], received.text, received.end]).toEqual(["16", "01234567", "broken"])
    expect(server.exchanges()[0]?.end).toBe("closedByServer")
  })

  it("start: a response with stalled headers sends nothing until the client closes", async () => {
    const server = await delivering({ kind: "stalledHeaders" })
    const received = await send(server.url, { timeoutMillis: 60 })

    expect([received.status, received.end]).toEqual([undefined, "timed out"])
    expect((await server.whenEnded(1)).end).toBe("closedByClient")
  })

  it("start: a response with a stalled body sends half of it and waits until the client closes", async () => {
    const server = await delivering({ kind: "stalledBody" })
    const received = await send(server.url, { timeoutMillis: 60 })

    expect([received.status, received.text, received.end]).toEqual([200, "01234567", "timed out"])
    expect((await server.whenEnded(1)).end).toBe("closedByClient")
  })

  it("start: a drip sends the complete body in several chunks", async () => {
    const server = await delivering({ kind: "drip", everyMillis: 10 })
    const received = await send(server.url)

    expect([received.text, received.end]).toEqual(["0123456789abcdef", "whole"])
    expect(received.chunks).toBeGreaterThan(2)
  })

  it("start: an endless response continues with white space after the body", async () => {
    const server = await delivering({ kind: "endless", everyMillis: 5 })
    const received = await send(server.url, { timeoutMillis: 100 })

    expect([received.text.trim(), received.end]).toEqual(["0123456789abcdef", "timed out"])
    expect(received.text.length).toBeGreaterThan(16)
  })

  it("start: closedBefore closes the socket without a response", async () => {
    const server = await delivering({ kind: "closedBefore" })
    const received = await send(server.url)

    expect([received.status, received.end]).toEqual([undefined, "broken"])
    expect(server.exchanges()[0]?.end).toBe("closedByServer")
  })

  it("start: closedAfter closes the socket after the headers", async () => {
    const server = await delivering({ kind: "closedAfter" })
    const received = await send(server.url)

    expect([received.status, received.text, received.end]).toEqual([200, "", "broken"])
  })

  it("start: closes the socket when respond rejects", async () => {
    const server = await start(() => Promise.reject(new Error("no response")))

    expect((await send(server.url)).end).toBe("broken")
  })

  it("start: does not record a request whose body never arrives completely", async () => {
    const server = await start(() => ({ body: "" }))
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n123", () => socket.destroy())
      })
      socket.once("close", () => resolve())
    })
    await send(server.url)

    expect(server.exchanges().length).toBe(1)
  })

  it("settled: is false while a request is open and true once its client has closed", async () => {
    const server = await delivering({ kind: "stalledHeaders" })
    const response = send(server.url, { timeoutMillis: 80 })
    await receivedOne(server)

    expect(await server.settled(1)).toBe(false)
    expect(await server.settled(1_000)).toBe(true)
    await response
    expect(server.connections()).toBe(0)
  })

  it("stop: closes open requests and frees the port", async () => {
    const server = await delivering({ kind: "stalledBody" })
    const response = send(server.url)
    await receivedOne(server)
    await server.stop()

    expect((await response).end).toBe("broken")
    expect(server.exchanges()[0]?.end).toBe("closedByServer")
    expect((await send(server.url)).status).toBe(undefined)
  })

  it("scoped: stops the server when the scope closes", async () => {
    const program = Effect.gen(function* () {
      const server = yield* LocalServer.scoped(() => FaultyServer.start(() => ({ body: "here" })))
      expect((yield* Effect.promise(() => send(server.url))).text).toBe("here")
      return server.url
    })
    const url = await Effect.runPromise(Effect.scoped(program))

    expect((await send(url)).status).toBe(undefined)
  })
})
