/**
 * Wallets that are added to an index and removed from it by the command line, and their effect on the other commands.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect, Redacted, References } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import { request } from "../server/service.ts"
import * as TestStore from "../store/TestStore.ts"
import { daybook, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout })

/**
 * The pages of wallets, as a service over the index sends them: the blocks of the rows, and what is reported as
 * indexed.
 */
const pagesOf = Effect.fnUntraced(
  function* (config: unknown, baseFolder: string, name: string, wallets: ReadonlyArray<string>) {
    const decoded = yield* Effect.fromResult(Config.decode(config))
    const { address, keys } = yield* Service.run(decoded, { roles: ["rest"], baseFolder })
    const key = Redacted.value((yield* keys.add({ name, operator: false, empty: null }))!)
    return yield* Effect.forEach(wallets, (wallet) =>
      Effect.gen(function* () {
        const url = `${address!.url}/api/v2.2/${wallet}/verbose?chain=dev&order=ASC`
        const { headers, json } = yield* request(url, { headers: { "x-api-key": key } })
        if (json.code !== undefined) return json.code as string
        const rows: ReadonlyArray<{ readonly block_number: string }> = json.result
        const blocks = [...new Set(rows.map(({ block_number }) => Number(block_number)))]
        return { blocks, from: headers["daybook-indexed-from"], to: headers["daybook-indexed-to"] }
      }),
    )
  },
  Effect.scoped,
  Effect.provideService(References.MinimumLogLevel, "None"),
)

/** A node whose blocks have a transaction of two wallets each, and a folder with an index of one of them. */
const prepared = Effect.gen(function* () {
  const node = yield* Anvil.make()
  const [mine = "", added = "", other = ""] = node.accounts
  const base = yield* temporaryFolder
  const chains = { dev: { id: node.chainId, rpc: [node.url], watch: [mine] } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
  /** Mines blocks up to a number, and indexes them as a service that has just started. */
  const index = Effect.fnUntraced(function* (to: number) {
    for (let { number } = yield* Head.current(node); number < to; number++) {
      yield* Head.transfer(node, { from: added, to: mine, valueWei: 2n })
      yield* Head.transfer(node, { from: mine, to: other, valueWei: 1n })
      yield* Head.mine(node)
    }
    const store = yield* TestStore.open(yield* Engine.fromUrl("sqlite:data", base), { name: "dev", id: node.chainId })
    const indexer = yield* start(store, [node.url], { watch: new Set([mine]) })
    yield* indexer.until(caughtUp(to))
    yield* indexer.stop
  }, Effect.scoped)
  const run = (...args: ReadonlyArray<string>) => daybook(base, ...args)
  let asked = 0
  const pages = (...wallets: ReadonlyArray<string>) => pagesOf(config, base, `key ${++asked}`, wallets)
  return { mine, added, other, index, run, pages }
})

it.live(
  "watch: indexes every transaction of an added wallet from the next block on, across restarts, until it is removed",
  () =>
    Effect.gen(function* () {
      const { added, index, mine, other, pages, run } = yield* prepared
      const empty = yield* run("watch", "add", added)
      yield* index(3)
      const before = yield* pages(added)
      const add = yield* run("watch", "add", added, mine)
      const listed = yield* run("watch", "list")
      yield* index(5)
      const after = yield* pages(mine, added, other)
      const json = yield* run("watch", "list", "--json")
      const refused = yield* run("watch", "remove", added, mine)
      yield* index(6)
      const kept = yield* pages(added)
      const remove = yield* run("watch", "remove", added, other)
      const removed = yield* pages(added)
      yield* index(7)
      yield* run("watch", "add", added)
      yield* index(8)

      expect(empty).toMatchObject({ code: 4, err: expect.stringContaining("Database folder missing: ") })
      expect(before).toEqual(["address_not_watched"])
      expect(add).toEqual({
        code: 0,
        out: `${added} on dev: added, indexed from block 4 at the earliest; its past is added as it is found, see "daybook watch list --chain dev"
${mine} on dev: watched already, indexed from block 0 on
`,
        err: "",
      })
      expect(listed.out.split("\n").toSorted()).toEqual(
        [
          "",
          `${mine} on dev: indexed 0 to 3, not compared with the chain yet`,
          `${added} on dev: indexed from block 4 on, its past is not searched yet, not compared with the chain yet`,
        ].toSorted(),
      )
      expect(after).toEqual([
        { blocks: [1, 2, 3, 4, 5], from: "0", to: "5" },
        { blocks: [4, 5], from: "4", to: "5" },
        "address_not_watched",
      ])
      expect(
        json.out
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown),
      ).toContainEqual(expect.objectContaining({ address: added, chain: "dev", indexed: { from: 4, to: 5 } }))
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringContaining(`Wallet named in the configuration: ${mine} on dev.`),
      })
      expect(kept).toEqual([{ blocks: [4, 5, 6], from: "4", to: "6" }])
      expect(remove).toMatchObject({ code: 0, out: `${added} on dev: removed\n${other} on dev: not watched\n` })
      expect(removed).toEqual(["address_not_watched"])
      expect(yield* pages(added)).toEqual([{ blocks: [8], from: "8", to: "8" }])
    }),
)

it.live(
  "verify, reconcile: expect an added wallet from its first block on, and compare it once all blocks include it",
  () =>
    Effect.gen(function* () {
      const { added, index, mine, run } = yield* prepared
      yield* index(3)
      yield* run("watch", "add", added)
      yield* index(5)
      const verified = yield* run("verify")
      const againstNode = yield* run("verify", "--against-node")
      const whole = yield* run("reconcile", mine, "--at", "5")
      const unwatched = yield* run("reconcile", `0x${"12".repeat(20)}`, "--at", "5")
      const partial = yield* run("reconcile", added, "--at", "5")
      yield* run("reindex", "--from", "0")
      yield* index(5)
      const again = yield* run("reconcile", added, "--at", "5")

      expect(verified).toMatchObject({ code: 0, out: "dev: verified 6 blocks and 10 transactions: no issues\n" })
      expect([againstNode.code, againstNode.err]).toEqual([0, ""])
      expect([whole.code, whole.err]).toEqual([0, ""])
      expect(unwatched).toMatchObject({ code: 1, out: "" })
      expect(unwatched.err).toContain(`Wallet not watched: 0x${"12".repeat(20)} on dev, whose index covers`)
      expect(partial).toMatchObject({ code: 1, out: "" })
      expect(partial.err).toContain(
        `Wallet not comparable: ${added} on dev is indexed from block 4, but the index begins with block 0.`,
      )
      expect([again.code, again.err]).toEqual([0, ""])
      expect(again.out).toContain(`${added} on dev, block 5: proved, `)
    }),
)
