import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as DiscoveryState from "../../src/discovery/DiscoveryState.ts"
import * as DiscoveryStep from "../../src/discovery/DiscoveryStep.ts"
import { type Activity, answer, balanceAt, type ChainModel, run, type WalletModel } from "./model.ts"

const head = 3_000
const Block = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: head }))
const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 1_000n }))

/** An account with a key: only its own transactions spend its ether. */
const Keyed = Schema.Struct({
  sent: Schema.Array(Schema.Tuple([Block, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })), Amount])),
  received: Schema.Array(Schema.Tuple([Block, Amount])),
  logs: Schema.Array(Block),
})

/** A contract: any block can change its ether. */
const Contract = Schema.Array(
  Schema.Tuple([Block, Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -5n, maximum: 5n }))]),
)

const nothing: Activity = { sent: 0, change: 0n, hasLog: false }

const keyed = (address: string, { logs, received, sent }: typeof Keyed.Type): WalletModel => {
  const byBlock = new Map<number, Activity>()
  const add = (block: number, change: (activity: Activity) => Activity) =>
    byBlock.set(block, change(byBlock.get(block) ?? nothing))
  // Enough for everything that is sent.
  add(1, (activity) => ({ ...activity, change: activity.change + 1_000_000n }))
  for (const [block, count, amount] of sent) {
    add(block, (activity) => ({ ...activity, sent: activity.sent + count, change: activity.change - amount }))
  }
  for (const [block, amount] of received) add(block, (activity) => ({ ...activity, change: activity.change + amount }))
  for (const block of logs) add(block, (activity) => ({ ...activity, hasLog: true }))
  return { address, code: "none", byBlock }
}

const contract = (address: string, changes: typeof Contract.Type): WalletModel => ({
  address,
  code: "contract",
  byBlock: new Map(changes.map(([block, change]) => [block, { ...nothing, change }])),
})

/** Blocks that must be found: they send or log something, or change the balance. */
const expectedBlocks = ({ wallets }: ChainModel): ReadonlyArray<number> => {
  const blocks = wallets.flatMap(({ byBlock }) =>
    [...byBlock].filter(([, { change, hasLog, sent }]) => change !== 0n || hasLog || sent > 0).map(([block]) => block),
  )
  return [...new Set(blocks)].toSorted((one, other) => one - other)
}

const sorted = (blocks: Iterable<number>) => [...blocks].toSorted((one, other) => one - other)

