/**
 * What trade templates state, and what each of them leaves to another: the edge cases beyond the sentences of
 * `Sentence.test.ts`.
 */
import { describe, expect, it } from "vitest"
import * as TradeSentences from "../../src/internal/TradeSentences.ts"
import type * as Sentence from "../../src/Sentence.ts"
import {
  type Template,
  alice,
  bob,
  callOf,
  contextOf,
  logOf,
  moved,
  other,
  plain,
  router,
  textOfParts,
  token,
  topicOf,
  word,
  zero,
} from "../sentenceFacts.ts"

/** What a template states about facts, with changes to those of a router call. */
const by = (template: Template) => (facts: Partial<Sentence.Facts>) =>
  textOfParts(template(contextOf({ ...plain, to: router, ...facts })))

const native = (amount: bigint) => ({ asset: "native", tokenId: null, amount })
const held = (asset: string, amount: bigint) => ({ asset, tokenId: null, amount })
/** Changes of this many tokens, each of 1. */
const several = (count: number, amount: bigint) =>
  Array.from({ length: count }, (_, at) => held(`0x${String(at + 1).repeat(40)}`, amount))

const swapped = logOf(other, ["0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"])
const wrappedTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
const unwrappedTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
const unwrapped = (address: string) => logOf(address, [unwrappedTopic, topicOf(alice)], `0x${word(4n)}`)
const [poolTopic, positionTopic] = [
  "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f",
]
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"

