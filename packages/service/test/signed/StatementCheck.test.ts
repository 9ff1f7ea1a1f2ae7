/** What a check of a signed statement rejects, by the contents of the statement and the node. */
import type * as SignedStatement from "@daybook/schema/SignedStatement"
import { RpcError } from "@daybook/rpc/RpcError"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type * as Calls from "../../src/node/Calls.ts"
import * as StatementCheck from "../../src/signed/StatementCheck.ts"
import { provenAccount } from "../proof/provenAccount.ts"
import * as Rows from "../server/rows.ts"

const { alice, contract: token } = Rows
const [opening, closing] = [2, 5]
const openingHash = Rows.hashOf("opening")

const balance = (standard: string, amount: bigint, tokenId: bigint | null = null) => {
  return { asset: standard === "native" ? "native" : token, standard, token_id: tokenId, balance: amount }
}
const sum = (standard: string, received: bigint, out: bigint, tokenId: bigint | null = null) => {
  const { asset } = balance(standard, 0n)
  return { asset, standard, token_id: tokenId, kind: standard, count: 1n, in: received, out }
}

/** Alice held 5 wei and sent one transaction; at the end she holds 7 wei, 4 tokens and an id, and has sent three. */
const wallet = {
  address: alice,
  opening: [balance("native", 5n), balance("erc20", 9n)],
  sums: [sum("native", 3n, -1n), sum("erc20", 0n, -5n), sum("erc1155", 2n, 0n, 8n)],
  closing: [balance("native", 7n), balance("erc20", 4n), balance("erc1155", 2n, 8n)],
  sent_transactions: { opening: 1n, closing: 3n } as { opening: bigint; closing: bigint } | null,
}

const statementOf = (closingHash: string, more: Partial<typeof wallet> = {}, chainId = 1n) =>
  // Sound: a check reads these fields alone.
  ({
    header: {
      chain_id: chainId,
      opening_block: { number: BigInt(opening), hash: openingHash },
      closing_block: { number: BigInt(closing), hash: closingHash },
    },
    statements: [{ ...wallet, ...more }],
  }) as unknown as SignedStatement.SignedStatement

const failed = (method: string, kind: "methodUnsupported" | "reverted") =>
  Result.fail(new RpcError({ method, host: "node", code: -32000, message: "", kind, requestId: undefined }))

const word = (value: number) => Result.succeed(`0x${value.toString(16).padStart(64, "0")}`)

/** Results of a node by the method of a call, its block, and the id of a token. */
type Responses = Readonly<Record<string, Result.Result<unknown, RpcError>>>

const held: Responses = {
  "eth_getBalance 2": Result.succeed(5n),
  "eth_getTransactionCount 2": Result.succeed(1),
  "eth_call 2": word(9),
  "eth_call 2 id": word(0),
  "eth_getBalance 5": Result.succeed(7n),
  "eth_getTransactionCount 5": Result.succeed(3),
  "eth_call 5": word(4),
  "eth_call 5 id": word(2),
}

/** A node with these headers, one list after another, and these results; without proofs, unless they are given. */
const nodeOf = (hashes: Readonly<Record<number, ReadonlyArray<string | null>>>, answers: Responses = held) => {
  const reads = new Map<number, number>()
  const node: Pick<Calls.Budgeted["node"], "batch"> & { readonly header: unknown } = {
    header: (number: number) =>
      Effect.sync(() => {
        const read = reads.get(number) ?? 0
        reads.set(number, read + 1)
        const list = hashes[number] ?? []
        const hash = list[Math.min(read, list.length - 1)] ?? null
        return hash === null ? null : { number, hash }
      }),
    batch: (calls) =>
      Effect.succeed(
        calls.map(({ method, params }) => {
          const block =
            method === "eth_getBlockByNumber" ? params?.[0] : method === "eth_getProof" ? params?.[2] : params?.[1]
          const data = method === "eth_call" ? String(Reflect.get(Object(params?.[0]), "data")) : ""
          const what = data.length === 138 ? " id" : data.startsWith("0xb3f9ea34") ? " number" : ""
          return answers[`${method} ${Number(block)}${what}`] ?? failed(method, "methodUnsupported")
        }),
      ),
  }
  // Sound: nothing else is read of the node.
  return { node, usage: () => ({ requests: 0, calls: 0, byMethod: [] }), maxCalls: 1_000 } as unknown as Calls.Budgeted
}

const closingHash = Rows.hashOf("closing")
const hashes = { [opening]: [openingHash], [closing]: [closingHash] }

const reasonOf = (node: Calls.Budgeted, statement: SignedStatement.SignedStatement, chainId = 1) =>
  Effect.map(Effect.flip(StatementCheck.run(node, chainId, statement)), (error) =>
    error._tag === "StatementRefused" ? error.reason : error._tag,
  )

