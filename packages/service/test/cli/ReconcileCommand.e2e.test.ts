/** Indexed wallets compared by the command line. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import { damage } from "../maintenance/damage.ts"
import * as TestStore from "../store/TestStore.ts"
import { request } from "../server/service.ts"
import { daybook, daybookProcess, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 15 }).pipe(Layer.provideMerge(Anvil.layer()))

/** The header of a wallet's page that states up to which block it is proved, as a service over the index sends it. */
const reconciledTo = Effect.fnUntraced(function* (config: unknown, baseFolder: string, wallet: string) {
  const decoded = yield* Effect.fromResult(Config.decode(config))
  const { address, keys } = yield* Service.run(decoded, { roles: ["rest"], baseFolder })
  const key = Redacted.value((yield* keys.add({ name: wallet, operator: false, empty: null }))!)
  const url = `${address!.url}/api/v2.2/${wallet}/movements?chain=dev`
  const { headers, status } = yield* request(url, { headers: { "x-api-key": key } })
  return [status, headers["daybook-reconciled-to"]]
}, Effect.scoped)

layer(scenario, { excludeTestServices: true })("daybook reconcile", (it) => {
  it.effect(
    "reconcile: proves wallets of an index from the middle of a chain, and names a row that its file lost",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.Anvil
        const { accounts, lastBlock } = yield* Scenario.Scenario
        const base = yield* temporaryFolder
        const chains = { dev: { id: node.chainId, rpc: [node.url], fromBlock: 9 } }
        const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }
        writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* TestStore.open(yield* Engine.fromUrl("sqlite:data", base), {
              name: "dev",
              id: node.chainId,
            })
            const indexer = yield* start(store, [node.url], { fromBlock: 9, finalityBlocks: 2 })
            yield* indexer.until(caughtUp(lastBlock))
            yield* indexer.stop
          }),
        )
        const at = ["--chain", "dev", "--at", String(lastBlock)]
        const text = yield* daybookProcess(base, "reconcile", accounts.alice, accounts.bob, ...at)
        const stated = yield* Effect.forEach([accounts.alice, accounts.carol], (wallet) =>
          reconciledTo(config, base, wallet),
        )
        const condition = `hex(wallet) = upper('${accounts.bob.slice(2)}') AND id / 1048576 >= 9`
        const first = `(SELECT min(id) FROM ledger WHERE ${condition})`
        damage(join(base, "data/chain-dev.sqlite"), `DELETE FROM ledger WHERE ${condition} AND id = ${first}`)
        const json = yield* daybook(base, "reconcile", accounts.alice, accounts.bob, ...at, "--json")
        const watched = { dev: { ...chains.dev, watch: [accounts.alice, accounts.bob, accounts.carol] } }
        writeFileSync(join(base, "daybook.json"), JSON.stringify({ ...config, chains: watched }))
        const list = yield* daybook(base, "watch", "list")
        const listed = yield* daybook(base, "watch", "list", "--json")
        const [alice, bob] = json.out
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { readonly differences: ReadonlyArray<{ readonly first_block: number }> })

        expect([text.code, text.err]).toEqual([0, ""])
        expect(stated).toEqual([
          [200, String(lastBlock)],
          [200, undefined],
        ])
        expect(text.out).toMatch(
          new RegExp(`^${accounts.alice} on dev, block ${lastBlock}: proved, \\d+ sums compared, 0 differences$`, "m"),
        )
        expect(json.code).toBe(1)
        expect(json.err).toContain(`Not proved: ${accounts.bob}.`)
        expect(alice).toMatchObject({
          address: accounts.alice,
          chain: "dev",
          block_number: lastBlock,
          proved: true,
          differences: [],
          not_checked: [],
        })
        expect(bob).toMatchObject({ address: accounts.bob, proved: false, not_checked: [] })
        expect(list.out.split("\n").slice(0, 3)).toEqual([
          `${accounts.alice} on dev: indexed 9 to ${lastBlock}, proved at block ${lastBlock}`,
          expect.stringMatching(
            new RegExp(`^${accounts.bob} on dev: indexed 9 to ${lastBlock}, \\d+ differences? at block`),
          ),
          `${accounts.carol} on dev: indexed 9 to ${lastBlock}, not compared with the chain yet`,
        ])
        expect(JSON.parse(listed.out.split("\n")[0]!)).toEqual({
          address: accounts.alice,
          chain: "dev",
          indexed: {
            from: 9,
            to: lastBlock,
          },
          proved_to: lastBlock,
          searched_to: null,
          calls_left: null,
          millis_left: null,
          search_issue: null,
          compared_at: lastBlock,
          differences: 0,
          not_checked: [],
        })
        expect(bob!.differences.length).toBeGreaterThan(0)
        for (const difference of bob!.differences) expect(difference.first_block).toBe(bob!.differences[0]!.first_block)
      }),
  )
})
