/** One sentence of each template. The tests of the service compare those of recorded transactions with the ledger. */
import { describe, expect, it } from "vitest"
import {
  alice,
  bob,
  callOf,
  logOf,
  moved,
  other,
  plain,
  router,
  textOf,
  token,
  topicOf,
  word,
  zero,
} from "./sentenceFacts.ts"

const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
const unwrappedTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
const liquidityTopic = "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f"
const arrivedTopic = "0xb0444523268717a02698be47d0803aa7468c00acbed2f8bd93a0459cde61dd89"
const voteTopic = "0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4"
const delegateTopic = "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f"
const swapLog = logOf(other, ["0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"])

describe("Sentence.fromFacts", () => {
  it("states ether that was sent, including to the sender itself and by a failed transaction, with its reason", () => {
    expect(textOf({ ...plain, value: 5n })).toBe("Sent 5 wei to 0xbbbb")
    expect(textOf({ ...plain, to: alice, value: 5n })).toBe("Sent 5 wei to itself")
    expect(textOf({ ...plain, value: 5n, status: 0 })).toBe("Failed to send 5 wei to 0xbbbb")
    expect(textOf({ ...plain, ...callOf("withdraw"), status: 0, reason: "TooEarly(until: 7)" })).toBe(
      "Failed to call withdraw of 0xbbbb: TooEarly(until: 7)",
    )
  })

  it("states a creation, and a failed one", () => {
    expect(textOf({ ...plain, to: null, created: other, input: "0x60" })).toBe("Created the contract 0xeeee")
    expect(textOf({ ...plain, to: null, status: 0, input: "0x60" })).toBe("Failed to create a contract")
  })

  it("states a token transfer by its sender, and for another", () => {
    expect(textOf({ ...plain, ...callOf("transfer"), to: token, transfers: [moved(alice, bob, 7n)] })).toBe(
      "Sent 7 0xdddd to 0xbbbb",
    )
    expect(textOf({ ...plain, ...callOf("transferFrom"), to: token, transfers: [moved(bob, other, 7n)] })).toBe(
      "Moved 7 0xdddd from 0xbbbb to 0xeeee",
    )
    expect(
      textOf({ ...plain, to: router, input: "0x1234", transfers: [moved(alice, bob, 1n), moved(alice, other, 2n)] }),
    ).toBe("Sent 3 0xdddd to 2 addresses")
  })

  it("states a swap only if an exchange logged one and one asset was given for another", () => {
    const transfers = [moved(alice, other, 8n), moved(other, alice, 3n, bob)]
    const facts = { ...plain, ...callOf("execute"), to: router, transfers }

    expect(textOf({ ...facts, logs: [swapLog] })).toBe("Swapped 8 0xdddd for 3 0xbbbb through 0xcccc")
    expect(textOf(facts)).toBe("Gave 8 0xdddd and received 3 0xbbbb through 0xcccc")
    expect(
      textOf({
        ...facts,
        logs: [swapLog],
        movements: [
          { asset: token, tokenId: null, amount: -8n },
          { asset: "native", tokenId: null, amount: 4n },
        ],
      }),
    ).toBe("Swapped 8 0xdddd for 4 wei through 0xcccc")
  })

  it("states the maximum paid while internal calls may refund a part of it, and the price once movements are known", () => {
    const facts = {
      ...plain,
      ...callOf("swapETHForExactTokens"),
      to: router,
      value: 9n,
      transfers: [moved(other, alice, 3n)],
      logs: [swapLog],
    }

    expect(textOf(facts)).toBe("Bought 3 0xdddd for at most 9 wei through 0xcccc")
    const movements = [
      { asset: "native", tokenId: null, amount: -9n },
      { asset: "native", tokenId: null, amount: 2n },
      { asset: token, tokenId: null, amount: 3n },
    ]
    expect(textOf({ ...facts, movements })).toBe("Swapped 7 wei for 3 0xdddd through 0xcccc")
  })

  it("states wrapped ether, and unwrapped ether if its movement is known", () => {
    const wrap = logOf(
      token,
      ["0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c", topicOf(alice)],
      `0x${word(4n)}`,
    )
    expect(textOf({ ...plain, to: token, value: 4n, logs: [wrap] })).toBe("Deposited 4 wei into 0xdddd")
    const unwrap = logOf(
      token,
      ["0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65", topicOf(alice)],
      `0x${word(4n)}`,
    )
    const facts = { ...plain, ...callOf("withdraw"), to: token, logs: [unwrap] }
    expect(textOf(facts)).toBe("Called withdraw of 0xdddd")
    const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
    expect(textOf({ ...facts, to: weth, logs: [{ ...unwrap, address: weth }] })).toBe("Unwrapped 4 0xc02a")
    expect(textOf({ ...facts, movements: [{ asset: "native", tokenId: null, amount: 4n }] })).toBe(
      "Withdrew 4 wei from 0xdddd",
    )
  })

  it("states allowances from the token's log, limited and unlimited, and their revocation", () => {
    const of = (data: string) =>
      textOf({
        ...plain,
        ...callOf("approve"),
        to: token,
        logs: [logOf(token, [approvalTopic, topicOf(alice), topicOf(router)], data)],
      })

    expect(of(`0x${word(9n)}`)).toBe("Allowed 0xcccc to spend up to 9 0xdddd")
    expect(of(`0x${"f".repeat(64)}`)).toBe("Allowed 0xcccc to spend any amount of 0xdddd")
    expect(of(topicOf(2n ** 96n - 1n))).toBe("Allowed 0xcccc to spend any amount of 0xdddd")
    expect(of(topicOf(5n * 10n ** 28n))).toBe(`Allowed 0xcccc to spend up to ${5n * 10n ** 28n} 0xdddd`)
    expect(of(`0x${word(0n)}`)).toBe("Revoked the allowance of 0xcccc for 0xdddd")
  })

  it("states what was minted, burned, deposited and withdrawn", () => {
    expect(
      textOf({
        ...plain,
        ...callOf("mint"),
        to: token,
        value: 4n,
        movements: [
          { asset: "native", tokenId: null, amount: -4n },
          { asset: token, tokenId: 12n, amount: 1n },
        ],
        transfers: [moved(zero, alice, 1n, token, 12n)],
      }),
    ).toBe("Minted 1 0xdddd #12 for 4 wei")
    expect(textOf({ ...plain, ...callOf("burn"), to: token, transfers: [moved(alice, zero, 6n)] })).toBe(
      "Burned 6 0xdddd",
    )
    const shares = moved(zero, alice, 5n, other)
    expect(textOf({ ...plain, ...callOf("deposit"), to: router, transfers: [moved(alice, router, 6n), shares] })).toBe(
      "Deposited 6 0xdddd into 0xcccc for 5 0xeeee",
    )
    expect(textOf({ ...plain, ...callOf("withdraw"), to: router, transfers: [moved(router, alice, 6n)] })).toBe(
      "Withdrew 6 0xdddd from 0xcccc",
    )
  })

  it("states a sale for ether without an unknown amount, and with it once it is known", () => {
    const unwrap = logOf(other, [unwrappedTopic, topicOf(router)], `0x${word(4n)}`)
    const sold = {
      ...plain,
      ...callOf("unoswap"),
      to: router,
      transfers: [moved(alice, other, 8n)],
      logs: [swapLog, unwrap],
    }

    expect(textOf(sold)).toBe("Sold 8 0xdddd through 0xcccc")
    const movements = [
      { asset: token, tokenId: null, amount: -8n },
      { asset: "native", tokenId: null, amount: 4n },
    ]
    expect(textOf({ ...sold, movements })).toBe("Swapped 8 0xdddd for 4 wei through 0xcccc")
    // Without evidence of an exchange it is a transfer.
    expect(textOf({ ...sold, logs: [unwrap] })).toBe("Sent 8 0xdddd to 0xeeee")
  })

  it("states an item of a collection that was bought or sold, and its maximum cost while the price is not known", () => {
    const item = moved(bob, alice, 1n, token, 12n)
    const movements = [
      { asset: token, tokenId: 12n, amount: 1n },
      { asset: "native", tokenId: null, amount: -5n },
    ]
    const bought = { ...plain, ...callOf("fulfillOrder"), to: router, value: 5n, transfers: [item] }

    expect(textOf({ ...bought, movements })).toBe("Bought 1 0xdddd #12 for 5 wei through 0xcccc")
    expect(textOf(bought)).toBe("Gave at most 5 wei and received 1 0xdddd #12 through 0xcccc")
    const sold = logOf(router, ["0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31"])
    expect(textOf({ ...bought, logs: [sold] })).toBe("Bought 1 0xdddd #12 for at most 5 wei through 0xcccc")
    const transfers = [moved(alice, bob, 1n, token, 12n), moved(bob, alice, 9n, other)]
    expect(textOf({ ...plain, ...callOf("fulfillOrder"), to: router, transfers })).toBe(
      "Sold 1 0xdddd #12 for 9 0xeeee through 0xcccc",
    )
  })

  it("states liquidity added to a pool, and claims of several tokens", () => {
    const added = logOf(other, [liquidityTopic], "0x")
    const given = [moved(alice, other, 3n), moved(alice, other, 4n, bob)]
    const position = moved(zero, alice, 1n, router, 7n)
    const facts = { ...plain, ...callOf("multicall"), to: router, transfers: [...given, position] }

    expect(textOf({ ...facts, logs: [added] })).toBe(
      "Added 3 0xdddd and 4 0xbbbb as liquidity for 1 0xcccc #7 through 0xcccc",
    )
    expect(textOf(facts)).toBe("Gave 3 0xdddd and 4 0xbbbb and received 1 0xcccc #7 through 0xcccc")
    const claimed = [moved(router, alice, 3n), moved(router, alice, 4n, bob)]
    expect(textOf({ ...plain, ...callOf("claim"), to: router, transfers: claimed })).toBe(
      "Claimed 3 0xdddd and 4 0xbbbb from 0xcccc",
    )
  })

  it("states what arrived by the bridge of the chain, if the minted amount is what the bridge logged, and what leaves", () => {
    const [messenger, bridge] = ["07", "10"].map((end) => `0x42${end.padStart(38, "0")}`) as [string, string]
    const arrived = logOf(
      bridge,
      [arrivedTopic, topicOf(token), topicOf(token), topicOf(alice)],
      `0x${word(bob)}${word(6n)}`,
    )
    const facts = { ...plain, input: "0xd764ad0b", to: messenger, transfers: [moved(zero, bob, 6n)], logs: [arrived] }

    expect(textOf(facts)).toBe("Bridged 6 0xdddd from the parent chain to 0xbbbb")
    expect(textOf({ ...facts, transfers: [moved(zero, bob, 5n)] })).toBe("Minted 5 0xdddd to 0xbbbb")
    expect(textOf({ ...facts, logs: [{ ...arrived, address: other }] })).toBe("Minted 6 0xdddd to 0xbbbb")
    const system = `0x${"64".padStart(40, "0")}`
    expect(textOf({ ...plain, input: `0x25e16063${word(bob)}`, to: system, value: 5n })).toBe(
      "Bridged 5 wei to the parent chain",
    )
  })

  it("states a vote of the sender and its choice, and a delegation", () => {
    const voted = (from: string, choice: bigint) =>
      textOf({
        ...plain,
        input: "0x56781388",
        to: router,
        logs: [logOf(router, [voteTopic, topicOf(from)], `0x${[3n, choice, 9n, 128n, 0n].map(word).join("")}`)],
      })

    expect(voted(alice, 1n)).toBe("Voted for a proposal of 0xcccc")
    expect(voted(alice, 0n)).toBe("Voted against a proposal of 0xcccc")
    expect(voted(alice, 9n)).toBeNull()
    expect(voted(bob, 1n)).toBeNull()
    const delegated = logOf(token, [delegateTopic, topicOf(alice), topicOf(zero), topicOf(bob)])
    expect(textOf({ ...plain, ...callOf("delegate"), to: token, logs: [delegated] })).toBe(
      "Delegated votes of 0xdddd to 0xbbbb",
    )
  })

  it("states a text sent as call data, including to the sender itself, and none if a contract logged something", () => {
    const input = `0x${Buffer.from("data:,hello").toString("hex")}`

    expect(textOf({ ...plain, input })).toBe("Sent the text “data:,hello” to 0xbbbb")
    expect(textOf({ ...plain, input, to: alice, value: 5n })).toBe("Sent 5 wei with the text “data:,hello” to itself")
    expect(textOf({ ...plain, input, logs: [logOf(bob, [topicOf(1n)])] })).toBeNull()
    // Five bytes of letters may be a selector and a byte.
    expect(textOf({ ...plain, input: "0x6162636465" })).toBeNull()
    const long = textOf({ ...plain, input: `0x${"61".repeat(500)}` })
    expect(long).toBe(`Sent the text “${"a".repeat(79)}…” to 0xbbbb`)
  })

  it("states a transaction that moves nothing, and none of the zero address, which chains send themselves", () => {
    expect(textOf(plain)).toBe("Sent nothing to 0xbbbb")
    expect(textOf({ ...plain, to: alice })).toBe("Sent nothing to itself")
    const credited = { ...plain, from: zero, to: zero, transfers: [moved(zero, bob, 3n), moved(zero, bob, 4n, other)] }
    expect(textOf({ ...credited, logs: [logOf(token, [topicOf(1n)])] })).toBeNull()
  })

  it("states ether paid for a call, at most the transaction's while internal calls are not known", () => {
    const native = [{ asset: "native", tokenId: null, amount: -3n }]
    const call = { ...plain, ...callOf("requestL2Transaction"), to: router, value: 5n }

    expect(textOf(call)).toBe("Called requestL2Transaction of 0xcccc for at most 5 wei")
    expect(textOf({ ...call, movements: native })).toBe("Called requestL2Transaction of 0xcccc for 3 wei")
    expect(textOf({ ...call, call: null })).toBe("Paid at most 5 wei to 0xcccc")
    expect(textOf({ ...call, ...callOf("deposit") })).toBe("Deposited at most 5 wei into 0xcccc")
  })

  it("states items minted together, for the sender or another, and liquidity with ether or for an existing position", () => {
    const items = (to: string) => [moved(zero, to, 1n, token, 1n), moved(zero, to, 1n, token, 2n)]

    expect(textOf({ ...plain, ...callOf("mint"), to: token, transfers: items(alice) })).toBe("Minted 2 items of 0xdddd")
    expect(textOf({ ...plain, ...callOf("mint"), to: token, transfers: items(bob) })).toBe(
      "Minted 2 items of 0xdddd to 0xbbbb",
    )
    const added = logOf(router, [liquidityTopic], "0x")
    const facts = { ...plain, ...callOf("multicall"), to: router, logs: [added], transfers: [moved(alice, other, 3n)] }
    expect(textOf(facts)).toBe("Added 3 0xdddd as liquidity through 0xcccc")
    const position = moved(zero, alice, 1n, router, 7n)
    expect(textOf({ ...facts, value: 9n, transfers: [...facts.transfers, position] })).toBe(
      "Added at most 9 wei and 3 0xdddd as liquidity for 1 0xcccc #7 through 0xcccc",
    )
  })

  it("states a loan and its repayment by the log of the pool if the transfer matches it", () => {
    const borrowed = "0xb3d084820fb1a9decffb176436bd02558d15fac9b0ddfed8c465bc7359d7dce0"
    const repaid = "0xa534c8dbe71f871f9f3530e97a74601fea17b426cae02e1c5aee42c96c784051"
    const loan = logOf(router, [borrowed, topicOf(token), topicOf(alice)], `0x${word(alice)}${word(8n)}${word(2n)}`)
    const debt = moved(zero, alice, 8n, other)
    const facts = { ...plain, input: "0xa415bcad", to: router, transfers: [debt, moved(bob, alice, 8n)] }

    expect(textOf({ ...facts, logs: [loan] })).toBe("Borrowed 8 0xdddd from 0xcccc")
    expect(textOf({ ...facts, transfers: [moved(bob, alice, 7n)], logs: [loan] })).toBe(
      "Moved 7 0xdddd from 0xbbbb to 0xaaaa",
    )
    const payment = logOf(router, [repaid, topicOf(token), topicOf(alice), topicOf(alice)], `0x${word(5n)}${word(0n)}`)
    const transfers = [moved(alice, bob, 5n), moved(alice, zero, 5n, other)]
    expect(textOf({ ...facts, transfers, logs: [payment] })).toBe("Repaid 5 0xdddd to 0xcccc")
  })

  it("states what only the sender gave or received, and nothing of it if ether may have been paid out", () => {
    const given = [moved(alice, bob, 5n), moved(alice, other, 6n, bob)]
    const facts = { ...plain, ...callOf("settle"), to: router }
    const unwrap = logOf(other, [unwrappedTopic, topicOf(router)], `0x${word(4n)}`)

    expect(textOf({ ...facts, transfers: given })).toBe("Gave 5 0xdddd and 6 0xbbbb through 0xcccc")
    expect(textOf({ ...facts, transfers: given, logs: [unwrap] })).toBe("Called settle of 0xcccc")
    expect(textOf({ ...facts, transfers: [moved(bob, alice, 5n), moved(bob, other, 1n)] })).toBe(
      "Received 5 0xdddd through 0xcccc",
    )
    const collector = `0xfeec${"0".repeat(36)}`
    const paidInTokens = [moved(alice, bob, 5n), moved(alice, collector, 1n, other)]
    const movements = [
      { asset: token, tokenId: null, amount: -5n },
      { asset: other, tokenId: null, amount: -1n },
    ]
    expect(textOf({ ...facts, ...callOf("transfer"), transfers: paidInTokens, movements })).toBe(
      "Sent 5 0xdddd to 0xbbbb",
    )
  })

  it("states the call if its movements are unclear, and nothing for an unknown call", () => {
    expect(textOf({ ...plain, ...callOf("multicall"), to: router })).toBe("Called multicall of 0xcccc")
    expect(textOf({ ...plain, input: "0x12345678", to: router })).toBeNull()
    expect(textOf({ ...plain, input: "0x12345678", to: router, transfers: [moved(bob, bob, 3n)] })).toBeNull()
  })
})
