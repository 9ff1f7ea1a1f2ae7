/** A wallet that is added to a running service: its past and later rows form one history. */
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { it } from "@effect/vitest"
import { Effect, Redacted, References } from "effect"
import { expect, vi } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import * as Engine from "../../src/store/Engine.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { request } from "./service.ts"

vi.setConfig({ testTimeout: 120_000 })

it.live(
  "run: a wallet added to a running service gets its past, later rows and the replacements of a reorg, each once",
  () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [mine = "", added = "", other = ""] = node.accounts
      const mineBlock = Effect.gen(function* () {
        yield* Head.transfer(node, { from: added, to: other, valueWei: 1n })
        return yield* Head.mine(node)
      })
      for (let block = 0; block < 9; block++) yield* mineBlock
      const baseFolder = yield* temporaryFolder
      const config = yield* Effect.fromResult(
        Config.decode({
          listen: { host: "127.0.0.1", port: 0 },
          database: "sqlite:data",
          chains: { dev: { id: node.chainId, rpc: [node.url], watch: [mine], proofCallsPerMinute: 1_000_000 } },
        }),
      )
      const { address, keys } = yield* Service.run(config, { baseFolder, isInline: true })
      const key = Redacted.value((yield* keys.add({ name: "reader", operator: false, empty: null }))!)
      const page = Effect.map(
        request(`${address!.url}/api/v2.2/${added}/verbose?chain=dev&order=ASC`, { headers: { "x-api-key": key } }),
        ({ headers, json }) => ({
          blocks: (json.result ?? []).map((row: { readonly block_number: string }) => Number(row.block_number)),
          from: headers["daybook-indexed-from"],
          to: headers["daybook-indexed-to"],
          searched: headers["daybook-searched-to"],
        }),
      )
      const until = (matches: (found: Effect.Success<typeof page>) => boolean) =>
        Effect.andThen(
          Eventually.untilEffect(Effect.map(page, matches), { everyMillis: 50, what: "the page of the added wallet" }),
          page,
        )
      const database = yield* Engine.fromUrl("sqlite:data", baseFolder)
      const { changeWatch, reader } = database.chain({ name: "dev", id: node.chainId })
      yield* Eventually.untilEffect(
        reader
          .snapshot(({ checkpoint }) => Effect.map(checkpoint, (found) => found?.head.number === 9))
          .pipe(Effect.orElseSucceed(() => false)),
        { everyMillis: 50, what: "the index" },
      )

      yield* changeWatch({ _tag: "Add", wallets: [added] })
      const past = yield* until(({ from }) => from === "0")
      yield* mineBlock
      const next = yield* until(({ to }) => to === "10")
      const transfers = [{ from: added, to: other, valueWei: 2n, blockIndex: 1 }]
      yield* Head.reorganise(node, { depth: 3, moreBlocks: 1, transfers })
      const replaced = yield* until(({ to }) => to === "11")

      expect(past).toEqual({ blocks: [1, 2, 3, 4, 5, 6, 7, 8, 9], from: "0", to: "9", searched: "9" })
      expect(next).toEqual({ blocks: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], from: "0", to: "10", searched: "9" })
      expect(replaced).toEqual({ blocks: [1, 2, 3, 4, 5, 6, 7, 9], from: "0", to: "11", searched: "7" })
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
)
