/** Certificates of a connection, with a server that ends it once TLS is established. */
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Engine from "../../../src/store/Engine.ts"

const folder = join(import.meta.dirname, "../../server/fixtures")
const [cert, key] = ["cert", "key"].map((kind) => readFileSync(join(folder, `localhost.${kind}.pem`)))

/** The port of a server that answers the TLS request, and the names in its clients' certificates. */
const listening = Effect.gen(function* () {
  const names: Array<string | undefined> = []
  const server = createServer((socket) =>
    socket.once("data", () => {
      socket.write("S")
      const secure = new TLSSocket(socket, { isServer: true, cert, key, requestCert: true, rejectUnauthorized: false })
      secure.on("error", () => socket.destroy())
      secure.once("secure", () => {
        names.push(secure.getPeerCertificate().subject?.CN as string | undefined)
        secure.destroy()
      })
    }),
  )
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close()),
  )
  return { names, port: (server.address() as AddressInfo).port }
})

describe("TLS of a PostgreSQL URL", () => {
  it.live("accepts a server only by the authorities of sslrootcert, and sends the certificate of sslcert", () =>
    Effect.gen(function* () {
      const { names, port } = yield* listening
      const failureWith = (parameters: string) =>
        Effect.flatMap(Engine.fromUrl(`postgres://me@127.0.0.1:${port}/chains?${parameters}`, folder), (database) =>
          Effect.flip(database.apiKeys.list),
        ).pipe(Effect.scoped)
      const { message } = yield* failureWith("sslmode=require")
      yield* failureWith("sslrootcert=localhost.cert.pem")
      yield* failureWith("sslrootcert=localhost.cert.pem&sslcert=renewed.cert.pem&sslkey=renewed.key.pem")

      expect(message).toMatch(/^Database unreachable by TLS: .* \(DEPTH_ZERO_SELF_SIGNED_CERT\)/)
      expect(names).toEqual([undefined, "renewed"])
    }).pipe(Effect.scoped),
  )
})
