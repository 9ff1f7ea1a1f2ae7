import { describe, it } from "@effect/vitest"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import { daybook, timeout, withConfig } from "./daybook.ts"

const node = { rpc: ["http://127.0.0.1:65535"] }
const twoChains = { chains: { eth: node, "my chain": { id: 5, ...node } } }
const rejected = (what: string) => ({ code: 2, out: "", err: `daybook: ${what} Nothing was removed.\n` })

/** Makes the stores of chains without blocks. */
const withStores = (base: string, ...chains: ReadonlyArray<{ readonly name: string; readonly id: number }>) =>
  Effect.gen(function* () {
    const database = yield* Engine.fromUrl("sqlite:data", base)
    for (const chain of chains) yield* TestStore.open(database, chain)
  }).pipe(Effect.scoped)

describe("daybook reindex", () => {
  it.live(
    "reindex: removes nothing unless exactly one of --from and --all is given",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const [neither, both] = yield* Effect.all(
          [daybook(base, "reindex"), daybook(base, "reindex", "--all", "--from", "3")],
          { concurrency: 2 },
        )

        expect(neither).toEqual(
          rejected('Neither "--from N" (blocks from N) nor "--all" (the whole index) is given. Give one of them.'),
        )
        expect(both).toEqual(rejected('Both "--from" and "--all" are given. Give one of them.'))
      }),
    timeout,
  )

  it.live(
    "reindex: with several chains, removes nothing unless chains are selected",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig(twoChains)
        yield* withStores(base)
        const [unselected, both] = yield* Effect.all(
          [daybook(base, "reindex", "--all"), daybook(base, "reindex", "--all", "--chain", "eth", "--all-chains")],
          { concurrency: 2 },
        )

        expect(unselected).toEqual(
          rejected(
            'The configuration has several chains: eth, my chain. Select some with "--chain NAME", or all with "--all-chains".',
          ),
        )
        expect(both).toEqual(rejected('Both "--chain" and "--all-chains" are given. Give one of them.'))
      }),
    timeout,
  )

  it.live(
    "reindex: removes the blocks of the selected chains",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const two = yield* withConfig(twoChains)
        const eth = { name: "eth", id: 1 }
        yield* withStores(base, eth)
        yield* withStores(two, eth, { name: "my chain", id: 5 })
        const [only, named, every] = yield* Effect.all(
          [
            daybook(base, "reindex", "--all", "--chain", "eth"),
            daybook(two, "reindex", "--all", "--chain", "my-chain"),
            daybook(two, "reindex", "--from", "7", "--all-chains"),
          ],
          { concurrency: 2 },
        )

        expect(only).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^eth: Nothing to remove: the index is empty\.\n$/),
        })
        expect(named).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^my chain: Nothing to remove: the index is empty\.\n$/),
        })
        expect(every.code).toBe(0)
        expect(every.out.match(/^(eth|my chain): Nothing to remove/gm)).toHaveLength(2)
      }),
    timeout,
  )

  it.live(
    "reindex, compact: reject a database that does not exist, and create none",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const folder = join(base, "data")
        const commands = [["reindex", "--all"], ["compact"]]
        const withoutFolder = yield* Effect.forEach(commands, (args) => daybook(base, ...args))
        const isMade = existsSync(folder)
        yield* withStores(base)
        const withoutFile = yield* Effect.forEach(commands, (args) => daybook(base, ...args))

        for (const ended of withoutFolder) {
          const what = `Database folder missing: ${folder}. Correct "database", or run "daybook serve", which creates it.`
          expect(ended).toEqual({ code: 4, out: "", err: `daybook: ${what}\n` })
        }
        for (const { code, err } of withoutFile) {
          expect([code, err]).toEqual([
            4,
            expect.stringMatching(/^daybook: Database file missing: chain-eth\.sqlite\./),
          ])
        }
        expect([isMade, readdirSync(folder)]).toEqual([false, []])
      }),
    timeout,
  )

  it.live(
    "reindex, verify: report an invalid block number",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const ended = yield* Effect.all(
          [daybook(base, "reindex", "--from", "-5"), daybook(base, "verify", "--from=-5")],
          { concurrency: 2 },
        )

        for (const { code, err, out } of ended) {
          expect([code, out]).toEqual([2, ""])
          expect(err).toMatch(
            /^daybook: Invalid option "--from": expected a block number in decimal digits from 0 to 9007199254740991, received ".*\.\n$/,
          )
        }
      }),
    timeout,
  )
})
