/** Measures the discovery of wallets with 10, 100 and 1,000 transactions, compared with fetching every block of the same chain. */
import { setTimeout } from "node:timers/promises"
import { Effect, Stream } from "effect"
import { Anvil } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as DiscoveredBlocks from "../../src/discovery/DiscoveredBlocks.ts"
import * as Statement from "../../src/statement/Statement.ts"
import * as Campaign from "../campaign/Campaign.ts"
import { discover } from "../books/DiscoveryBooks.ts"
import * as Archive from "./Archive.ts"
import { compare } from "./ArchiveComparison.ts"
import { review } from "./Findings.ts"
import * as LongChain from "./LongChain.ts"
import type * as Recording from "./Recording.ts"

const sizes = [10, 100, 1_000]
const comparedBlocks = 2_000

const measured = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const value = yield* effect
    return { value, seconds: ((performance.now() - began) / 1000).toFixed(1) }
  })

/** Connects to a node with an added response time, to simulate a network. */
const connect = (url: string, delayMillis: number) =>
  NodeConnection.connect({
    node: { url },
    fetch: async (input, init) => {
      if (delayMillis > 0) await setTimeout(delayMillis)
      return fetch(input, init)
    },
  })

/** Compares the archive with a node that has the state of every block. */
const compareArchive = Effect.fnUntraced(function* ({ fail, print }: Campaign.Output) {
  const node = yield* Anvil.make({ statesInMemory: comparedBlocks + 1 })
  const plan = LongChain.plan(node.accounts, comparedBlocks, sizes)
  yield* LongChain.mineAll(node, plan)
  const archive = yield* Archive.start(plan)
  const { compared, differences } = yield* compare(archive, node, plan, node.accounts)
  print(
    `archive of ${comparedBlocks} blocks: ${compared} responses compared with those of the node, ${differences.length} differ`,
  )
  for (const difference of differences.slice(0, 3)) fail(JSON.stringify(difference))
})

/** Discovers a wallet and verifies the result. */
const measureWallet = Effect.fnUntraced(function* (
  { recording, url }: { readonly recording: Recording.Recording; readonly url: string },
  { plan, blocks, delay }: { readonly plan: LongChain.PlannedChain; readonly blocks: number; readonly delay: number },
  wallet: LongChain.PlannedWallet,
  { fail }: Campaign.Output,
) {
  const connection = yield* connect(url, delay)
  const { seconds, value } = yield* measured(Statement.run(connection, { addresses: [wallet.address], at: blocks }))
  const { calls, requests } = connection.usage()
  const [statement] = value.statements
  const { discovered } = yield* discover(url, blocks, [wallet.address])
  const { changed, missing, surplus, unplanned, wrong } = review(recording, plan.tokens, wallet, discovered[0]!)
  const issues = { missing, surplus, unplanned, "with wrong amounts": wrong }
  for (const [issue, { length }] of Object.entries(issues)) if (length > 0) fail(`${length} ${issue}`)
  if (!statement!.isProved) fail("not proved")
  if (statement!.transactions !== wallet.blocks.length) fail(`${statement!.transactions} transactions`)
  return [calls, requests, seconds, changed]
})

Campaign.main({
  name: "discoveries",
  about: `Measures the discovery of wallets, compared with fetching every block of the same chain. The node is an archive, whose responses are first compared with those of a node with the state of every block, on a chain of ${comparedBlocks} blocks. Fails if a response or a discovery is wrong.`,
  options: {
    blocks: [10_000, "blocks of the chain"],
    delay: [0, "minimum response time in milliseconds"],
  },
  plan: Effect.fnUntraced(function* ({ blocks, delay }) {
    const accounts = yield* Effect.scoped(Effect.map(Anvil.make(), (node) => node.accounts))
    // Most blocks are empty, because most blocks of a real chain do not concern a wallet.
    const plan = LongChain.plan(
      accounts,
      blocks,
      sizes.filter((size) => size * 10 <= blocks),
    )
    const archive = yield* Archive.start(plan)
    const everyBlock = Effect.gen(function* () {
      const connection = yield* connect(archive.url, delay)
      const all = Stream.range(1, blocks).pipe(
        Stream.grouped(256),
        Stream.mapEffect((numbers) => DiscoveredBlocks.fetch(connection, numbers, new Set())),
        Stream.runDrain,
      )
      const { seconds } = yield* measured(all)
      const { calls, requests } = connection.usage()
      return [calls, requests, seconds, blocks]
    })
    return {
      columns: ["wallet", "calls", "requests", "seconds", "blocks"],
      cases: [
        { name: "archive compared with a node", run: compareArchive },
        ...plan.wallets.map((wallet): Campaign.Case => ({
          name: `${wallet.blocks.length} transactions`,
          run: (report) => measureWallet(archive, { plan, blocks, delay }, wallet, report),
        })),
        { name: "every block, fetched and derived without storing", run: () => everyBlock },
      ],
    }
  }),
})
