import type { RpcClient } from "@daybook/rpc/promise"
import { describe, expect, it } from "vitest"
import { genesisOf, isProved, keyOf, openingsOf, read, withOpenings } from "../../../src/pages/address/Compared.ts"

const address = `0x${"aa".repeat(20)}`
const token = `0x${"cc".repeat(20)}`
const hash = `0x${"11".repeat(32)}`

interface Chain {
  /** Balances of the address by block. */
  readonly ether: Readonly<Record<string, bigint>>
  readonly tokens?: Readonly<Record<string, string>>
  readonly hash?: string
}

const clientOf = ({ ether, hash: atHead = hash, tokens = {} }: Chain): RpcClient => {
  const stateOf = <A>(values: Readonly<Record<string, A>>, block: bigint): Promise<A> => {
    const found = values[String(block)]
    return found === undefined ? Promise.reject(new Error("missing trie node")) : Promise.resolve(found)
  }
  const client = {
    eth_getBalance: (_: string, block: bigint) => stateOf(ether, block),
    eth_call: (_: unknown, block: bigint) => stateOf(tokens, block),
    eth_getBlockByNumber: () => Promise.resolve({ hash: atHead }),
  }
  // Sound: the comparison calls only these methods.
  return client as unknown as RpcClient
}

const balancesOf = (opening: boolean, sums: Readonly<Record<string, bigint>>) => ({
  block_number: 9n,
  block_hash: hash as never,
  incomplete: { opening, places: 0n, first_block: null } as never,
  result: Object.entries(sums).map(([asset, balance]) => ({ asset, balance, token_id: null }) as never),
})

describe("Compared.read", () => {
  it("proves a balance that equals the genesis opening plus later movements", async () => {
    const client = clientOf({ ether: { "0": 1_000n, "9": 990n } })
    const balances = balancesOf(true, { native: -10n })

    const found = (await read(client, { address, balances, first: 0, inFirst: [] })).get("native")!

    expect(found).toEqual({ block: 9n, sum: 990n, opening: 1_000n, held: 990n })
    expect(isProved(found)).toBe(true)
  })

  it("proves an index that begins in the middle of a chain with the state before its first block", async () => {
    const client = clientOf({ ether: { "4": 50n, "9": 57n } })

    const found = await read(client, { address, balances: balancesOf(true, { native: 7n }), first: 5, inFirst: [] })

    expect(isProved(found.get("native")!)).toBe(true)
  })

  it("uses no opening for a token that was created after the first block", async () => {
    const word = `0x${"3".padStart(64, "0")}`
    const client = clientOf({ ether: { "0": 0n, "9": 0n }, tokens: { "0": "0x", "9": word } })

    const found = await read(client, { address, balances: balancesOf(true, { [token]: 3n }), first: 0, inFirst: [] })

    expect(found.get(token)).toEqual({ block: 9n, sum: 3n, opening: 0n, held: 3n })
  })

  it("proves an id of a collection by its owner, if the contract has no balances of ids", async () => {
    const id = 12n
    const calls: Array<string> = []
    const client = {
      eth_getBalance: () => Promise.resolve(0n),
      eth_call: ({ data }: { readonly data: string }) => {
        calls.push(data.slice(0, 10))
        return data.startsWith("0x6352211e")
          ? Promise.resolve(`0x${address.slice(2).padStart(64, "0")}`)
          : Promise.reject(new Error("execution reverted"))
      },
    } as unknown as RpcClient
    const balances = { ...balancesOf(false, {}), result: [{ asset: token, balance: 1n, token_id: id } as never] }

    const found = await read(client, { address, balances, first: 0, inFirst: [] })

    expect(found.get(keyOf({ asset: token, id }))).toEqual({ block: 9n, sum: 1n, opening: 0n, held: 1n })
    expect(calls).toEqual(["0x00fdd58e", "0x6352211e"])
  })

  it("names a difference, unless a reorg replaced the block in the meantime", async () => {
    const ether = { "9": 5n }
    const balances = balancesOf(false, { native: 4n })
    const differs = await read(clientOf({ ether }), { address, balances, first: 0, inFirst: [] })

    expect(isProved(differs.get("native")!)).toBe(false)
    const moved = clientOf({ ether, hash: `0x${"22".repeat(32)}` })
    expect((await read(moved, { address, balances, first: 0, inFirst: [] })).size).toBe(0)
  })

  it("compares nothing for which the node has no state", async () => {
    const client = clientOf({ ether: { "9": 5n } })

    expect((await read(client, { address, balances: balancesOf(true, {}), first: 5, inFirst: [] })).size).toBe(0)
  })
})

describe("Compared.openingsOf", () => {
  const compared = (opening: bigint) => ({ block: 9n, sum: 0n, opening, held: 0n })

  it("returns the balance of each holding before the first indexed block, and nothing if sums include it", () => {
    const openings = new Map([["native", compared(50n)]])

    expect(openingsOf(balancesOf(true, { native: 7n }), openings)).toEqual([
      { asset: "native", token_id: null, balance: 50n },
    ])
    expect(openingsOf(balancesOf(false, { native: 7n }), openings)).toEqual([])
  })

  it("returns nothing at all if one of them is unknown", () => {
    const openings = new Map([["native", compared(50n)]])

    expect(openingsOf(balancesOf(true, { native: 7n, [token]: 1n }), openings)).toBeUndefined()
  })
})

describe("Compared.genesisOf", () => {
  it("returns what the service knows of the time before the first block, separately from later movements", () => {
    const sum = { asset: "native", token: null, token_id: null, in: 7n, out: 0n, count: 1n }
    const sums = [
      { ...sum, kind: "value", amount: 3n },
      { ...sum, kind: "genesis", amount: 7n },
    ] as never

    expect(genesisOf(sums)).toEqual([
      { asset: "native", token: null, token_id: null, balance: 7n, proved_at_block: null },
    ])
  })
})

describe("Compared.withOpenings", () => {
  const rowsOf = (sums: Readonly<Record<string, bigint>>) => balancesOf(true, sums).result
  const comparedWith = (openings: Readonly<Record<string, bigint>>) =>
    new Map(
      Object.entries(openings).map(
        ([key, opening]) => [key, { block: 9n, sum: opening, opening, held: opening }] as const,
      ),
    )

  it("adds the balances before the first indexed block to both ends of a range, and then omits zeros", () => {
    const sums = { opening: rowsOf({ native: -5n }), closing: rowsOf({ native: -12n, [token]: -3n }) }

    const known = withOpenings(sums, comparedWith({ native: 100n, [token]: 3n }))

    const amounts =
      known && [known.opening, known.closing].map((rows) => rows.map(({ asset, balance }) => [asset, balance]))
    expect(amounts).toEqual([
      [
        ["native", 95n],
        [token, 3n],
      ],
      [["native", 88n]],
    ])
  })

  it("returns nothing if one of the holdings was not compared, including one that is spent at the end", () => {
    const sums = { opening: rowsOf({ [token]: 3n }), closing: rowsOf({ native: 1n }) }

    expect(withOpenings(sums, comparedWith({ native: 0n }))).toBeUndefined()
  })
})
