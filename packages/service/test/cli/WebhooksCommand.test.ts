import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { canary, daybook, timeout, withConfig } from "./daybook.ts"

const watched = `0x${"1".padStart(40, "0")}`
const other = `0x${"2".padStart(40, "0")}`

describe("daybook webhooks", () => {
  it.live(
    "add: refuses a wallet that is not watched with the command that watches it, and adds no webhook",
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
        const added = yield* run("watch", "books", "--file", file)
        const refused = yield* run("watch", "books", fourth)
        const removed = yield* run("unwatch", "books", other)
        const { out } = yield* run("list", "--json")

        expect([added.code, refused.code, removed.code]).toEqual([0, 1, 0])
        expect(added.err).toContain('3 wallets in "books"; rows of new ones begin now.')
        expect(refused.err).toContain("A webhook has at most 3 (webhooks.addressesPerWebhook).")
        expect(JSON.parse(out)).toMatchObject({ addresses: [watched, third], address_count: 2 })
      }).pipe(Effect.scoped),
    timeout,
  )
})