describe("StatementCheck.run", () => {
  it.effect("accepts the blocks, balances and counts of the node", () =>
    Effect.gen(function* () {
      const trusted = "node has no eth_getProof"
      const check = (more: Partial<typeof wallet> = {}, answers: Responses = held) =>
        StatementCheck.run(nodeOf(hashes, answers), 1, statementOf(closingHash, more))
      const empty = { opening: [], sums: [], closing: [] }

      const checked = { address: alice, notCompared: [], isByStateRoot: false, trusted }
      expect(yield* check()).toEqual([{ ...checked, balances: 6 }])
      expect(
        yield* check({ sent_transactions: null }, { ...held, "eth_getTransactionCount 5": word(99) }),
      ).toHaveLength(1)
      const poor = { ...held, "eth_getBalance 2": Result.succeed(0n), "eth_getBalance 5": Result.succeed(0n) }
      expect(yield* check(empty, poor)).toEqual([{ ...checked, balances: 2 }])
      // A missing balance is none.
      const [opened, closed] = [[balance("erc20", 1n)], [balance("erc20", 0n)]]
      const burnt = { ...poor, "eth_call 2": word(1), "eth_call 5": failed("eth_call", "reverted") }
      expect(yield* check({ opening: opened, sums: [sum("erc20", 0n, -1n)], closing: closed }, burnt)).toHaveLength(1)
    }),
  )

  it.effect.each([
    [
      "opening",
      { ...hashes, [opening]: [null] },
      `block 2 was replaced by a reorg, or never was: the statement has ${openingHash}, the chain no block of this number.`,
    ],
    [
      "closing",
      { ...hashes, [closing]: [openingHash] },
      `block 5 was replaced by a reorg, or never was: the statement has ${closingHash}, the chain ${openingHash}.`,
    ],
    [
      "closing, while it is checked,",
      { ...hashes, [closing]: [closingHash, openingHash] },
      `block 5 was replaced by a reorg, or never was: the statement has ${closingHash}, the chain ${openingHash}.`,
    ],
  ] as const)("rejects a statement whose %s block is not the node's", ([, of, reason]) =>
    Effect.gen(function* () {
      expect(yield* reasonOf(nodeOf(of), statementOf(closingHash))).toBe(reason)
    }),
  )

  it.effect("rejects a statement about another chain", () =>
    Effect.gen(function* () {
      expect(yield* reasonOf(nodeOf({}), statementOf(closingHash), 5)).toBe(
        "it belongs to another chain: its chain id is 1, but the node has 5.",
      )
    }),
  )

  it.effect.each([
    [{ opening: [...wallet.opening, balance("erc20", 0n)] }, `${alice} has an asset with two balances.`],
    [{ closing: [...wallet.closing, balance("erc1155", 0n, 8n)] }, `${alice} has an asset with two balances.`],
    [
      { closing: [...wallet.closing, balance("erc1155", 1n, 9n)] },
      `erc1155 ${token} id 9 of ${alice} does not add up: opening balance and sums give 0, the closing balance is 1.`,
    ],
    [
      { closing: wallet.closing.slice(0, 2) },
      `erc1155 ${token} id 8 of ${alice} does not add up: opening balance and sums give 2, the closing balance is 0.`,
    ],
    [
      { sums: [sum("native", 2n, -1n), ...wallet.sums.slice(1)] },
      `ether of ${alice} does not add up: opening balance and sums give 0.000000000000000006, the closing balance is 0.000000000000000007.`,
    ],
    [
      { sums: wallet.sums.slice(1) },
      `ether of ${alice} does not add up: opening balance and sums give 0.000000000000000005, the closing balance is 0.000000000000000007.`,
    ],
    [
      { sums: [...wallet.sums, sum("erc20", 1n, 0n)] },
      `erc20 ${token} of ${alice} does not add up: opening balance and sums give 5, the closing balance is 4.`,
    ],
    [
      { opening: [...wallet.opening, balance("erc721", 1n)] },
      `erc721 ${token} of ${alice} does not add up: opening balance and sums give 1, the closing balance is 0.`,
    ],
  ] as ReadonlyArray<readonly [Partial<typeof wallet>, string]>)(
    "rejects sums that do not add up to the closing balances: case %#",
    ([more, reason]) =>
      Effect.gen(function* () {
        expect(yield* reasonOf(nodeOf(hashes), statementOf(closingHash, more))).toBe(reason)
      }),
  )

  it.effect.each([
    [
      "eth_getBalance 2",
      Result.succeed(6n),
      `ether of ${alice} at block 2: the statement has 0.000000000000000005, the node has 0.000000000000000006.`,
    ],
    ["eth_call 2", word(8), `erc20 ${token} of ${alice} at block 2: the statement has 9, the node has 8.`],
    [
      "eth_getTransactionCount 2",
      Result.succeed(0),
      `the transaction count of ${alice} at block 2: the statement has 1, the node has 0.`,
    ],
    [
      "eth_getTransactionCount 5",
      Result.succeed(4),
      `the transaction count of ${alice} at block 5: the statement has 3, the node has 4.`,
    ],
    [
      "eth_call 5 id",
      failed("eth_call", "reverted"),
      `erc1155 ${token} id 8 of ${alice} at block 5: the statement has 2, the node has no balance.`,
    ],
  ] as const)("rejects a statement that differs from the state of the node: %s", ([call, answer, reason]) =>
    Effect.gen(function* () {
      expect(yield* reasonOf(nodeOf(hashes, { ...held, [call]: answer }), statementOf(closingHash))).toBe(reason)
    }),
  )

  it.effect("rejects a statement without ether for a wallet that has some", () =>
    Effect.gen(function* () {
      const statement = statementOf(closingHash, { opening: [], sums: [], closing: [] })

      expect(yield* reasonOf(nodeOf(hashes), statement)).toBe(
        `ether of ${alice} at block 2: the statement has 0, the node has 0.000000000000000005.`,
      )
    }),
  )

  it.effect("rejects a statement whose sums leave nothing of an asset that the wallet has", () =>
    Effect.gen(function* () {
      const more = { sums: [wallet.sums[0]!, sum("erc20", 0n, -9n)], closing: [balance("native", 7n)] }

      expect(yield* reasonOf(nodeOf(hashes), statementOf(closingHash, more))).toBe(
        `erc20 ${token} of ${alice} at block 5: the statement has 0, the node has 4.`,
      )
    }),
  )

  it.effect("compares the number of ids of a contract that is also ERC-20 with erc721BalanceOf, if it has that", () =>
    Effect.gen(function* () {
      const ids = { opening: balance("erc721", 1n), sum: sum("erc721", 2n, -1n), closing: balance("erc721", 2n) }
      const statement = statementOf(closingHash, {
        opening: [...wallet.opening, ids.opening],
        sums: [...wallet.sums, ids.sum],
        closing: [...wallet.closing, ids.closing],
      })
      const at = (before: Result.Result<unknown, RpcError>, after: Result.Result<unknown, RpcError>) =>
        nodeOf(hashes, { ...held, "eth_call 2 number": before, "eth_call 5 number": after })
      const reverted = failed("eth_call", "reverted")
      const notCompared = [
        `The number of ids of ${token} was not compared: the contract is also ERC-20, and does not report how many ids a wallet has.`,
      ]
      const of = (proved: boolean) => [{ address: alice, proved }] as const
      const equal = yield* StatementCheck.run(at(word(1), word(2)), 1, statement)
      const unknown = yield* StatementCheck.run(at(reverted, reverted), 1, statement)

      expect(equal).toMatchObject([{ balances: 8, notCompared: [] }])
      expect(yield* reasonOf(at(word(1), word(3)), statement)).toBe(
        `erc721 ${token} of ${alice} at block 5: the statement has 2, the node has 3.`,
      )
      expect(unknown).toMatchObject([{ balances: 6, notCompared }])
      expect(StatementCheck.whyUnproved(of(true), equal)).toBeNull()
      expect(StatementCheck.whyUnproved(of(true), unknown)).toBe(`Not proved: ${alice}. ${notCompared[0]}`)
      expect(StatementCheck.whyUnproved(of(false), unknown)).toBe(
        `Not proved: ${alice}. What is stated is on the chain; the statement itself names what is missing.`,
      )
    }),
  )

  it.effect(
    "verifies ether and the count at the end against the state root, and rejects a node that contradicts it",
    () =>
      Effect.gen(function* () {
        const { accountProof, hash, header } = yield* Effect.promise(() => provenAccount(alice))
        const proven = {
          ...held,
          "eth_getBlockByNumber 5": Result.succeed(header),
          "eth_getProof 5": Result.succeed({ accountProof }),
        }
        const of = { ...hashes, [closing]: [hash] }
        const reason = (answers: Responses, more: Partial<typeof wallet> = {}) =>
          reasonOf(nodeOf(of, { ...proven, ...answers }), statementOf(hash, more))

        expect(yield* StatementCheck.run(nodeOf(of, proven), 1, statementOf(hash))).toEqual([
          { address: alice, balances: 6, notCompared: [], isByStateRoot: true, trusted: null },
        ])
        expect(yield* reason({}, { sent_transactions: { opening: 1n, closing: 4n } })).toBe(
          `the transaction count of ${alice} at block 5: the statement has 4, the state root has 3.`,
        )
        expect(yield* reason({ "eth_getBalance 5": Result.succeed(8n) })).toBe(
          "The node contradicts itself: eth_getBalance states 8 at block 5, the state root of that block has 7. Use another node.",
        )
        expect(yield* reason({ "eth_getProof 5": Result.succeed({ accountProof: [] }) })).toMatch(
          new RegExp(`^The node's proof of ${alice} does not belong to the state root of block 5: `),
        )
      }),
  )
})
