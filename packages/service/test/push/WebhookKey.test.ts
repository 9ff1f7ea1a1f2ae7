import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as WebhookKey from "../../src/push/WebhookKey.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const settings = { allowPrivate: false, perKey: 10, addressesPerKey: 1_000, addressesPerWebhook: 1_000, total: 1_000 }
const chains = { eth: { rpc: ["http://127.0.0.1:8545"] } }
const listen = { host: "127.0.0.1", port: 0 }

describe("WebhookKey", () => {
  it.effect("settingsOf: creates a key once, in the folder of the database, readable only by its owner", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, other] = yield* Effect.all(
        [WebhookKey.settingsOf(settings, "sqlite:.", folder), WebhookKey.settingsOf(settings, "sqlite:.", folder)],
        { concurrency: 2 },
      )
      const file = join(folder, "webhooks.key")

      expect(one.key).toMatch(/^[\w-]{43}$/)
      expect(other.key).toBe(one.key)
      expect(readFileSync(file, "utf8")).toBe(`${one.key}\n`)
      expect(statSync(file).mode & 0o077).toBe(0)
      expect(readdirSync(folder)).toEqual(["webhooks.key"])
    }),
  )

  it.effect("settingsOf: finds the folder of a database with options, and names a missing folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const settingsIn = (url: string) => WebhookKey.settingsOf(settings, { url, replicas: [] }, folder)
      const { key } = yield* settingsIn("sqlite:.")
      const { message } = yield* Effect.flip(settingsIn("sqlite:missing"))

      expect(readFileSync(join(folder, "webhooks.key"), "utf8")).toBe(`${key}\n`)
      expect(message).toContain(`${join(folder, "missing", "webhooks.key")} cannot be read or created (ENOENT).`)
    }),
  )

  it.effect("settingsOf: uses the configured key and creates no file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const key = "k".repeat(32)
      const found = yield* WebhookKey.settingsOf({ ...settings, key }, "sqlite:missing", folder)

      expect(found.key).toBe(key)
    }),
  )

  it.effect("settingsOf: rejects a file without a key, and does not show its contents", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "webhooks.key"), "short0text", { mode: 0o600 })
      const error = yield* Effect.flip(WebhookKey.settingsOf(settings, "sqlite:.", folder))

      expect(error.message).toContain("webhooks.key")
      expect(error.message).toContain("holds no key")
      expect(error.message).not.toContain("short0text")
    }),
  )

  it.effect("settingsOf: rejects a file that others may read", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "webhooks.key"), "k".repeat(43), { mode: 0o644 })
      const error = yield* Effect.flip(WebhookKey.settingsOf(settings, "sqlite:.", folder))

      expect(error.message).toContain("is readable by others")
    }),
  )

  it.effect("settingsOf: states why a missing file cannot be created", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      // The path of the file can be opened, but the path of its temporary file is too long.
      const free = 4_090 - join(folder, "webhooks.key").length
      const url = `sqlite:${"a/".repeat(Math.floor(free / 2))}`
      const { message } = yield* Effect.flip(WebhookKey.settingsOf(settings, url, folder))

      expect(message).toContain("webhooks.key cannot be read or created (ENAMETOOLONG).")
    }),
  )

  it.effect("check: accepts a configured key, a file with one and no file, and creates none", () =>
    Effect.gen(function* () {
      const [folder, empty] = [yield* temporaryFolder, yield* temporaryFolder]
      const { key } = yield* WebhookKey.settingsOf(settings, "sqlite:.", folder)
      writeFileSync(join(empty, "file"), "")
      const checked = [
        WebhookKey.check({ ...settings, key: "k".repeat(32) }, "sqlite:.", empty),
        WebhookKey.check(settings, "sqlite:.", folder),
        WebhookKey.check(settings, "sqlite:.", empty),
        WebhookKey.check(settings, "sqlite:missing", empty),
        WebhookKey.check(settings, "sqlite:file", empty),
      ]

      expect(checked).toEqual(["k".repeat(32), key, null, null, null].map(Result.succeed))
      expect(readdirSync(empty)).toEqual(["file"])
    }),
  )

  it.effect("check: rejects a file that the service would reject", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "webhooks.key")
      const issue = () =>
        Result.match(WebhookKey.check(settings, "sqlite:.", folder), {
          onFailure: ({ message }) => message,
          onSuccess: String,
        })
      mkdirSync(file)
      const unreadable = issue()
      rmdirSync(file)
      writeFileSync(file, "short", { mode: 0o600 })

      expect(unreadable).toContain(`${file} cannot be read or created (EISDIR).`)
      expect(issue()).toContain(`${file} holds no key.`)
    }),
  )

  it("decode: requires a key only with a PostgreSQL database", () => {
    const decode = (database: unknown) => Config.decode({ listen, database, chains, webhooks: {} })
    const refused = decode({ url: "postgres://host/name", replicas: [] })

    expect(Result.isSuccess(decode("sqlite:data"))).toBe(true)
    expect(Result.isFailure(refused) && refused.failure.message).toContain(
      'Invalid configuration "webhooks.key": expected text of at least 32 characters, because a PostgreSQL database has no folder for a key file, received nothing.',
    )
  })
})
