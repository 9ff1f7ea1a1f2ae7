/**
 * Measures discoveries of wallets of 10, 100 and 1,000 transactions beside fetching every block of the same chain.
 * `node test/discovery/measure.ts [blocks]`, by default 10,000 blocks. A tenth of the transactions of a wallet are ether that it receives.
 */
import { Effect, Stream } from "effect"
import { Anvil } from "@daybook/chain"
import { Random } from "@daybook/harness"
import * as Connection from "../../src/discovery/Connection.ts"
import * as DiscoveredBlocks from "../../src/discovery/DiscoveredBlocks.ts"
import * as Statement from "../../src/statement/Statement.ts"

const blocks = Number(process.argv[2] ?? 10_000)
const sizes = [10, 100, 1_000]
const print = (line: string) => void process.stdout.write(`${line}\n`)

const hex = (number: number | bigint) => `0x${number.toString(16)}`

/** Mines a chain in which each wallet has its transactions in blocks of its own; gives the wallets. */
const mine = Effect.fnUntraced(function* (node: Anvil.Node) {
  const random = Random.make(1)
  const wallets = sizes.map((_, at) => node.accounts[at]!)
  const other = node.accounts[9]!
  const used = new Set<number>()
  const planned: Array<readonly [block: number, from: string, to: string]> = []
  for (const [at, size] of sizes.entries()) {
    for (let index = 0; index < size; index++) {
      let block = 0
      while (block === 0 || used.has(block)) block = 1 + random.integer(blocks)
      used.add(block)
      planned.push(index % 10 === 0 ? [block, other, wallets[at]!] : [block, wallets[at]!, other])
    }
  }
  let head = 0
  for (const [block, from, to] of planned.toSorted(([one], [another]) => one - another)) {
    if (block - head > 1) yield* node.call("anvil_mine", [hex(block - head - 1)])
    yield* node.call("eth_sendTransaction", [{ from, to, value: "0x1", gas: "0x5208" }])
    yield* node.call("anvil_mine", ["0x1"])
    head = block
  }
  if (head < blocks) yield* node.call("anvil_mine", [hex(blocks - head)])
  return wallets
})

const measured = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const value = yield* effect
    return { value, seconds: ((performance.now() - began) / 1000).toFixed(1) }
  })

const program = Effect.gen(function* () {
  const node = yield* Anvil.make({ persistedStates: blocks + 1 })
  const wallets = yield* mine(node)
  print(`chain of ${blocks} blocks`)
  for (const [at, size] of sizes.entries()) {
    const connection = yield* Connection.connect({ node: { url: node.url } })
    const options = { addresses: [wallets[at]!], at: blocks }
    const { seconds, value } = yield* measured(Statement.run(connection, options))
    const { calls, requests } = connection.usage()
    const [statement] = value.statements
    const outcome = statement!.isProved ? "proved" : "NOT PROVED"
    print(
      `${size}: ${statement!.transactions} transactions, ${calls} calls in ${requests} requests, ${seconds} s, ${outcome}`,
    )
  }
  const connection = yield* Connection.connect({ node: { url: node.url } })
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