describe("TradeSentences", () => {
  it("swap: requires an exchange event, and no recipient", () => {
    const swap = by(TradeSentences.swap)
    const transfers = [moved(alice, other, 8n), moved(other, alice, 3n, bob)]
    expect(swap({ transfers, logs: [swapped], to: null })).toBe("Swapped 8 0xdddd for 3 0xbbbb")
    expect(swap({ transfers, logs: [logOf(other, []), logOf(other, [topicOf(1n)])] })).toBeNull()
  })

  it("purchase: is only stated for ether", () => {
    const transfers = [moved(alice, other, 8n), moved(other, alice, 3n, bob)]
    expect(by(TradeSentences.purchase)({ to: alice, value: 9n, transfers, logs: [swapped] })).toBeNull()
  })

  it("sale: requires one token given, nothing received, an exchange, and an unknown amount of ether", () => {
    const sale = by(TradeSentences.sale)
    const transfers = [moved(alice, other, 8n)]
    const logs = [swapped, unwrapped(other)]
    expect(sale({ transfers, logs })).toBe("Sold 8 0xdddd through 0xcccc")
    expect(sale({ transfers, logs: [swapped] })).toBeNull()
    expect(sale({ transfers, logs: [unwrapped(other)] })).toBeNull()
    expect(sale({ transfers, logs, movements: [held(token, -8n)] })).toBeNull()
    expect(sale({ transfers: [...transfers, moved(other, alice, 3n, bob)], logs })).toBeNull()
    expect(sale({ transfers: [], logs })).toBeNull()
    expect(sale({ transfers: [], value: 9n, logs })).toBeNull()
  })

  it("itemTrade: is not stated if anything was minted", () => {
    const paid = moved(alice, bob, 9n, other)
    const itemTrade = (from: string) =>
      by(TradeSentences.itemTrade)({ transfers: [paid, moved(from, alice, 1n, token, 12n)] })
    expect(itemTrade(bob)).toBe("Bought 1 0xdddd #12 for 9 0xeeee through 0xcccc")
    expect(itemTrade(zero)).toBeNull()
  })

  it("liquidity: lists at most three assets given, from an event of a pool", () => {
    const liquidity = by(TradeSentences.liquidity)
    const position = moved(zero, alice, 1n, router, 7n)
    const made = { asset: router, tokenId: 7n, amount: 1n }
    const facts = { transfers: [position], logs: [logOf(other, [poolTopic])] }
    expect(liquidity({ ...facts, movements: [...several(3, -1n), made] })).toBe(
      "Added 1 0x1111, 1 0x2222 and 1 0x3333 as liquidity for 1 0xcccc #7 through 0xcccc",
    )
    expect(liquidity({ ...facts, movements: [...several(4, -1n), made] })).toBeNull()
    expect(liquidity({ ...facts, movements: [made] })).toBeNull()
    expect(liquidity({ ...facts, movements: [...several(1, -1n), made, native(1n)] })).toBeNull()
    expect(liquidity({ ...facts, movements: [...several(1, -1n), made], logs: [logOf(other, [])] })).toBeNull()
  })

  it("liquidity: requires a created position, or an event of an existing one", () => {
    const liquidity = by(TradeSentences.liquidity)
    const given = moved(alice, other, 3n)
    const into = (...transfers: ReadonlyArray<never>) =>
      liquidity({
        transfers: [given, ...transfers],
        movements: [held(token, -3n), { asset: router, tokenId: 7n, amount: 1n }],
        logs: [logOf(other, [poolTopic])],
      })
    expect(into(moved(zero, alice, 1n, router, 7n))).toBe("Added 3 0xdddd as liquidity for 1 0xcccc #7 through 0xcccc")
    expect(into(moved(bob, alice, 1n, router, 7n))).toBeNull()
    expect(into(moved(bob, alice, 1n, router, 7n), moved(zero, bob, 1n, other))).toBeNull()
    const alone = (topic: string, ...transfers: ReadonlyArray<never>) =>
      liquidity({ transfers: [given, ...transfers], logs: [logOf(other, [topic])] })
    expect(alone(positionTopic)).toBe("Added 3 0xdddd as liquidity through 0xcccc")
    expect(alone(poolTopic)).toBeNull()
    expect(alone(positionTopic, moved(alice, other, 1n, bob, 7n))).toBeNull()
  })

  it("wrapped: states the only log of the called contract, of the sender, with the whole value", () => {
    const log = logOf(token, [wrappedTopic, topicOf(alice)], `0x${word(4n)}`)
    const wrapped = (facts: Partial<Sentence.Facts>) =>
      by(TradeSentences.wrapped)({ to: token, value: 4n, logs: [log], ...facts })
    expect(wrapped({})).toBe("Deposited 4 wei into 0xdddd")
    expect(wrapped({ logs: [] })).toBeNull()
    expect(wrapped({ to: router })).toBeNull()
    expect(wrapped({ from: bob })).toBeNull()
    expect(wrapped({ value: 5n })).toBeNull()
    expect(wrapped({ logs: [{ ...log, topics: [topicOf(1n), topicOf(alice)] }] })).toBeNull()
    expect(wrapped({ logs: [{ ...log, data: "0x" }] })).toBeNull()
    expect(wrapped({ value: 0n, logs: [{ ...log, data: `0x${word(0n)}` }] })).toBeNull()
  })

  it("unwrapped: states the payout from the log of a wrapped currency while movements are not known", () => {
    const log = unwrapped(weth)
    const of = (facts: Partial<Sentence.Facts>) => by(TradeSentences.unwrapped)({ to: weth, logs: [log], ...facts })
    expect(of({})).toBe("Unwrapped 4 0xc02a")
    expect(of({ to: router })).toBeNull()
    expect(of({ from: bob })).toBeNull()
    expect(of({ value: 1n })).toBeNull()
    expect(of({ logs: [{ ...log, topics: [topicOf(1n), topicOf(alice)] }] })).toBeNull()
    expect(of({ logs: [{ ...log, data: "0x" }] })).toBeNull()
    expect(of({ logs: [log, log] })).toBeNull()
  })

  it("unwrapped: states the ether that was received once movements are known", () => {
    const of = (facts: Partial<Sentence.Facts>) =>
      by(TradeSentences.unwrapped)({ to: weth, logs: [unwrapped(weth)], movements: [native(4n)], ...facts })
    expect(of({})).toBe("Withdrew 4 wei from 0xc02a")
    expect(of({ to: router })).toBeNull()
    expect(of({ logs: [] })).toBeNull()
    expect(of({ logs: [logOf(weth, [topicOf(1n), topicOf(alice)], `0x${word(4n)}`)] })).toBeNull()
    expect(of({ movements: [] })).toBeNull()
    expect(of({ movements: [held(other, 4n)] })).toBeNull()
  })

  it("deposit: states one asset given, and shares only if the contract minted them for the sender", () => {
    const given = moved(alice, router, 6n)
    const movements = [held(token, -6n), held(other, 5n)]
    const deposit = (facts: Partial<Sentence.Facts>) => by(TradeSentences.deposit)({ ...callOf("deposit"), ...facts })
    expect(deposit({ transfers: [given] })).toBe("Deposited 6 0xdddd into 0xcccc")
    expect(deposit({ transfers: [given, moved(zero, alice, 5n, other)], movements })).toBe(
      "Deposited 6 0xdddd into 0xcccc for 5 0xeeee",
    )
    for (const shares of [moved(bob, alice, 5n, other), moved(zero, bob, 5n, other), moved(zero, alice, 5n, bob)])
      expect(deposit({ transfers: [given, shares], movements })).toBeNull()
    expect(deposit({ transfers: [given], movements: [...movements, native(1n)] })).toBeNull()
    expect(deposit({ transfers: [] })).toBeNull()
    expect(deposit({ transfers: [given], to: null })).toBeNull()
    expect(deposit({ ...callOf("settle"), transfers: [given] })).toBeNull()
  })

  it("withdrawal: lists at most three assets received, and shares only if they were burned", () => {
    const burned = moved(alice, zero, 5n, other)
    const movements = [held(token, 6n), held(other, -5n)]
    const withdrawal = (facts: Partial<Sentence.Facts>) =>
      by(TradeSentences.withdrawal)({ ...callOf("redeem"), ...facts })
    expect(withdrawal({ transfers: [moved(router, bob, 1n), burned], movements })).toBe(
      "Withdrew 6 0xdddd from 0xcccc for 5 0xeeee",
    )
    for (const shares of [moved(bob, zero, 5n, other), moved(alice, bob, 5n, other), moved(alice, zero, 5n, bob)])
      expect(withdrawal({ transfers: [shares], movements })).toBeNull()
    expect(withdrawal({ transfers: [burned], movements: [...movements, native(-1n)] })).toBeNull()
    expect(withdrawal({ movements: several(3, 1n) })).toBe("Withdrew 1 0x1111, 1 0x2222 and 1 0x3333 from 0xcccc")
    expect(withdrawal({ movements: several(4, 1n) })).toBeNull()
    expect(withdrawal({ movements: [] })).toBeNull()
    expect(withdrawal({ movements: several(1, 1n), to: null })).toBeNull()
    expect(withdrawal({ transfers: [moved(router, alice, 6n)], value: 1n })).toBeNull()
    expect(withdrawal({ ...callOf("settle"), movements: several(1, 1n) })).toBeNull()
    expect(withdrawal({ ...callOf("harvest"), movements: several(1, 1n) })).toBe("Claimed 1 0x1111 from 0xcccc")
  })

  it("exchange: lists at most three assets per side, none of which is an unknown amount of ether", () => {
    const exchange = by(TradeSentences.exchange)
    const received = held(token, 2n)
    expect(exchange({ movements: [...several(3, -1n), received] })).toBe(
      "Gave 1 0x1111, 1 0x2222 and 1 0x3333 and received 2 0xdddd through 0xcccc",
    )
    expect(exchange({ movements: [...several(4, -1n), received] })).toBeNull()
    expect(exchange({ movements: [held(token, -2n), ...several(4, 1n)] })).toBeNull()
    expect(exchange({ movements: [received] })).toBeNull()
    const transfers = [moved(alice, bob, 2n), moved(bob, alice, 3n, other)]
    expect(exchange({ transfers, logs: [unwrapped(other)] })).toBeNull()
    expect(exchange({ logs: [unwrapped(other)], movements: [held(token, -2n), held(other, 3n)] })).toBe(
      "Gave 2 0xdddd and received 3 0xeeee through 0xcccc",
    )
  })

  it("oneSided: lists at most three assets of only one side, one of which is a token", () => {
    const oneSided = by(TradeSentences.oneSided)
    const transfers = [moved(alice, bob, 1n)]
    expect(oneSided({ movements: several(3, 1n) })).toBe("Received 1 0x1111, 1 0x2222 and 1 0x3333 through 0xcccc")
    expect(oneSided({ movements: several(4, 1n) })).toBeNull()
    expect(oneSided({ transfers, movements: several(3, -1n) })).toBe(
      "Gave 1 0x1111, 1 0x2222 and 1 0x3333 through 0xcccc",
    )
    expect(oneSided({ transfers, movements: [native(-3n), held(token, -1n)] })).toBe(
      "Gave 3 wei and 1 0xdddd through 0xcccc",
    )
    expect(oneSided({ movements: [native(-3n)] })).toBeNull()
    expect(oneSided({ movements: [] })).toBeNull()
    expect(oneSided({ movements: [held(token, -1n), held(other, 1n)] })).toBeNull()
    expect(oneSided({ transfers, to: null })).toBeNull()
  })

  it("oneSided: states that tokens were burned if the sender gave only burned tokens", () => {
    const oneSided = by(TradeSentences.oneSided)
    const burned = moved(alice, zero, 5n)
    expect(oneSided({ transfers: [burned, moved(bob, other, 1n, other)] })).toBe("Burned 5 0xdddd through 0xcccc")
    expect(oneSided({ transfers: [burned, moved(alice, bob, 2n)] })).toBe("Gave 7 0xdddd through 0xcccc")
    expect(oneSided({ transfers: [burned], value: 3n })).toBe("Gave at most 3 wei and 5 0xdddd through 0xcccc")
  })
})
