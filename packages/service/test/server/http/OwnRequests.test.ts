import { getEventListeners } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { describe, expect, it } from "vitest"
import * as OwnRequests from "../../../src/server/http/OwnRequests.ts"

const socket = { localAddress: "127.0.0.1", localPort: 80, remoteAddress: "203.0.113.9", remotePort: 4_000 }

/** A received request, as far as it is read. */
const receivedOf = (headers: Readonly<Record<string, string>>, httpVersion = "1.1") =>
  // Sound: only the headers and the message of a request are read.
  ({ headers, source: { headers, httpVersion, socket } }) as unknown as HttpServerRequest

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** A caller's `fetch`, answered by a function, and the requested turns. */
const fetchOf = (answer: Listener, received = receivedOf({})) => {
  const turns: Array<unknown> = []
  const { fetchFor, serve } = OwnRequests.make((request, resume) => {
    turns.push(request.headers)
    resume()
  })
  serve(answer)
  const fetch = fetchFor(received)
  const { signal } = new AbortController()
  const init = { method: "GET", headers: {}, redirect: "manual", signal } as const
  return { fetch, init, turns }
}

const readerOf = (response: Awaited<ReturnType<ReturnType<typeof fetchOf>["fetch"]>>) => response.body!.getReader()

describe("OwnRequests", () => {
  it("fetchFor: sends a request with the key, the address and the proxies of the caller, ignoring those that its client states", async () => {
    const headers = {
      authorization: "Bearer own",
      host: "daybook.example",
      "x-forwarded-for": "198.51.100.7",
      cookie: "a=b",
    }
    const asked: Array<unknown> = []
    const { fetch, init } = fetchOf((request, response) => {
      const { localAddress, localPort, remoteAddress, remotePort } = request.socket
      asked.push([request.method, request.url, request.headers, { localAddress, localPort, remoteAddress, remotePort }])
      response.end()
    }, receivedOf(headers))
    const given = { "X-Api-Key": "other", Accept: "application/json" }
    await fetch("http://elsewhere.example/api/a?b=c", { ...init, headers: given })

    expect(asked).toEqual([
      [
        "GET",
        "/api/a?b=c",
        {
          accept: "application/json",
          host: "daybook.example",
          "x-forwarded-for": "198.51.100.7",
          "x-api-key": "own",
          connection: "close",
        },
        socket,
      ],
    ])
  })

  it("fetchFor: treats an HTTP/1.0 request as one of a proxy, and sends no key without one", async () => {
    const via: Array<unknown> = []
    for (const version of ["1.0", "1.1"]) {
      const { fetch, init } = fetchOf(
        (request, response) => {
          via.push([request.headers.via, request.headers["x-api-key"]])
          response.end()
        },
        receivedOf({ host: "a" }, version),
      )
      await fetch("http://a/", init)
    }

    expect(via).toEqual([
      ["1.0 proxy", undefined],
      [undefined, undefined],
    ])
  })

  it("fetchFor: sends a body with its length in bytes, and returns the response, whose end is read in a turn of the caller", async () => {
    const { fetch, init, turns } = fetchOf(
      (request, response) => {
        request.on("data", (body: Buffer) => {
          response.writeHead(201, { "x-length": request.headers["content-length"] }).end(`received ${body.toString()}`)
        })
      },
      receivedOf({ host: "a" }),
    )
    const response = await fetch("http://a/", { ...init, method: "POST", body: "é" })
    const headers: Record<string, string> = {}
    response.headers.forEach((value, name) => (headers[name] = value))
    const reader = readerOf(response)
    const first = await reader.read()
    const before = turns.length
    const last = await reader.read()

    expect([response.status, headers["x-length"]]).toEqual([201, "2"])
    expect(Buffer.from(first.value!).toString()).toBe("received é")
    expect([first.done, before, last.done, turns]).toEqual([false, 0, true, [{ host: "a" }]])
  })

  it("fetchFor: an aborted request rejects with the reason, and its connection is closed", async () => {
    const aborting = new AbortController()
    const reason = new Error("left")
    let closed: Promise<unknown> = Promise.resolve()
    const sender = fetchOf((request) => {
      closed = new Promise((resolve) => request.socket.on("close", resolve))
      aborting.abort(reason)
    })
    const other = fetchOf(() => expect.unreachable())

    await expect(sender.fetch("http://a/", { ...sender.init, signal: aborting.signal })).rejects.toBe(reason)
    expect(getEventListeners(aborting.signal, "abort")).toEqual([])
    await closed
    await expect(other.fetch("http://a/", { ...other.init, signal: aborting.signal })).rejects.toBe(reason)
  })

  it("fetchFor: an aborted or cancelled response ends, and so does its connection", async () => {
    for (const how of ["abort", "cancel"] as const) {
      const aborting = new AbortController()
      let closed: Promise<unknown> = Promise.resolve()
      const { fetch, init } = fetchOf((request, response) => {
        closed = new Promise((resolve) => request.socket.on("close", resolve))
        response.write("begun")
      })
      const reader = readerOf(await fetch("http://a/", { ...init, signal: aborting.signal }))
      await reader.read()
      if (how === "abort") {
        aborting.abort(new Error("left"))
        await expect(reader.read()).rejects.toThrow("left")
      } else await reader.cancel()
      await closed
    }
  })

  it("fetchFor: reports a connection closed before a response as reset", async () => {
    const { fetch, init } = fetchOf((request) => void request.socket.destroy())

    await expect(fetch("http://a/", init)).rejects.toMatchObject({ code: "ECONNRESET" })
  })
})
