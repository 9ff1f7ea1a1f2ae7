/**
 * Generates traffic on a running node: the same seed gives the same addresses, transactions and blocks.
 *
 * It deploys the contracts, sends every kind of `Traffic` once, and then chooses kinds by weight. The resulting `World` names
 * accounts, contracts and transactions for tests and demos. It needs a new node that does not mine by itself, as
 * `Anvil.layer()` starts it.
 */
import { Context, Effect, Layer } from "effect"
import type { Hex } from "viem"
import * as Anvil from "./Anvil.ts"
import * as Random from "@daybook/testkit/internal/Random"
import type { RpcFailure } from "@daybook/harness/Rpc"
import * as Sender from "./Sender.ts"
import * as Stage from "./Stage.ts"
import * as Traffic from "./Traffic.ts"

/** Amount and kinds of traffic. */
export interface Options {
  /** Default 1. */
  readonly seed?: number
  /** Smallest number of blocks, including the deployment. Default 60. Every kind is sent at least once. */
  readonly blocks?: number
  /** Transactions per block. Default 10; the node's gas limit allows about 45. */
  readonly size?: number
  /**
   * Whether to send type 3 transactions. Default true. The node needs about 3 s for the first one, because it loads the KZG
   * setup to verify the blob.
   */
  readonly blobs?: boolean
  /** Called after every block. */
  readonly onProgress?: (progress: Progress) => void
}

export interface Progress {
  /** Number of blocks mined so far. */
  readonly blocks: number
  /** Number of blocks requested; the scenario may need more. */
  readonly ofBlocks: number
  /** Number of transactions mined so far. */
  readonly transactions: number
}

/** Result of a scenario. Addresses and hashes are lower-case hex. */
export interface World {
  readonly chainId: number
  readonly seed: number
  /** Accounts by name; `alice` has the longest history. */
  readonly accounts: Readonly<Record<Stage.AccountName, Hex>>
  readonly contracts: Stage.ContractAddresses
  /** Addresses without a key, which only receive. */
  readonly strangers: ReadonlyArray<Hex>
  /**
   * Addresses of senders, recipients, created contracts and recipients of internal calls, sorted. Addresses of internal calls
   * alone have no history of their own.
   */
  readonly addresses: ReadonlyArray<Hex>
  /** First transaction of each kind; `type3` is absent without blobs. */
  readonly transactions: Readonly<Record<Exclude<Traffic.KindName, "type3">, Hex>> & { readonly type3?: Hex }
  /** All transactions in chain order, labelled with their kind or step of the deployment. */
  readonly all: ReadonlyArray<{ readonly label: string; readonly hash: Hex }>
  /** Number of the scenario's first block. */
  readonly firstBlock: number
  /** Number of the scenario's last block. */
  readonly lastBlock: number
}

/** Result of the scenario on the chain of the surrounding program. */
export class Scenario extends Context.Service<Scenario, World>()("@daybook/chain/Scenario") {}

const kindNames = Object.keys(Traffic.kinds) as ReadonlyArray<Traffic.KindName>

/** Chooses kinds: each once, then by weight within their limits. */
const makeChooser = (random: Random.Random, names: ReadonlyArray<Traffic.KindName>) => {
  const used = new Map<Traffic.KindName, number>()
  const round = [...names]
  const count = (name: Traffic.KindName) => used.set(name, (used.get(name) ?? 0) + 1)
  const allowed = (name: Traffic.KindName) => {
    const { atMost = Number.POSITIVE_INFINITY }: Traffic.Kind = Traffic.kinds[name]
    return (used.get(name) ?? 0) < atMost
  }
  const byWeight = (): Traffic.KindName => {
    const open = names.filter(allowed)
    let left = random.next() * open.reduce((sum, name) => sum + Traffic.kinds[name].weight, 0)
    return open.find((name) => (left -= Traffic.kinds[name].weight) < 0) ?? "transfer"
  }
  return { next: () => round.shift() ?? byWeight(), firstRoundDone: () => round.length === 0, count }
}

/** Records the recipient and the created contract of a transaction; its signer is known already. */
const recordAddresses = (stage: Stage.Stage, planned: Sender.Planned, created: Hex | undefined) => {
  if (planned.to !== undefined) stage.addresses.add(planned.to)
  if (created !== undefined) stage.addresses.add(created)
}

const firstOfEach = (
  mined: ReadonlyArray<Sender.MinedTransaction>,
  names: ReadonlyArray<Traffic.KindName>,
): Effect.Effect<World["transactions"], Sender.ScenarioFailed> => {
  const first = new Map<string, Hex>()
  for (const { label, hash } of mined) if (!first.has(label)) first.set(label, hash)
  const missing = names.filter((name) => !first.has(name))
  return missing.length === 0
    ? Effect.succeed(Object.fromEntries(names.map((name) => [name, first.get(name)])) as World["transactions"])
    : Effect.fail(new Sender.ScenarioFailed({ message: `No transaction of these kinds: ${missing.join(", ")}.` }))
}

/**
 * Runs the scenario on a node.
 *
 * **Errors**
 * - `RpcFailure`: the node could not be reached or rejected a call.
 * - `ScenarioFailed`: a transaction did not end as planned, for example because the chain is not new.
 */
export const run = Effect.fn("Scenario.run")(function* (
  node: Anvil.Node,
  options: Options = {},
): Effect.fn.Return<World, RpcFailure | Sender.ScenarioFailed> {
  const { seed = 1, blocks = 60, size = 10, blobs = true, onProgress = () => {} } = options
  const names = blobs ? kindNames : kindNames.filter((name) => name !== "type3")
  if (node.accounts.length < Stage.accountNames.length) {
    const message = `Too few accounts: ${node.accounts.length}. Start the node with at least ${Stage.accountNames.length}.`
    return yield* new Sender.ScenarioFailed({ message })
  }
  const random = Random.make(seed)
  let mined = 0
  const onBlock = (transactions: number) => onProgress({ blocks: ++mined, ofBlocks: blocks, transactions })
  const sender = yield* Sender.make(node, { size, random, onBlock })
  const firstBlock = sender.nextBlock()
  const stage = yield* Stage.prepare(node, sender, random)
  const chooser = makeChooser(random, names)
  while (!chooser.firstRoundDone() || mined < blocks) {
    const name = chooser.next()
    const planned = Traffic.kinds[name].plan(stage)
    if (planned === undefined) continue
    chooser.count(name)
    const { created } = yield* sender.send(name, planned)
    recordAddresses(stage, planned, created)
  }
  yield* sender.mine
  return {
    chainId: node.chainId,
    seed,
    accounts: stage.accounts,
    contracts: stage.contracts,
    strangers: stage.strangers,
    addresses: [...stage.addresses].toSorted(),
    transactions: yield* firstOfEach(sender.mined, names),
    all: sender.mined.map(({ label, hash }) => ({ label, hash })),
    firstBlock,
    lastBlock: sender.nextBlock() - 1,
  }
})

/** Runs the scenario once on the chain of the surrounding program and provides its result. */
export const layer = (options: Options = {}): Layer.Layer<Scenario, RpcFailure | Sender.ScenarioFailed, Anvil.Anvil> =>
  Layer.effect(
    Scenario,
    Effect.flatMap(Anvil.Anvil, (node) => run(node, options)),
  )
