/**
 * Measures discoveries of wallets of 10, 100 and 1,000 transactions beside fetching every block of the same chain. The node is an
 * archive that is first compared with a node that keeps the state of every block, on a chain of 2,000 blocks. Fails where an answer or
 * a finding is wrong.
 *
 * `node test/discovery/measure.ts [blocks] [delay]`: by default 10,000 blocks, and a node that answers at once; `delay` is the time in
 * milliseconds that each request takes at least.
 */
import { setTimeout } from "node:timers/promises"
import { Effect, Stream } from "effect"
import { Anvil } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as DiscoveredBlocks from "../../src/discovery/DiscoveredBlocks.ts"
import * as Statement from "../../src/statement/Statement.ts"
import { discover } from "../books/DiscoveryBooks.ts"
import * as Archive from "./Archive.ts"
import { compare } from "./ArchiveComparison.ts"
import { review } from "./Findings.ts"
import * as LongChain from "./LongChain.ts"
import type * as Recording from "./Recording.ts"

const blocks = Number(process.argv[2] ?? 10_000)
const delayMillis = Number(process.argv[3] ?? 0)
const sizes = [10, 100, 1_000]
const comparedBlocks = 2_000
const print = (line: string) => void process.stdout.write(`${line}\n`)

const measured = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const value = yield* effect
    return { value, seconds: ((performance.now() - began) / 1000).toFixed(1) }
  })

/** A request that takes longer, as over a network. */
const delayed: typeof fetch = async (input, init) => {
  if (delayMillis > 0) await setTimeout(delayMillis)
  return fetch(input, init)
}

const fail = (message: string) => Effect.die(new Error(message))

/** The archive gives the same answers as a node with the state of every block. */
const compareArchive = Effect.gen(function* () {
  const node = yield* Anvil.make({ statesInMemory: comparedBlocks + 1 })
  const plan = LongChain.plan(node.accounts, comparedBlocks, sizes)
  yield* LongChain.mineAll(node, plan)
  const archive = yield* Archive.start(plan)
  const { compared, differences } = yield* compare(archive, node, plan, node.accounts)
  print(`archive of ${comparedBlocks} blocks: ${compared} answers like those of the node, ${differences.length} unlike`)
  if (differences.length > 0) return yield* fail(JSON.stringify(differences.slice(0, 3)))
}).pipe(Effect.scoped)

const connect = (url: string) => NodeConnection.connect({ node: { url }, fetch: delayed })

/** Discovers a wallet, states what it took, and verifies what it has found. */
const measureWallet = Effect.fnUntraced(function* (
  { recording, url }: { readonly recording: Recording.Recording; readonly url: string },
  plan: LongChain.PlannedChain,
  wallet: LongChain.PlannedWallet,
) {
  const connection = yield* connect(url)
  const { seconds, value } = yield* measured(Statement.run(connection, { addresses: [wallet.address], at: blocks }))
  const { calls, requests } = connection.usage()
  const [statement] = value.statements
  const { discovered } = yield* discover(url, blocks, [wallet.address])
  const { changed, missing, surplus, unplanned, wrong } = review(recording, plan.tokens, wallet, discovered[0]!)
  const { length: size } = wallet.blocks
  print(
    `${size}: ${calls} calls in ${requests} requests, ${seconds} s; ${statement!.transactions} transactions in ` +
      `${changed} blocks, ${missing.length} missing, ${surplus.length} surplus, ${wrong.length} with other amounts, ` +
      (statement!.isProved ? "proved" : "NOT PROVED"),
  )
  const issues = [...missing, ...surplus, ...unplanned, ...wrong]
  if (!statement!.isProved || statement!.transactions !== size || issues.length > 0)
    return yield* fail("not what was planned")
})

const program = Effect.gen(function* () {
  yield* compareArchive
  const accounts = yield* Effect.scoped(Effect.map(Anvil.make(), (node) => node.accounts))
  const plan = LongChain.plan(accounts, blocks, sizes)
  const archive = yield* Archive.start(plan)
  print(`chain of ${blocks} blocks, ${delayMillis} ms added to each request`)
  for (const wallet of plan.wallets) yield* measureWallet(archive, plan, wallet)
  const connection = yield* connect(archive.url)
  const all = Stream.range(1, blocks).pipe(
    Stream.grouped(256),
    Stream.mapEffect((numbers) => DiscoveredBlocks.fetch(connection, numbers, new Set())),
    Stream.runDrain,
  )
  const { seconds } = yield* measured(all)
  const { calls, requests } = connection.usage()
  print(`every block, fetched and derived without storing: ${calls} calls in ${requests} requests, ${seconds} s`)
})

await Effect.runPromise(Effect.scoped(program))
process.exit()
