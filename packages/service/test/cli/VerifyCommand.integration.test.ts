/** The maintenance commands as an operator runs them, on a database that the indexer wrote. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import { damage } from "../maintenance/damage.ts"
import { daybook, daybookProcess, type Ended } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 180_000 })

const splitLines = ({ out, ...ended }: Ended) => ({ ...ended, out: out.trim().split("\n") })

const run = (base: string, ...args: ReadonlyArray<string>) => Effect.map(daybook(base, ...args), splitLines)

describe("daybook verify, repair and reindex", () => {
  it.live("verify, repair and reindex: act on a database that the indexer wrote", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from = "", to = ""] = node.accounts
      for (let block = 0; block < 4; block++) {
        yield* Head.transfer(node, { from, to, valueWei: 1n + BigInt(block) })
        yield* Head.mine(node)
      }
      const base = yield* temporaryFolder
      const chains = { "my chain": { id: node.chainId, rpc: [node.url] } }
      const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }
      writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const database = yield* Engine.fromUrl("sqlite:data", base)
          const store = yield* TestStore.open(database, { name: "my chain", id: node.chainId })
          const indexer = yield* start(store, [node.url])
          yield* indexer.until(caughtUp(4))
          yield* indexer.stop
        }),
      )
      const file = join(base, "data/chain-my-chain.sqlite")

      const sound = splitLines(yield* daybookProcess(base, "verify"))
      expect(sound).toMatchObject({
        code: 0,
        out: ["my chain: verified 5 blocks and 4 transactions: no issues"],
      })
      const sampled = yield* run(base, "verify", "--against-node", "--sample", "2")
      expect([sampled.code, sampled.out[0]]).toEqual([
        0,
        expect.stringMatching(
          /^my chain: compared only a sample, 2 of 5 blocks and [12] transactions?, with the node: no differences$/,
        ),
      ])

      damage(file, `UPDATE document SET frame = x'00' WHERE id / 1048576 = 2`)
      const broken = yield* run(base, "verify", "--chain", "my-chain")
      expect([broken.code, broken.out.at(-1)]).toEqual([1, "my chain: verified 5 blocks and 4 transactions: 1 issue"])
      expect(broken.out[0]).toContain("block 2: transaction 0")
      expect(broken.err).toContain('Found 1 issue. Run "daybook repair" to fetch those blocks again.')
      const repaired = yield* run(base, "repair")
      expect([repaired.code, repaired.out.slice(-2)]).toEqual([
        0,
        ["my chain: 1 block fetched again, 0 orphaned entries removed", "my chain: no issues remain"],
      ])

      const removed = yield* run(base, "reindex", "--from", "3")
      expect(removed).toMatchObject({
        code: 0,
        out: [
          'my chain: 2 blocks removed, the last block is 2. The next "daybook serve" fetches them again. The file keeps its size.',
        ],
      })
      const status = yield* run(base, "status")
      expect(status).toMatchObject({
        code: 1,
        out: [
          'my chain: stopped, indexed 0 to 2, head unknown, traces trace_block. Blocks from 3 on were removed; "daybook serve" fetches them again.',
        ],
        err: "daybook: Not ready: my chain.\n",
      })
      const above = yield* run(base, "verify", "--from", "3")
      expect([above.code, above.err]).toEqual([
        1,
        "daybook: No blocks verified: the index has none from block 3 onwards.\n",
      ])
      const unknown = yield* run(base, "verify", "--chain", "moon")
      expect([unknown.code, unknown.err.trim()]).toEqual([
        2,
        'daybook: Invalid option "--chain": expected a chain of the configuration (my chain), received "moon".',
      ])
    }),
  )
})
