/**
 * Seeded traffic over a running node: the same seed gives the same addresses, transactions and blocks.
 *
 * It deploys the contracts, plays every kind of `Traffic` at least once and then draws kinds by their weight. It
 * returns a `World`, which names what happened, so that a test or a demo can point at it. It expects a fresh node that
 * does not mine by itself (`Anvil.layer()` as it is).
 */
import { Context, Effect, Layer } from "effect"
import type { Hex } from "viem"
import * as Anvil from "./Anvil.ts"
import * as Random from "@daybook/testkit/Random"
import type { RpcFailure } from "@daybook/testkit/Rpc"
import * as Sender from "./Sender.ts"
import * as Stage from "./Stage.ts"
import * as Traffic from "./Traffic.ts"

/** How much traffic, and which. */
export interface Options {
  /** Default 1. */
  readonly seed?: number
  /** Least number of blocks, those of the deployment included. Default 60. One round of every kind is always played. */
  readonly blocks?: number
  /** Transactions in a full block. Default 10. The node's gas limit ends a block earlier, at about 45 of them. */
  readonly size?: number
  /**
   * Whether to make type 3 transactions. Default true. The node takes about 2.7 s for the first one, because it loads
   * the KZG setup to check the blob; without them 600 transactions take less than a second.
   */
  readonly blobs?: boolean
  /** Called after each block. */
  readonly onProgress?: (progress: Progress) => void
}

export interface Progress {
  /** Blocks mined by the scenario so far. */
  readonly blocks: number
  /** Blocks that were asked for; the scenario may need a few more. */
  readonly ofBlocks: number
  /** Transactions mined by the scenario so far. */
  readonly transactions: number
}

/** What a scenario left on the chain. Addresses and hashes are lower-case hex. */
export interface World {
  readonly chainId: number
  readonly seed: number
  /** Accounts by name; `alice` has the longest history. */
  readonly accounts: Readonly<Record<Stage.AccountName, Hex>>
  readonly contracts: Stage.ContractAddresses
  /** Addresses without a key that only receive. */
  readonly strangers: ReadonlyArray<Hex>
  /**
   * Every address that signed, received, was created or was paid within, sorted; some were only touched inside a
   * transaction and have no history of their own.
   */
  readonly addresses: ReadonlyArray<Hex>
  /** The first transaction of each kind, by the kind's name; `type3` is absent when blobs are off. */
  readonly transactions: Readonly<Record<Exclude<Traffic.KindName, "type3">, Hex>> & { readonly type3?: Hex }
  /** All transactions in chain order, with the kind's name or the deployment's label. */
  readonly all: ReadonlyArray<{ readonly label: string; readonly hash: Hex }>
  /** Number of the first block of the scenario. */
  readonly firstBlock: number
  /** Number of its last block, the head when it ended. */
  readonly lastBlock: number
}

/** The world of the surrounding program's chain. */
export class Scenario extends Context.Service<Scenario, World>()("@daybook/chain/Scenario") {}

const kindNames = Object.keys(Traffic.kinds) as ReadonlyArray<Traffic.KindName>

/** Draws kinds by weight, within their limits; `round` gives each once first. */
const makeDraw = (random: Random.Random, names: ReadonlyArray<Traffic.KindName>) => {
  const used = new Map<Traffic.KindName, number>()
  const round = [...names]
  const count = (name: Traffic.KindName) => used.set(name, (used.get(name) ?? 0) + 1)
  const allowed = (name: Traffic.KindName) => {
    const { atMost = Number.POSITIVE_INFINITY }: Traffic.Kind = Traffic.kinds[name]
    return (used.get(name) ?? 0) < atMost
  }
  const jitter = (): Traffic.KindName => {
    const open = names.filter(allowed)
    let left = random.next() * open.reduce((sum, name) => sum + Traffic.kinds[name].weight, 0)
    return open.find((name) => (left -= Traffic.kinds[name].weight) < 0) ?? "transfer"
  }
  return { next: () => round.shift() ?? jitter(), firstRoundDone: () => round.length === 0, count }
}

/** Remembers the recipient and the creation of a transaction; its signer is known. */
const touch = (stage: Stage.Stage, planned: Sender.Planned, created: Hex | undefined) => {
  if (planned.to !== undefined) stage.addresses.add(planned.to)
  if (created !== undefined) stage.addresses.add(created)
}

const firstOfEach = (
  sent: ReadonlyArray<Sender.Sent>,
  names: ReadonlyArray<Traffic.KindName>,
): Effect.Effect<World["transactions"], Sender.ScenarioFailed> => {
  const first = new Map<string, Hex>()
  for (const { label, hash } of sent) if (!first.has(label)) first.set(label, hash)
  const missing = names.filter((name) => !first.has(name))
  return missing.length === 0
    ? Effect.succeed(Object.fromEntries(names.map((name) => [name, first.get(name)])) as World["transactions"])
    : Effect.fail(
        new Sender.ScenarioFailed({ message: `no transaction of these kinds was made: ${missing.join(", ")}` }),
      )
}

/**
 * Plays the scenario on a node.
 *
 * **Errors**
 * - `RpcFailure`: the node could not be reached or refused a call.
 * - `ScenarioFailed`: a transaction ended otherwise than planned, for example because the chain was not fresh.
 */
export const run = Effect.fn("Scenario.run")(function* (
  node: Anvil.Node,
  options: Options = {},
): Effect.fn.Return<World, RpcFailure | Sender.ScenarioFailed> {
  const { seed = 1, blocks = 60, size = 10, blobs = true, onProgress = () => {} } = options
  const names = blobs ? kindNames : kindNames.filter((name) => name !== "type3")
  if (node.accounts.length < Stage.accountNames.length) {
    const message = `the scenario needs ${Stage.accountNames.length} accounts; the node has ${node.accounts.length}`
    return yield* new Sender.ScenarioFailed({ message })
  }
  const random = Random.make(seed)
  let mined = 0
  const onBlock = (transactions: number) => onProgress({ blocks: ++mined, ofBlocks: blocks, transactions })
  const sender = yield* Sender.make(node, { size, random, onBlock })
  const firstBlock = sender.nextBlock()
  const stage = yield* Stage.prepare(node, sender, random)
  const jitter = makeDraw(random, names)
  while (!jitter.firstRoundDone() || mined < blocks) {
    const name = jitter.next()
    const planned = Traffic.kinds[name].plan(stage)
    if (planned === undefined) continue
    jitter.count(name)
    const { created } = yield* sender.send(name, planned)
    touch(stage, planned, created)
  }
  yield* sender.mine
  return {
    chainId: node.chainId,
    seed,
    accounts: stage.accounts,
    contracts: stage.contracts,
    strangers: stage.strangers,
    addresses: [...stage.addresses].toSorted(),
    transactions: yield* firstOfEach(sender.sent, names),
    all: sender.sent.map(({ label, hash }) => ({ label, hash })),
    firstBlock,
    lastBlock: sender.nextBlock() - 1,
  }
})

/** Plays the scenario on the chain of the surrounding program, once, and provides its world. */
export const layer = (options: Options = {}): Layer.Layer<Scenario, RpcFailure | Sender.ScenarioFailed, Anvil.Anvil> =>
  Layer.effect(
    Scenario,
    Effect.flatMap(Anvil.Anvil, (node) => run(node, options)),
  )
