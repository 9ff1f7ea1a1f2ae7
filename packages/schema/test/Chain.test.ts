import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Chain from "../src/Chain.ts"

const names = (chains: ReadonlyArray<Chain.Identity>) => chains.map((chain) => chain.name)
const AnyChain = Schema.Literals(Chain.all.map(({ name }) => name))
const Separator = Schema.Literals([" ", "-", "_", "  ", " - "])
const Id = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))
const Block = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 64n }))

describe("Chain", () => {
  it("all: has every row of the interface with its identifier", () => {
    expect(Object.fromEntries(Chain.all.map((chain) => [chain.name, chain.identifier]))).toMatchInlineSnapshot(`
      {
        "arbitrum": "0xa4b1",
        "arbitrum sepolia": null,
        "avalanche": "0xa86a",
        "base": "0x2105",
        "base sepolia": "0x14a34",
        "bsc": "0x38",
        "bsc testnet": "0x61",
        "chiliz": "0x15b38",
        "chiliz testnet": "0x15b32",
        "cronos": "0x19",
        "eth": "0x1",
        "fantom": "0xfa",
        "gnosis": "0x64",
        "gnosis testnet": "0x27d8",
        "holesky": "0x4268",
        "linea": "0xe705",
        "linea sepolia": "0xe705",
        "moonbase": "0x507",
        "moonbeam": "0x504",
        "moonriver": "0x505",
        "optimism": "0xa",
        "optimism sepolia": "0xaa37dc",
        "palm": "0x2a15c308d",
        "polygon": "0x89",
        "polygon amoy": "0x13882",
        "sepolia": "0xaa36a7",
      }
    `)
  })

  it("all: has every name of the RPC operations", () => {
    expect(Chain.all.flatMap((chain) => chain.rpcName ?? []).toSorted()).toMatchInlineSnapshot(`
      [
        "amoy",
        "arbitrum",
        "arbitrum sepolia",
        "base",
        "base sepolia",
        "bsc",
        "bsc testnet",
        "eth",
        "holesky",
        "optimism",
        "optimism testnet",
        "polygon",
      ]
    `)
  })

  it("all: has unique chain ids, which differ from the listed identifier for linea only", () => {
    expect(new Set(Chain.all.map((chain) => chain.id)).size).toBe(Chain.all.length)
    expect(names(Chain.all.filter((chain) => chain.identifier !== Chain.toHexId(chain)))).toEqual([
      "linea",
      "arbitrum sepolia",
    ])
  })

  it.each([
    ["eth", "eth"],
    ["ETH", "eth"],
    ["polygon amoy", "polygon amoy"],
    ["polygon-amoy", "polygon amoy"],
    ["amoy", "polygon amoy"],
    ["Optimism Testnet", "optimism sepolia"],
    [" base_sepolia ", "base sepolia"],
    ["bsc  testnet", "bsc testnet"],
  ])("fromName: finds %j", (text, name) => {
    expect(Chain.fromName(text)?.name).toBe(name)
  })

  it.each([null, undefined, {}, Number.NaN])("fromName, fromText, fromInput, parseId: find nothing for %j", (value) => {
    const other = value as never
    const found = [Chain.fromName(other), Chain.parseId(other), ...Chain.fromText(other), ...Chain.fromInput(other)]

    expect(found).toEqual([undefined, undefined])
  })

  it.each(["mainnet", "0x1", "", "__proto__"])("fromName: returns undefined for %j", (text) => {
    expect(Chain.fromName(text)).toBe(undefined)
  })

  it.prop(
    "fromName: finds every chain by its name in any case and with any separator",
    [AnyChain, Separator],
    ([name, separator]) => {
      const text = name.replaceAll(" ", separator)
      expect([Chain.fromName(text)?.name, Chain.fromName(text.toUpperCase())?.name]).toEqual([name, name])
    },
  )

  it("normalizeName: drops separators at both ends", () => {
    expect([Chain.normalizeName("-"), Chain.normalizeName("_Polygon -Amoy- ")]).toEqual(["", "polygon amoy"])
  })

  it.prop("normalizeName: a normalized name is unchanged", [Schema.String], ([text]) => {
    const name = Chain.normalizeName(text)
    expect(Chain.normalizeName(name)).toBe(name)
  })

  it.prop("parseId: parses an id in hex, in decimal digits and as CAIP-2", [Id], ([id]) => {
    const forms = [id, `0x${id.toString(16)}`, id.toString(), `eip155:${id}`, ` EIP155:${id} `]
    expect(forms.map(Chain.parseId)).toEqual(forms.map(() => id))
  })

  it.each(["", "0x", "eth", "-1", "1.0", -1, -1n, 1.5, NaN, "0xzz", "eip155:", "solana:1"])(
    "parseId: returns undefined for %s",
    (id) => {
      expect(Chain.parseId(id)).toBe(undefined)
      expect(Chain.fromId(id)).toEqual([])
    },
  )

  it("fromId: finds a chain by number, bigint, hex, decimal digits and CAIP-2", () => {
    for (const id of [137, 137n, "0x89", "137", "0X89", "eip155:137", "0x0089"]) {
      expect(names(Chain.fromId(id))).toEqual(["polygon"])
    }
  })

  it("fromId: returns both chains that share an identifier, and one for a chain id", () => {
    expect(names(Chain.fromId("0xe705"))).toEqual(["linea", "linea sepolia"])
    expect(names(Chain.fromId("0xe708"))).toEqual(["linea"])
    expect(names(Chain.fromId(421614))).toEqual(["arbitrum sepolia"])
  })

  it.prop("fromId: finds every chain by its CAIP-2 and hex ids", [AnyChain], ([name]) => {
    const chain = Chain.fromName(name)!
    expect(Chain.fromId(Chain.toCaip2(chain))).toContain(chain)
    expect(Chain.fromId(Chain.toHexId(chain))).toContain(chain)
  })

  it("fromText: finds a chain by name or identifier", () => {
    expect(names(Chain.fromText("Base"))).toEqual(["base"])
    expect(names(Chain.fromText("0x2105"))).toEqual(["base"])
    expect(Chain.fromText("nope")).toEqual([])
  })

  it("fromInput: also finds a chain by a common alias, and none by other text", () => {
    const inputs: ReadonlyArray<Chain.Input> = ["ethereum", "Mainnet", "matic", "base", 1, 137n, "0xa"]

    expect(inputs.map((input) => names(Chain.fromInput(input)).join())).toEqual([
      "eth",
      "eth",
      "polygon",
      "base",
      "eth",
      "polygon",
      "optimism",
    ])
    expect(Chain.fromInput("constructor")).toEqual([])
  })

  it("toCaip2, toHexId: format the chain id, not the listed identifier", () => {
    const linea = Chain.fromName("linea")
    expect(linea && Chain.toCaip2(linea)).toBe("eip155:59144")
    expect(linea && Chain.toHexId(linea)).toBe("0xe708")
  })

  it("all: the hash rules of every chain begin at block 0 and their ranges ascend", () => {
    for (const { hashRules } of Chain.all) {
      const blocks = hashRules.map(({ fromBlock }) => fromBlock)
      expect(blocks[0]).toBe(0n)
      expect(blocks).toEqual([...new Set(blocks)].toSorted((a, b) => (a < b ? -1 : 1)))
    }
  })

  it("all: every chain has a positive block time and a positive finality", () => {
    expect(
      Chain.all.filter(({ blockTimeMillis, finalityBlocks }) => blockTimeMillis < 1 || finalityBlocks < 1),
    ).toEqual([])
  })

  it("hashRulesAt: a fork changes the rules from its own block", () => {
    const rules = { headerHash: true, blooms: true, withdrawals: true }
    const before = { ...rules, roots: false, fromBlock: 0n }
    const after = { ...rules, roots: true, fromBlock: 100n }
    const at = (block: bigint) => Chain.hashRulesAt({ hashRules: [before, after] }, block)
    expect([at(0n), at(99n), at(100n), at(2n ** 64n)]).toEqual([before, before, after, after])
  })

  it.prop(
    "hashRulesAt: returns the last range that begins at or below the block",
    [Schema.Array(Block), Block],
    ([forks, block]) => {
      const blocks = [...new Set([0n, ...forks])].toSorted((a, b) => (a < b ? -1 : 1))
      const ranges = blocks.map((fromBlock) => ({
        fromBlock,
        headerHash: true,
        blooms: true,
        roots: true,
        withdrawals: true,
      }))
      const [first, ...others] = ranges
      const expected = ranges[blocks.filter((fromBlock) => fromBlock <= block).length - 1]
      expect(Chain.hashRulesAt({ hashRules: [first!, ...others] }, block)).toBe(expected)
    },
  )
})
