/** Runs an indexer with scripted nodes in virtual time, for a single counterexample. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import type { IndexerEvent } from "../../src/indexer/IndexerEvent.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as Node from "../../src/node/Node.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { ChainReader } from "../../src/store/ChainReader.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as NodeResponse from "./NodeResponse.ts"
import * as SeededRandom from "../store/SeededRandom.ts"
import * as Tree from "./Tree.ts"
import * as VirtualTime from "./VirtualTime.ts"

/** A call to a node, and its context. */
export interface Question {
  /** First label of the node's host name. */
  readonly node: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly millis: number
}

/** A JSON-RPC reply; `undefined` for a correct one. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/** A scripted run. */
export interface Script {
  readonly nodes: ReadonlyArray<string>
  /** Current head of the chain. */
  readonly head: () => Tree.Block
  readonly respond: (question: Question) => Reply | undefined
  readonly forMillis: number
  /** Called ten times per second. */
  readonly watch?: (reader: ChainReader) => Effect.Effect<void>
}

const decoder = KnownSignatures.decoder()

export const tree = (): Tree.Tree => Tree.make(SeededRandom.make(1), true)

/** The block that is a number of blocks above another one. */
export const grown = (tree: Tree.Tree, from: Tree.Block, blocks: number): Tree.Block =>
  blocks === 0 ? from : grown(tree, tree.grow(from), blocks - 1)

const correctReply = (head: Tree.Block, { method, params: [id, flag] }: Question): Reply => {
  if (method === "eth_chainId") return { result: "0x1" }
  const number = id === "latest" ? head.number : Number(id)
  const known = Tree.chainOf(head, 0)
  const block = typeof id === "string" && id.length === 66 ? known.find(({ hash }) => hash === id) : known[number]
  if (id === "finalized") return { error: { code: -39001, message: "unknown block" } }
  if (block === undefined) return { result: null }
  if (method === "eth_getBlockByNumber")
    return { result: flag === true ? NodeResponse.hydrated(block) : NodeResponse.plain(block) }
  if (method === "eth_getBlockReceipts") return { result: NodeResponse.receipts(block) }
  return method === "trace_block"
    ? { result: NodeResponse.flat(block) }
    : { error: { code: -32601, message: `the method ${method} does not exist` } }
}

/** Runs a script; returns the events of the indexer, whether it ended, and the final contents of the store. */
export const run = async (script: Script) => {
  const time = VirtualTime.make(SeededRandom.make(1))
  const folder = mkdtempSync(join(tmpdir(), "daybook-script-"))
  const events: Array<IndexerEvent> = []
  const outerFetch = globalThis.fetch
  const fetch = async (url: string, { body }: { readonly body: string }) => {
    await new Promise<void>((resolve) => time.after(10, resolve))
    const replyTo = (call: Question & { readonly id: number }) => {
      const node = new URL(url).host.split(".")[0]!
      const question = { ...call, node, millis: time.now() - VirtualTime.beginning }
      return { jsonrpc: "2.0", id: call.id, ...(script.respond(question) ?? correctReply(script.head(), question)) }
    }
    const received = JSON.parse(body) as
      | (Question & { readonly id: number })
      | ReadonlyArray<Question & { readonly id: number }>
    return new Response(JSON.stringify("method" in received ? replyTo(received) : received.map(replyTo)))
  }
  // Sound: the client calls it only in this way.
  globalThis.fetch = fetch as unknown as typeof globalThis.fetch
  try {
    const simulation = Effect.gen(function* () {
      const database = yield* Engine.fromUrl(`sqlite:${folder}`, folder)
      const { reader } = database.chain({ name: "eth", id: 1 })
      const node = yield* Node.make({ urls: script.nodes.map((name) => `https://${name}.example/key`), chainId: 1 })
      const fiber = yield* Effect.forkScoped(
        ChainIndexer.run(node, {
          chain: "eth",
          chainId: 1,
          owner: "test",
          decoder,
          pollMillis: 500,
          rules: HashRules.ethereum,
          onEvent: (event) => Effect.sync(() => events.push(event)),
        }).pipe(Effect.provideService(Engine.Engine, database)),
      )
      for (let millis = 0; millis < script.forMillis; millis += 100) {
        yield* Effect.sleep(100)
        if (script.watch !== undefined) yield* script.watch(reader)
      }
      const ended = fiber.pollUnsafe()
      const rows = yield* Effect.forEach(Tree.wallets, (address) =>
        reader.snapshot((snapshot) =>
          snapshot.page(WalletTransactions.projection, {
            key: address,
            from: 0,
            to: 1000,
            order: "ASC",
            after: null,
            limit: 1000,
          }),
        ),
      )
      const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)
      return { checkpoint, events, rows: rows.flatMap((page) => page.rows), hasEnded: ended !== undefined }
    })
    const fiber = Effect.runFork(simulation.pipe(Effect.scoped, Effect.orDie, time.inside))
    await time.runUntil(VirtualTime.beginning + script.forMillis + 60_000, () => fiber.pollUnsafe() !== undefined)
    return await Effect.runPromise(Fiber.join(fiber))
  } finally {
    globalThis.fetch = outerFetch
    rmSync(folder, { recursive: true, force: true })
  }
}
