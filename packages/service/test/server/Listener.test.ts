import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import { createServer as createSocketServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as ExitCode from "../../src/cli/ExitCode.ts"
import * as Config from "../../src/config/Config.ts"
import * as Listener from "../../src/server/Listener.ts"
import * as Service from "../../src/Service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const fixtures = join(import.meta.dirname, "fixtures")
const tls = { cert: join(fixtures, "localhost.cert.pem"), key: join(fixtures, "localhost.key.pem") }

const serve = Effect.fnUntraced(function* (baseFolder: string, more: object) {
  const chains = { eth: { rpc: ["http://127.0.0.1:65535"] } }
  const limits = { drainIdleMillis: 1 }
  const config = yield* Effect.fromResult(
    Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains, limits, ...more }),
  )
  const { address } = yield* Service.run(config, { roles: ["rest", "relay"], baseFolder })
  return address!
})

/** GET of `/health`: the status and the body. */
const health = (options: object, isTls = false) =>
  Effect.promise(
    () =>
      new Promise<readonly [status: number | undefined, body: string]>((resolve, reject) => {
        const send = isTls ? requestTls : requestPlain
        const sent = send({ path: "/health", agent: false, ...options }, (response) => {
          let body = ""
          response.on("data", (chunk: Buffer) => (body += chunk.toString()))
          response.on("end", () => resolve([response.statusCode, body]))
        })
        sent.on("error", reject).end()
      }),
  )

const ok = [200, '{"status":"ok"}']

describe("listening", () => {
  it.live("a Unix socket serves its owner and group, replaces a leftover socket, and is removed at the end", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      const path = join(base, "daybook.sock")
      // A killed process leaves its socket behind, like a listener that is closed without Node's knowledge.
      const left = createSocketServer()
      yield* Effect.promise(() => new Promise<void>((resolve) => left.listen({ path: `${path}.left` }, resolve)))
      renameSync(`${path}.left`, path)
      yield* Effect.promise(() => new Promise<void>((resolve) => left.close(() => resolve())))
      expect(statSync(path).isSocket()).toBe(true)

      yield* Effect.scoped(
        Effect.gen(function* () {
          const address = yield* serve(base, { listen: `unix:${path}` })

          expect(address.url).toBe(`unix:${path}`)
          expect((statSync(path).mode & 0o777).toString(8)).toBe("660")
          expect(yield* health({ socketPath: path })).toEqual(ok)
          const second = yield* Effect.flip(serve(base, { listen: `unix:${path}` }))
          expect(second.message).toBe(
            `Cannot listen on unix:${path}: another process listens there. Stop the other program, or change "listen" in the configuration.`,
          )
        }),
      )
      expect(existsSync(path)).toBe(false)
    }),
  )

  it.live("a file that is not a socket is not replaced", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      const path = join(base, "notes.txt")
      writeFileSync(path, "mine")

      const error = yield* Effect.flip(serve(base, { listen: `unix:${path}` }))

      expect(ExitCode.ofCause(Cause.fail(error))).toBe(3)
      expect([error.message, readFileSync(path, "utf8")]).toEqual([
        `Cannot listen on unix:${path}: a file that is not a socket is there. Move it away, or change "listen" in the configuration.`,
        "mine",
      ])
    }),
  )

  it.live("a socket whose path is too long is an invalid configuration, as config check reports", () =>
    Effect.gen(function* () {
      const path = `/${"x".repeat(108)}`

      const error = yield* Effect.flip(serve(yield* temporaryFolder, { listen: `unix:${path}` }))

      expect(error.message).toMatch(
        /^Cannot listen on .*: the path of a socket has at most \d+ bytes, and this one has 109\./,
      )
      expect(ExitCode.ofCause(Cause.fail(error))).toBe(3)
    }).pipe(Effect.scoped),
  )

  it.live("the path of a socket is relative to the folder of the configuration, which must exist", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      const { url } = yield* serve(base, { listen: "unix:own.sock" })
      const error = yield* Effect.flip(serve(base, { listen: "unix:missing/own.sock" }))

      expect(url).toBe(`unix:${join(base, "own.sock")}`)
      expect(yield* health({ socketPath: join(base, "own.sock") })).toEqual(ok)
      expect(error.message).toBe(
        `Cannot listen on unix:${join(base, "missing/own.sock")}: there is no such folder. Create it, or change "listen" in the configuration.`,
      )
    }).pipe(Effect.scoped),
  )

  it.live("with a certificate, the service speaks only HTTPS", () =>
    Effect.gen(function* () {
      const { port, url } = yield* serve(yield* temporaryFolder, { tls })
      const ca = readFileSync(tls.cert)

      expect(url).toBe(`https://127.0.0.1:${port}`)
      expect(yield* health({ host: "127.0.0.1", port, ca }, true)).toEqual(ok)
      const plain = yield* Effect.exit(Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health`)))
      expect(plain._tag).toBe("Failure")
    }),
  )

  it.effect(
    "a certificate that clients reject is reported at startup and when it replaces another, whose end is logged",
    () =>
      Effect.gen(function* () {
        const base = yield* temporaryFolder
        const files = { cert: join(base, "cert.pem"), key: tls.key }
        const write = (end: string) =>
          Effect.sync(() => writeFileSync(files.cert, readFileSync(tls.cert, "utf8") + end))
        const lines: Array<string> = []
        const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
        yield* Effect.gen(function* () {
          yield* TestClock.setTime(Date.UTC(2100, 0))
          yield* write("")
          const listener = yield* Listener.open({ listen: { host: "127.0.0.1", port: 0 }, tls: files })
          yield* yield* listener.prepareTls
          yield* write("\n")
          yield* yield* listener.prepareTls
          yield* TestClock.setTime(Date.UTC(2127, 0))
          yield* Listener.open({ listen: { host: "127.0.0.1", port: 0 }, tls: files })
        }).pipe(Effect.provide(Logger.layer([logger])))

        expect(lines).toEqual([
          'Info The certificate of "tls" is valid until 2126-10-30T08:01:07.000Z',
          'Warn The certificate of "tls" expired at 2126-10-30T08:01:07.000Z: clients reject it',
        ])
      }),
  )

  it.live(
    "an unusable certificate is reported by its path, without its contents, with the exit code of a configuration error",
    () =>
      Effect.gen(function* () {
        const base = yield* temporaryFolder
        const missing = yield* Effect.flip(serve(base, { tls: { cert: "cert.pem", key: "key.pem" } }))
        const swapped = yield* Effect.flip(serve(base, { tls: { cert: tls.key, key: tls.cert } }))

        expect(missing.message).toBe(
          `Cannot use the certificate of "tls": ${base}/cert.pem and ${base}/key.pem (ENOENT). Give a certificate and its key as PEM.`,
        )
        expect([missing, swapped].map((error) => ExitCode.ofCause(Cause.fail(error)))).toEqual([3, 3])
        expect(swapped.message).not.toMatch(/BEGIN/)
      }),
  )
})