describe("DiscoveryStep", () => {
  it.prop(
    "step: finds every block of accounts with a key, and fetches no others",
    { one: Keyed, other: Keyed, logLimit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000 })) },
    ({ logLimit, one, other }) => {
      const model: ChainModel = { head, wallets: [keyed("0xa", one), keyed("0xb", other)], logLimit }
      const { fetched, state } = run(model)

      expect(sorted(fetched)).toEqual(expectedBlocks(model))
      expect(state.differences).toEqual([])
      expect(state.wallets.map(({ balance }) => balance)).toEqual(model.wallets.map((each) => balanceAt(each, head)))
    },
    { arbitrary: { runs: 60 } },
  )

  it.prop(
    "step: finds every block of a contract if every block is sampled, including changes that cancel out",
    { changes: Contract, one: Keyed },
    ({ changes, one }) => {
      const model: ChainModel = { head, wallets: [contract("0xc", changes), keyed("0xa", one)], logLimit: head }
      const { fetched, state } = run(model, { samples: head })

      expect(sorted(fetched)).toEqual(expectedBlocks(model))
      expect(state.differences).toEqual([])
    },
    { arbitrary: { runs: 20 } },
  )

  it.prop(
    "step: continues from a state serialised as JSON between any two turns, and repeats no call",
    { one: Keyed, changes: Contract },
    ({ changes, one }) => {
      const model: ChainModel = { head, wallets: [keyed("0xa", one), contract("0xc", changes)], logLimit: 500 }
      const states: Array<DiscoveryState.DiscoveryState> = []
      const rewritten = run(model, {
        samples: head,
        between: (state) => {
          states.push(state)
          return Result.getOrThrow(DiscoveryState.fromJson(DiscoveryState.toJson(state)))
        },
      })

      expect(rewritten).toEqual(run(model, { samples: head }))
      // A state holds nothing of the blocks that are settled.
      for (const { segment, settled } of states) {
        const changed = segment?.wallets.flatMap(({ changes }) => changes.map(([block]) => block)) ?? []
        expect([...changed, ...(segment?.fetched ?? [])].filter((block) => block <= settled)).toEqual([])
      }
    },
    { arbitrary: { runs: 15 } },
  )

  it.prop(
    "step: names exactly the blocks whose movements do not explain the balance",
    { one: Keyed, wrong: Schema.Array(Schema.Tuple([Block, Amount])) },
    ({ one, wrong }) => {
      const right = keyed("0xa", one)
      const byBlock = new Map(right.byBlock)
      for (const [block, amount] of wrong) {
        const activity = byBlock.get(block) ?? { ...nothing, hasLog: true }
        byBlock.set(block, { ...activity, hasLog: true, derived: activity.change - amount })
      }
      const model: ChainModel = { head, wallets: [{ ...right, byBlock }], logLimit: head }
      const { state } = run(model)

      const expected = [...byBlock]
        .filter(([, { change, derived }]) => derived !== undefined && derived !== change)
        .map(([block, { change, derived }]) => ({ block, missing: change - derived! }))
      expect(state.differences.map(({ block, expected: by, found }) => ({ block, missing: found - by }))).toEqual(
        expected.toSorted((a, b) => a.block - b.block),
      )
    },
    { arbitrary: { runs: 40 } },
  )

  it("step: reads a wallet of ten transactions on 20 million blocks in fewer than 600 calls", () => {
    const blocks = Array.from({ length: 10 }, (_, at) => 1_000_003 + at * 1_700_001)
    const byBlock = new Map(blocks.map((block) => [block, { ...nothing, sent: 1, change: 5n }]))
    const { fetched, reads } = run({
      head: 20_000_000,
      logLimit: 2_000_000,
      wallets: [{ address: "0xa", code: "none", byBlock }],
    })

    expect(sorted(fetched)).toEqual(blocks)
    expect(reads).toBeLessThan(600)
  })

  it("step: reads the balance of an unchanged contract as often as the samples of the range require", () => {
    const model: ChainModel = { head, wallets: [contract("0xc", [])], logLimit: head }

    // 2,000 blocks in parts of 125: ten samples are parts of at most 200.
    expect(run(model, { opening: 1_000, samples: 10 }).reads).toBe(15)
    expect(run(model, { opening: 1_000, samples: 5_000 }).reads).toBe(1_999)
    expect(
      run({ ...model, wallets: [keyed("0xa", { sent: [], received: [], logs: [] })] }, { opening: 1_000 }).reads,
    ).toBe(0)
  })

  it("step: finds the block in which an account becomes a contract, and none in which it creates others", () => {
    const created = [1_234, 1_300, 2_500].map((block) => [block, { ...nothing, sent: 1 }] as const)
    const factory: WalletModel = {
      address: "0xf",
      code: "contract",
      hasCodeAt: (block) => block >= 1_234,
      byBlock: new Map(created),
    }

    expect(sorted(run({ head, logLimit: head, wallets: [factory] }).fetched)).toEqual([1_234])
    expect(sorted(run({ head: 1_234, logLimit: head, wallets: [factory] }, { opening: 1_233 }).fetched)).toEqual([
      1_234,
    ])
  })

  it("step: searches no creations of a contract, even if its transaction count restarts", () => {
    const creations = [700, 900].map((block) => [block, { ...nothing, sent: 1 }] as const)
    const factory: WalletModel = { address: "0xf", code: "contract", byBlock: new Map(creations) }
    const again: WalletModel = {
      ...factory,
      byBlock: new Map([
        [0, { ...nothing, sent: 3 }],
        [700, { ...nothing, sent: -2 }],
      ]),
    }
    const delegated: WalletModel = { ...factory, code: "delegation" }

    expect(run({ head, logLimit: head, wallets: [factory, again] }).fetched).toEqual(new Set())
    expect(sorted(run({ head, logLimit: head, wallets: [delegated] }).fetched)).toEqual([700, 900])
  })

  it("step: finds changes that cancel out for an account that has code in a part of the range", () => {
    const byBlock = new Map([
      [700, { ...nothing, sent: 1 }],
      [1_200, { ...nothing, change: 5n }],
      [1_300, { ...nothing, change: -5n }],
    ])
    const delegates = { ...nothing, sent: 1, isAuthority: true }
    const accounts: ReadonlyArray<WalletModel> = [
      { address: "0xa", code: "contract", hasCodeAt: (block) => block >= 700, byBlock },
      { address: "0xb", code: "delegation", hasCodeAt: (block) => block < 1_500, byBlock },
      { address: "0xc", code: "none", byBlock: new Map([...byBlock, [700, delegates]]) },
    ]

    for (const account of accounts) {
      const model: ChainModel = { head, logLimit: head, wallets: [account] }
      expect(sorted(run(model, { samples: head }).fetched)).toEqual([700, 1_200, 1_300])
    }
  })

  it("step: names a difference in the last block", () => {
    const byBlock = new Map([[head, { ...nothing, change: 5n, derived: 3n, hasLog: true }]])
    const { state } = run({ head, logLimit: head, wallets: [{ address: "0xa", code: "none", byBlock }] })

    expect(state.differences).toEqual([{ wallet: 0, block: head, expected: 3n, found: 5n }])
  })

  const NearBlock = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
  const Small = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 3n }))

  it.prop(
    "step: names each block once in which a balance changes by more than its movements",
    [
      Schema.Array(
        Schema.Array(Schema.Tuple([NearBlock, Small, Schema.Boolean, Schema.Boolean])).check(Schema.isMaxLength(12)),
      ).check(Schema.isMaxLength(3)),
    ],
    ([accounts]) => {
      const wallets = accounts.map((changes, at): WalletModel => {
        const byBlock = changes.map(
          ([block, change, isKnown, hasLog]) =>
            [block, { ...nothing, change, derived: isKnown ? change : change - 1n, hasLog }] as const,
        )
        return { address: `0x${at}`, code: "none", byBlock: new Map(byBlock) }
      })
      const { state } = run({ head: 100, logLimit: head, wallets })
      const expected = wallets.flatMap((wallet, at) =>
        [...wallet.byBlock].flatMap(([block, { change, derived = change }]) => {
          const found = balanceAt(wallet, block)
          return change === derived ? [] : [{ wallet: at, block, expected: found - change + derived, found }]
        }),
      )

      expect(new Set(state.differences)).toEqual(new Set(expected))
      expect(state.differences).toHaveLength(expected.length)
    },
  )

  it("step: settles more blocks than fit into one turn, with the balance between them", () => {
    const blocksOf = (from: number) =>
      Array.from(
        { length: 400 },
        (_, at) => [from + at * 3, { ...nothing, change: BigInt(at + 1), hasLog: true }] as const,
      )
    // A node returns the blocks of logs in any order.
    const wallets = [1_500, 1].map((from): WalletModel => ({
      address: `0x${from}`,
      code: "none",
      byBlock: new Map(blocksOf(from)),
    }))
    const model: ChainModel = { head, wallets, logLimit: head }
    const between: Array<DiscoveryState.DiscoveryState> = []
    const { fetched, reads, state } = run(model, { between: (one) => (between.push(one), one) })

    expect(sorted(fetched)).toEqual(expectedBlocks(model))
    expect(state.differences).toEqual([])
    // Two balances at the end of each segment but the last one.
    expect(reads).toBe(6)
    for (const { segment, settled, wallets: at } of between.filter(({ isLocated }) => isLocated)) {
      expect(segment).toBeNull()
      expect(at.map(({ balance }) => balance)).toEqual(wallets.map((wallet) => balanceAt(wallet, settled)))
    }
  })

  const begun = DiscoveryStep.initial({
    chainId: 1,
    addresses: ["0xa"],
    opening: 0,
    closing: { number: head, hash: "0x01" },
  })

  it("step: fails if the transaction count of an account decreases", () => {
    const model: ChainModel = {
      head,
      logLimit: head,
      wallets: [keyed("0xa", { sent: [[700, 1, 1n]], received: [], logs: [] })],
    }
    const first = DiscoveryStep.next(begun)!
    const state = Result.getOrThrow(DiscoveryStep.step(begun, first, answer(model, first, new Set())))
    const calls = DiscoveryStep.next(state)!
    const results = { ...answer(model, calls, new Set()), nonces: calls.nonces.map(() => 9n) }
    const outcome = DiscoveryStep.step(state, calls, results)

    expect(Result.isFailure(outcome) && outcome.failure.message).toBe(
      "The node contradicts itself: 0xa has sent 9 transactions at block 1500, but 1 at block 3000. Use another node.",
    )
  })

  it("step: fails if an account has sent fewer transactions at the last block than at the first", () => {
    const accounts = [2, 1].map((nonce) => ({ nonce, balance: 0n, code: "none" }) as const)
    const results = { accounts, nonces: [], balances: [], logs: [], blocks: [] }
    const outcome = DiscoveryStep.step(begun, DiscoveryStep.next(begun)!, results)

    expect(Result.isFailure(outcome) && outcome.failure.message).toBe(
      "The node contradicts itself: 0xa has sent 2 transactions at block 0, but 1 at block 3000. Use another node.",
    )
  })

  it("callsLeft: counts searches for logs, transactions not yet located and blocks not yet settled", () => {
    const left = [
      { from: 1, to: 40_000 },
      { from: 60_001, to: 80_000 },
    ]
    const nonces = [
      // Four changes in 1,024 blocks: four times the depth of 256 blocks, and the block itself.
      { after: 0, to: 1_024, before: 3n, value: 7n },
      // More transactions than blocks.
      { after: 2_000, to: 2_002, before: 7n, value: 12n },
    ]
    const logs = { ...begun.logs, left, length: 20_000 }

    expect(DiscoveryStep.callsLeft({ ...begun, logs })).toBe(9)
    expect(DiscoveryStep.callsLeft({ ...begun, logs, candidates: [5, 10, 20], settled: 5 })).toBe(9 + 6)
    const wallets = begun.wallets.map((wallet) => ({ ...wallet, nonces }))
    expect(DiscoveryStep.callsLeft({ ...begun, logs, wallets })).toBe(9 + 36 + 2)
  })

  it("next: reads at most 1,000 nonces of a wallet at once", () => {
    const account = { nonce: 0, balance: 0n, code: "none" } as const
    const nonces = Array.from({ length: 1_001 }, (_, at) => ({ after: 2 * at, to: 2 * at + 2, before: 0n, value: 1n }))
    const wallets = begun.wallets.map((wallet) => ({
      ...wallet,
      accounts: { opening: account, closing: account },
      nonces,
    }))
    const calls = DiscoveryStep.next({ ...begun, wallets })

    expect(calls?.nonces).toHaveLength(1_000)
    expect(calls?.nonces.at(-1)).toEqual({ wallet: 0, block: 1_999 })
  })
})
