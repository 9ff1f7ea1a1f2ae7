import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventEmitter, once } from "node:events"
import { createServer, get } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import * as ReusedMemory from "../../../src/server/admission/ReusedMemory.ts"

// Sound: no other part of the response is read.
const response = (destroyed = false) =>
  Object.assign(new EventEmitter(), { destroyed }) as unknown as ServerResponse & EventEmitter

describe("ReusedMemory", () => {
  it("take: returns the buffer of a closed response to the next one, and to no other before", () => {
    const memory = ReusedMemory.make(8)
    const [first, second, third] = [response(), response(), response()]
    const buffer = memory.take(first)
    const other = memory.take(second)
    expect(buffer?.length).toBe(8)
    expect(other).not.toBe(buffer)
    first.emit("close")
    expect(memory.take(third)).toBe(buffer)
  })

  it("take: returns at most 16 buffers, and another after one is closed", () => {
    const memory = ReusedMemory.make(8)
    const responses = Array.from({ length: 16 }, () => response())
    const buffers = responses.map((each) => memory.take(each))
    expect(new Set(buffers).size).toBe(16)
    expect(memory.take(response())).toBeUndefined()
    responses[3]!.emit("close")
    expect(memory.take(response())).toBe(buffers[3])
  })

  it("take: returns none to a response that is already closed", () => {
    expect(ReusedMemory.make(8).take(response(true))).toBeUndefined()
  })

  const bytes = 1_000_000

  /** A server whose response to `/N` is bytes `N`, and the responses that hold a buffer. */
  const serve = Effect.acquireRelease(
    Effect.promise(async () => {
      const memory = ReusedMemory.make(bytes)
      const open = new Set<ServerResponse>()
      const server = createServer((request, response) => {
        const buffer = memory.take(response)
        if (buffer !== undefined) open.add(response.once("close", () => open.delete(response)))
        response.setHeader("content-length", bytes)
        response.end((buffer ?? Buffer.allocUnsafeSlow(bytes)).fill(Number(request.url!.slice(1))))
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { open, port: (server.address() as AddressInfo).port, server }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      }),
  )

  const bodyOf = async (port: number, fill: number): Promise<Buffer> => {
    const sent = get({ host: "127.0.0.1", port, path: `/${fill}`, agent: false })
    const [message] = (await once(sent, "response")) as [IncomingMessage]
    const chunks: Array<Buffer> = []
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** Reads responses from a socket until it has `count` of them; their bodies. */
  const bodiesOf = async (socket: Socket, count: number): Promise<ReadonlyArray<Buffer>> => {
    const chunks: Array<Buffer> = []
    const bodies: Array<Buffer> = []
    let length = 0
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > count * bytes) {
        for (let rest = Buffer.concat(chunks); rest.length > bytes;) {
          const start = rest.indexOf("\r\n\r\n") + 4
          bodies.push(rest.subarray(start, start + bytes))
          rest = rest.subarray(start + bytes)
        }
        if (bodies.length === count && bodies.at(-1)!.length === bytes) return bodies
        bodies.length = 0
      }
    }
    return bodies
  }

  it.live("take: a response that waits for its reader keeps its bytes while others are sent", () =>
    Effect.gen(function* () {
      const { open, port } = yield* serve
      const slow = yield* Effect.acquireRelease(
        Effect.sync(() => connect(port, "127.0.0.1")),
        (socket) => Effect.sync(() => socket.destroy()),
      )
      // More than the buffers of the connection hold.
      const fills = Array.from({ length: 12 }, (_, index) => 100 + index)
      yield* Effect.promise(async () => {
        slow.write(fills.map((fill) => `GET /${fill} HTTP/1.1\r\nhost: a\r\n\r\n`).join(""))
        for (const fill of [1, 2, 3, 4]) {
          expect((await bodyOf(port, fill)).equals(Buffer.alloc(bytes, fill))).toBe(true)
        }
        expect(open.size).toBeGreaterThan(0)

        const bodies = await bodiesOf(slow, fills.length)

        expect(bodies.map((body) => body.equals(Buffer.alloc(bytes, body[0])))).toEqual(fills.map(() => true))
        expect(bodies.map((body) => body[0])).toEqual(fills)
      })
    }),
  )
})
