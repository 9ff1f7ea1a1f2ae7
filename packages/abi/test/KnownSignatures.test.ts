import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Signature from "../src/Signature.ts"
import * as KnownSignatures from "../src/KnownSignatures.ts"

const parsed = KnownSignatures.lines.map((text) => Result.getOrThrow(Signature.fromText(text)))
const keys = new Map(parsed.map((signature) => [signature.canonical, signature.key]))

describe("KnownSignatures", () => {
  it("lines: spell types uniformly", () => {
    const short = KnownSignatures.lines.filter((text) => /\bu?int\b/.test(text))

    expect(short).toEqual([])
  })

  it("lines: include events of claims, of rollups on L1, and of delegated votes, by their topics on chain", () => {
    const topics = [
      ["BlockFinalized(uint256,bytes32)", "0xf2c535759092d16e9334a11dd9b52eca543f1d9cca5ba9d16c472aef009de432"],
      [
        "TokensClaimed(uint256,address,address,uint256,uint256)",
        "0xfa76a4010d9533e3e964f2930a65fb6042a12fa6ff5b08281837a10b0be7321e",
      ],
      [
        "LogMemoryPageFactContinuous(bytes32,uint256,uint256)",
        "0xb8b9c39aeba1cfd98c38dfeebe11c2f7e02b334cbe9f05f22b442a5d9c1ea0c5",
      ],
      [
        "DelegatedPowerChanged(address,uint256,uint8)",
        "0xa0a19463ee116110c9b282012d9b65cc5522dc38a9520340cbaf3142e550127f",
      ],
    ] as const

    for (const [canonical, topic] of topics) expect(keys.get(canonical)).toContain(topic)
  })

  it("decoder: is created once without other signatures, and has the same revision with an empty list", () => {
    const others = [Result.getOrThrow(Signature.fromText("function daybook(uint256 pages)"))]

    expect(KnownSignatures.decoder()).toBe(KnownSignatures.decoder([]))
    expect(KnownSignatures.decoder(others).revision).not.toBe(KnownSignatures.decoder().revision)
  })

  it("lines: name every parameter", () => {
    const nameless = parsed.filter(({ parameters }) => parameters.some(({ name }) => name === ""))

    expect(nameless.map(({ canonical }) => canonical)).toEqual([])
  })

  it("lines: none is hidden by another one", () => {
    const seen = new Map<string, string>()
    const hidden: Array<string> = []
    for (const signature of parsed) {
      const shape = `${signature.key} ${signature.parameters.map(({ indexed }) => (indexed ? "i" : "d")).join("")}`
      if (seen.has(shape)) hidden.push(`${signature.canonical} behind ${seen.get(shape)}`)
      seen.set(shape, signature.canonical)
    }

    expect(hidden).toEqual([])
  })

  it.each([
    ["transfer(address,uint256)", "0xa9059cbb"],
    ["transferFrom(address,address,uint256)", "0x23b872dd"],
    ["approve(address,uint256)", "0x095ea7b3"],
    ["permit(address,address,uint256,uint256,uint8,bytes32,bytes32)", "0xd505accf"],
    ["setApprovalForAll(address,bool)", "0xa22cb465"],
    ["safeTransferFrom(address,address,uint256)", "0x42842e0e"],
    ["safeTransferFrom(address,address,uint256,bytes)", "0xb88d4fde"],
    ["safeTransferFrom(address,address,uint256,uint256,bytes)", "0xf242432a"],
    ["safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", "0x2eb2c2d6"],
    ["deposit()", "0xd0e30db0"],
    ["withdraw(uint256)", "0x2e1a7d4d"],
    ["swapExactTokensForTokens(uint256,uint256,address[],address,uint256)", "0x38ed1739"],
    ["swapExactETHForTokens(uint256,address[],address,uint256)", "0x7ff36ab5"],
    ["swapExactTokensForETH(uint256,uint256,address[],address,uint256)", "0x18cbafe5"],
    ["addLiquidityETH(address,uint256,uint256,uint256,address,uint256)", "0xf305d719"],
    ["exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))", "0x414bf389"],
    ["exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))", "0x04e45aaf"],
    ["exactInput((bytes,address,uint256,uint256,uint256))", "0xc04b8d59"],
    ["exactInput((bytes,address,uint256,uint256))", "0xb858183f"],
    ["multicall(bytes[])", "0xac9650d8"],
    ["multicall(uint256,bytes[])", "0x5ae401dc"],
    ["execute(bytes,bytes[],uint256)", "0x3593564c"],
    ["execute(bytes,bytes[])", "0x24856bc3"],
    ["aggregate((address,bytes)[])", "0x252dba42"],
    ["tryAggregate(bool,(address,bytes)[])", "0xbce38bd7"],
    ["aggregate3((address,bool,bytes)[])", "0x82ad56cb"],
    ["aggregate3Value((address,bool,uint256,bytes)[])", "0x174dea71"],
    ["multiSend(bytes)", "0x8d80ff0a"],
    ["disperseEther(address[],uint256[])", "0xe63d38ed"],
    ["disperseToken(address,address[],uint256[])", "0xc73a2d60"],
    ["execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)", "0x6a761202"],
    [
      "handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)",
      "0x1fad948c",
    ],
    ["handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)", "0x765e827f"],
    ["transferOwnership(address)", "0xf2fde38b"],
    ["renounceOwnership()", "0x715018a6"],
    ["upgradeTo(address)", "0x3659cfe6"],
    ["upgradeToAndCall(address,bytes)", "0x4f1ef286"],
    ["Approval(address,address,uint256)", "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"],
    ["ApprovalForAll(address,address,bool)", "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31"],
    [
      "TransferSingle(address,address,address,uint256,uint256)",
      "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
    ],
    [
      "TransferBatch(address,address,address,uint256[],uint256[])",
      "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
    ],
    ["Deposit(address,uint256)", "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"],
    ["Withdrawal(address,uint256)", "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"],
    [
      "Swap(address,uint256,uint256,uint256,uint256,address)",
      "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
    ],
    [
      "Swap(address,address,int256,int256,uint160,uint128,int24)",
      "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
    ],
    ["Sync(uint112,uint112)", "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1"],
    [
      "PairCreated(address,address,address,uint256)",
      "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
    ],
    [
      "PoolCreated(address,address,uint24,int24,address)",
      "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
    ],
    ["OwnershipTransferred(address,address)", "0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0"],
    ["RoleGranted(bytes32,address,address)", "0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d"],
    ["Upgraded(address)", "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"],
  ])("know %s as %s", (canonical, key) => {
    expect(keys.get(canonical)).toBe(key)
  })
})
