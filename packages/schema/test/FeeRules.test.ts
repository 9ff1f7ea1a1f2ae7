import { describe, expect, it } from "@effect/vitest"
import * as Chain from "../src/Chain.ts"
import * as FeeRules from "../src/FeeRules.ts"
import * as LedgerFacts from "../src/LedgerFacts.ts"

describe("FeeRules", () => {
  it("at: changes at the blocks and times of forks", () => {
    const of = (name: string, block: bigint, timestamp = 0n) =>
      FeeRules.at(FeeRules.all[Chain.fromName(name)!.feeRules], block, timestamp)

    expect(
      [of("eth", 4_369_999n), of("eth", 4_370_000n), of("eth", 20_000_000n)].map((one) => one.blockReward),
    ).toEqual([5n, 3n, 2n].map((ether) => ether * 10n ** 18n))
    expect(of("optimism", 105_235_062n).baseFee).toBe("unknown")
    expect(of("optimism", 105_235_063n)).toMatchObject({ priorityFee: "fee_recipient", isOperatorFeeOfJovian: false })
    expect(of("optimism", 200_000_000n, 1_764_691_201n).isOperatorFeeOfJovian).toBe(true)
    expect(of("polygon", 1n).baseFee).toBe("burned")
    expect(of("polygon", 23_850_000n).baseFee).toEqual({ account: "0x70bca57f4579f58670ab2d18ef16e02c17553c38" })
    expect(of("gnosis", 1n, 1_746_021_819n).blobFee).toBe("burned")
    expect(of("gnosis", 1n, 1_746_021_820n).blobFee).toEqual(of("gnosis", 1n).baseFee)
  })

  it("all: lists the vaults of an OP Stack chain from its first block, but those of Optimism from Bedrock", () => {
    const { base, baseSepolia, optimism } = FeeRules.all
    const ofStack = (ranges: FeeRules.FeeRanges) =>
      ranges.map(({ fromBlock, fromTimestamp, isOperatorFeeOfJovian, unstatedChanges }) => [
        fromBlock,
        fromTimestamp,
        isOperatorFeeOfJovian,
        unstatedChanges,
      ])

    expect(ofStack(base)).toEqual([
      [0n, undefined, false, false],
      [0n, 1_764_691_201n, true, false],
    ])
    expect(ofStack(baseSepolia)[1]).toEqual([0n, 1_763_568_001n, true, false])
    expect(ofStack(optimism)).toEqual([
      [0n, undefined, false, true],
      [105_235_063n, undefined, false, false],
      [105_235_063n, 1_764_691_201n, true, false],
    ])
  })

  it("at: returns the first rules below their block, and the static reward of Sepolia", () => {
    const [first] = FeeRules.all.ethereum

    expect(FeeRules.at([{ ...first, fromBlock: 5n }], 1n, 0n)).toEqual({ ...first, fromBlock: 5n })
    expect(FeeRules.at(FeeRules.all.sepolia, 1n, 0n).blockReward).toBe(2n * 10n ** 18n)
    expect(FeeRules.at(FeeRules.all.ethereum, 1n, 0n)).toMatchObject({
      nativeWithdrawals: true,
      unstatedChanges: false,
    })
    expect(FeeRules.at(FeeRules.all.gnosis, 1n, 0n)).toMatchObject({ nativeWithdrawals: false, unstatedChanges: true })
    expect(FeeRules.at(FeeRules.all.polygonAmoy, 73_099n, 0n).baseFee).toEqual({
      account: "0x000000000000000000000000000000000000dead",
    })
  })

  it("operatorFee: is the constant plus millionths of the scaled gas, and hundredfold gas since Jovian", () => {
    const feesOf = (parameters: Omit<FeeRules.OperatorFeeParameters, "gasUsed">) =>
      [false, true].map((isOperatorFeeOfJovian) =>
        FeeRules.operatorFee({ gasUsed: 21_000n, ...parameters }, { isOperatorFeeOfJovian }),
      )

    expect(feesOf({ operatorFeeScalar: 3_000_000n, operatorFeeConstant: 7n })).toEqual([63_007n, 6_300_000_000_007n])
    expect(feesOf({ operatorFeeScalar: 100n, operatorFeeConstant: null })).toEqual([2n, 210_000_000n])
    expect(feesOf({ operatorFeeScalar: null, operatorFeeConstant: 7n })).toEqual([7n, 7n])
    expect(feesOf({})).toEqual([0n, 0n])
  })

  it("all: names accounts and tokens in lower case, and begins at block 0", () => {
    const rules = Object.values<FeeRules.FeeRanges>(FeeRules.all)
    const accounts = rules
      .flat()
      .flatMap((one) => Object.values(one))
      .flatMap((one) => (typeof one === "object" ? [one.account] : []))
    const tokens = Chain.all.flatMap(({ name }) => {
      const { nativeTokens, wrappedTokens } = LedgerFacts.ofChain(name)
      return [...nativeTokens, ...wrappedTokens]
    })

    for (const account of [...accounts, ...tokens]) expect(account).toMatch(/^0x[0-9a-f]{40}$/)
    for (const [first] of rules) expect(first.fromBlock).toBe(0n)
  })
})
