import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"
import { canary, daybook, ReadsOutput, timeout, withConfig } from "./daybook.ts"

const watched = `0x${"1".padStart(40, "0")}`
const other = `0x${"2".padStart(40, "0")}`

describe("daybook webhooks", () => {
  it.live(
    "add: rejects a wallet that is not watched, names the command that watches it, and adds no webhook",
    () =>
      Effect.gen(function* () {
        const chains = { eth: { rpc: [`http://127.0.0.1:65535/${canary}`], watch: [watched] } }
        const base = yield* withConfig({ chains, webhooks: { allowPrivate: true } })
        const add = (name: string, ...wallets: ReadonlyArray<string>) =>
          daybook(base, "webhooks", "add", name, ...wallets, "--url", "http://127.0.0.1:9/", "--config", "daybook.json")
        const refused = yield* add("books", watched, other)
        const added = yield* add("other", watched)
        const { out } = yield* daybook(base, "webhooks", "list", "--config", "daybook.json")

        expect(refused).toMatchObject({ code: 1, out: "" })
        expect(refused.err).toContain(
          `Wallet not watched: ${other}. Watch it with "daybook watch add ${other} --chain eth", or leave it out.`,
        )
        expect(added.code).toBe(0)
        expect(out.split("\t")[0]).toBe("other")
        expect(out.trim().split("\n")).toHaveLength(1)
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "add, list: state that the secret of a webhook is stored though it cannot be written, and a webhook that another version wrote",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ webhooks: { allowPrivate: true } })
        const { webhooks } = yield* Engine.fromUrl("sqlite:data", base)
        const run = (...words: ReadonlyArray<string>) => daybook(base, "webhooks", ...words, "--config", "daybook.json")
        const added = yield* Effect.provideService(
          run("add", "books", watched, "--url", "http://127.0.0.1:9/"),
          ReadsOutput,
          false,
        )
        yield* webhooks.add("another", { holder: null, state: "active", content: "{}" }, [])
        const [lines, objects] = [yield* run("list"), yield* run("list", "--json")]
        const state = "Webhook not readable: another version wrote it. Remove it and add it again."

        expect(added.code).toBe(1)
        expect(added.err.split("\n").at(-2)).toBe(
          'daybook: Cannot write standard output: ENOSPC: no space left on device, write. The secret is stored all the same, and cannot be shown again. Make another with "daybook webhooks rotate".',
        )
        expect(lines.out.split("\n")[0]).toBe(`another\t${state}`)
        expect(lines.out.split("\n")[1]).toMatch(/^books\thttp/)
        expect(JSON.parse(objects.out.split("\n")[0]!)).toEqual({ name: "another", address_count: 0, state })
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "watch, unwatch: add and remove the wallets of arguments and of a file, within the bound of a webhook",
    () =>
      Effect.gen(function* () {
        const chains = { eth: { rpc: [`http://127.0.0.1:65535/${canary}`] } }
        const base = yield* withConfig({ chains, webhooks: { allowPrivate: true, addressesPerWebhook: 3 } })
        const run = (...words: ReadonlyArray<string>) => daybook(base, "webhooks", ...words, "--config", "daybook.json")
        const [third, fourth] = [3, 4].map((one) => `0x${String(one).padStart(40, "0")}`) as [string, string]
        const file = join(base, "wallets.txt")
        writeFileSync(file, `${third}\n${other}\n`)
        yield* run("add", "books", watched, "--url", "http://127.0.0.1:9/")
        const missing = yield* run("watch", "books", "--file", `${file}.missing`)
        const added = yield* run("watch", "books", "--file", file)
        const refused = yield* run("watch", "books", fourth)
        const removed = yield* run("unwatch", "books", other)
        const { out } = yield* run("list", "--json")

        expect(missing.err).toContain(`expected a file that can be read, received ${file}.missing.`)
        expect([added.code, refused.code, removed.code]).toEqual([0, 1, 0])
        expect(added.err).toContain('3 wallets in "books"; rows of new wallets begin now.')
        expect(refused.err).toContain("A webhook has at most 3 (webhooks.addressesPerWebhook).")
        expect(JSON.parse(out)).toMatchObject({ addresses: [watched, third], address_count: 2 })
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "add, watch: store the start of each wallet's rows from the index, so that a late sender misses none",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ webhooks: { allowPrivate: true } })
        const database = yield* Engine.fromUrl("sqlite:data", base)
        const store = yield* TestStore.open(database, { name: "eth", id: 1 })
        yield* store.append(null, Rows.chain(0, 2))
        const run = (...words: ReadonlyArray<string>) => daybook(base, "webhooks", ...words, "--config", "daybook.json")
        const added = yield* run("add", "books", watched, "--url", "http://127.0.0.1:9/")
        yield* store.append({ number: 2, hash: Rows.chain(0, 2)[2]!.hash }, Rows.chain(3, 4))
        const more = yield* run("watch", "books", watched, other)
        const wallets = yield* database.webhooks.walletsOf("books", {})

        expect([added.code, more.code]).toEqual([0, 0])
        expect(
          wallets.map(({ journal, next, start, wallet }) => [wallet, journal?.split("-")[0], next, start]),
        ).toEqual([
          [watched, "1", 3, 3],
          [other, "2", 5, 5],
        ])
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "watch, unwatch: count wallets of the webhook once, and keep at least one",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ webhooks: { allowPrivate: true, addressesPerWebhook: 2 } })
        const run = (...words: ReadonlyArray<string>) => daybook(base, "webhooks", ...words, "--config", "daybook.json")
        yield* run("add", "books", watched, other, "--url", "http://127.0.0.1:9/")
        const again = yield* run("watch", "books", watched, other)
        const refused = yield* run("unwatch", "books", watched, other)
        const { out } = yield* run("list", "--json")

        expect([again.code, refused.code]).toEqual([0, 1])
        expect(again.err).toContain('2 wallets in "books"')
        expect(refused.err).toContain(
          'No wallet would be left in "books". Remove the webhook with "daybook webhooks remove books".',
        )
        expect(JSON.parse(out)).toMatchObject({ address_count: 2 })
      }).pipe(Effect.scoped),
    timeout,
  )
})
