/**
 * What token templates state, and what each of them leaves to another: the edge cases beyond the sentences of
 * `Sentence.test.ts`.
 */
import { describe, expect, it } from "vitest"
import * as TokenSentences from "../../src/internal/TokenSentences.ts"
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
  textOf,
  textOfParts,
  token,
  topicOf,
  word,
  zero,
} from "../sentenceFacts.ts"

/** What a template states about facts, with changes to plain ones. */
const by =
  (template: Template) =>
  (facts: Partial<Sentence.Facts>): string | null =>
    textOfParts(template(contextOf({ ...plain, ...facts })))

const native = (amount: bigint) => ({ asset: "native", tokenId: null, amount })
const held = (asset: string, amount: bigint) => ({ asset, tokenId: null, amount })
const item = (to: string, id: bigint, amount = 1n) => moved(zero, to, amount, token, id)

describe("TokenSentences", () => {
  it("failed: states ether only if nothing else was sent", () => {
    const failed = by(TokenSentences.failed)
    expect(failed({ status: 0 })).toBe("Failed to call 0xbbbb")
    expect(failed({ status: 0, value: 5n, input: "0x1234" })).toBe("Failed to call 0xbbbb")
    expect(failed({ value: 5n })).toBeNull()
  })

  it("creation: requires a contract and no recipient", () => {
    const creation = by(TokenSentences.creation)
    expect(creation({ to: null, created: other })).toBe("Created the contract 0xeeee")
    expect(creation({ to: bob, created: other })).toBeNull()
    expect(creation({ to: null })).toBeNull()
  })

  it("transfer: includes one to oneself, but none that moves nothing, mints or burns", () => {
    const transfer = by(TokenSentences.transfer)
    expect(transfer({ transfers: [moved(alice, alice, 7n)] })).toBe("Sent 7 0xdddd to itself")
    expect(transfer({ transfers: [moved(bob, bob, 7n)] })).toBeNull()
    expect(transfer({ transfers: [moved(alice, bob, 0n)] })).toBeNull()
    expect(transfer({ transfers: [moved(alice, zero, 7n)] })).toBeNull()
    expect(transfer({ transfers: [moved(zero, alice, 7n)] })).toBeNull()
    expect(transfer({ transfers: [moved(alice, bob, 7n)], value: 1n })).toBeNull()
  })

  it("transfer: leaves a token that was given for ether to another template", () => {
    const sold = { to: router, transfers: [moved(alice, router, 7n)], movements: [held(token, -7n), native(9n)] }
    expect(by(TokenSentences.transfer)(sold)).toBeNull()
    expect(textOf({ ...plain, ...callOf("sell"), ...sold })).toBe("Gave 7 0xdddd and received 9 wei through 0xcccc")
  })

  it("distribution: states one token of the sender to several addresses, and nothing if more was moved", () => {
    const distribution = by(TokenSentences.distribution)
    const [toBob, toOther] = [moved(alice, bob, 1n), moved(alice, other, 2n)]
    const movements = [held(token, -3n)]
    expect(distribution({ transfers: [toBob, toOther] })).toBe("Sent 3 0xdddd to 2 addresses")
    expect(distribution({ ...callOf("transfer"), transfers: [toBob, toOther] })).toBeNull()
    expect(distribution({ transfers: [toBob, toOther], movements: [...movements, native(1n)] })).toBeNull()
    expect(distribution({ transfers: [toBob, toBob] })).toBeNull()
    expect(distribution({ transfers: [toBob, toOther, moved(bob, other, 1n)] })).toBeNull()
    expect(distribution({ transfers: [toBob, moved(alice, other, 2n, router)], movements })).toBeNull()
    expect(distribution({ transfers: [toBob, moved(alice, zero, 2n)] })).toBeNull()
    expect(distribution({ value: 5n })).toBeNull()
  })

  it("burn: states a token of the sender for which nothing was paid", () => {
    const burn = by(TokenSentences.burn)
    const burned = moved(alice, zero, 6n)
    const labelled = callOf("burnFrom")
    expect(burn({ ...labelled, transfers: [burned] })).toBe("Burned 6 0xdddd")
    expect(burn({ transfers: [burned] })).toBeNull()
    expect(burn({ transfers: [burned], movements: [held(token, -6n)] })).toBe("Burned 6 0xdddd")
    expect(burn({ ...labelled, transfers: [burned], movements: [held(token, -6n), native(1n)] })).toBeNull()
    expect(burn({ ...labelled, transfers: [] })).toBeNull()
    expect(burn({ ...labelled, transfers: [burned], value: 1n })).toBeNull()
    expect(burn({ ...labelled, transfers: [moved(bob, zero, 6n)] })).toBeNull()
    expect(burn({ ...labelled, transfers: [moved(alice, bob, 6n)] })).toBeNull()
    expect(burn({ ...labelled, transfers: [moved(alice, zero, 0n)] })).toBeNull()
  })

  it("mint: states what one address received, by the name of the call", () => {
    const mint = (facts: Partial<Sentence.Facts>) => by(TokenSentences.mint)({ ...callOf("claim"), ...facts })
    const given = moved(zero, bob, 5n)
    expect(mint({ transfers: [given] })).toBe("Minted 5 0xdddd to 0xbbbb")
    expect(mint({ ...callOf("execute"), transfers: [given] })).toBeNull()
    expect(mint({ transfers: [given, moved(zero, other, 0n)] })).toBe("Minted 5 0xdddd to 0xbbbb")
    expect(mint({ transfers: [given, moved(zero, other, 1n)] })).toBeNull()
    expect(mint({ transfers: [given, moved(alice, bob, 1n)] })).toBeNull()
    expect(mint({ transfers: [given, moved(zero, bob, 1n, other)] })).toBeNull()
    expect(mint({ transfers: [] })).toBeNull()
    const minted = { transfers: [moved(zero, alice, 5n)] }
    expect(mint({ ...minted, movements: [held(token, 5n), held(other, -5n)] })).toBeNull()
    expect(mint({ ...minted, movements: [held(token, 5n), native(1n)] })).toBeNull()
    expect(mint({ ...minted, movements: [held(token, 5n), native(-1n)] })).toBe("Minted 5 0xdddd for 1 wei")
  })

  it("mint: counts items only if each id is a single item", () => {
    const mint = (...transfers: ReadonlyArray<never>) => by(TokenSentences.mint)({ ...callOf("mint"), transfers })
    expect(mint(item(alice, 1n), item(alice, 2n))).toBe("Minted 2 items of 0xdddd")
    expect(mint(item(alice, 1n), item(alice, 1n))).toBeNull()
    expect(mint(item(alice, 1n), item(alice, 2n, 3n))).toBeNull()
    expect(mint(moved(zero, alice, 1n), moved(zero, alice, 1n))).toBeNull()
    expect(mint(moved(zero, alice, 1n), item(alice, 2n))).toBeNull()
  })

  it("made: states everything that the sender received, or that moved for another, who paid nothing", () => {
    const made = by(TokenSentences.made)
    const given = moved(zero, alice, 5n)
    expect(made({ transfers: [given], value: 4n })).toBe("Minted 5 0xdddd for at most 4 wei")
    expect(made({ transfers: [given, moved(bob, alice, 0n)] })).toBe("Minted 5 0xdddd")
    expect(made({ transfers: [given, moved(bob, alice, 1n)] })).toBeNull()
    expect(made({ transfers: [given, moved(alice, bob, 2n)] })).toBeNull()
    expect(made({ transfers: [given, moved(zero, alice, 5n, other)] })).toBeNull()
    expect(made({ transfers: [moved(zero, bob, 5n)] })).toBe("Minted 5 0xdddd to 0xbbbb")
    expect(made({ transfers: [moved(zero, bob, 5n)], value: 4n })).toBeNull()
    expect(made({ transfers: [moved(other, bob, 5n)] })).toBeNull()
  })

  it("approval: states the only log of the called token if it concerns its sender", () => {
    const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
    const given = logOf(token, [approvalTopic, topicOf(alice), topicOf(router)], `0x${word(9n)}`)
    const approval = (log: typeof given, facts: Partial<Sentence.Facts> = {}) =>
      by(TokenSentences.approval)({ to: token, logs: [log], ...facts })

    expect(approval(given)).toBe("Allowed 0xcccc to spend up to 9 0xdddd")
    expect(approval({ ...given, data: `0x${word(2n ** 95n - 1n)}` })).toMatch(/^Allowed 0xcccc to spend up to 396/)
    expect(approval({ ...given, data: `0x${word(2n ** 128n)}` })).toBe("Allowed 0xcccc to spend any amount of 0xdddd")
    expect(approval({ ...given, data: "0x" })).toBeNull()
    expect(approval(given, { logs: [given, given] })).toBeNull()
    expect(approval(given, { logs: [] })).toBeNull()
    expect(approval(given, { value: 1n })).toBeNull()
    expect(approval(given, { to: other })).toBeNull()
    expect(approval(given, { from: bob })).toBeNull()
    expect(approval({ ...given, topics: [topicOf(1n), topicOf(alice), topicOf(router)] })).toBeNull()
  })

  it("approval: states an allowance of one item, and of all of a collection", () => {
    const [itemTopic, allTopic] = [
      "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
      "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
    ]
    const one = (spender: string) =>
      by(TokenSentences.approval)({
        to: token,
        logs: [logOf(token, [itemTopic, topicOf(alice), topicOf(spender), topicOf(7n)])],
      })
    const all = (data: string) =>
      by(TokenSentences.approval)({
        to: token,
        logs: [logOf(token, [allTopic, topicOf(alice), topicOf(router)], data)],
      })

    expect(one(router)).toBe("Allowed 0xcccc to move 1 0xdddd #7")
    expect(one(zero)).toBeNull()
    expect(all(`0x${word(1n)}`)).toBe("Allowed 0xcccc to move every token of 0xdddd")
    expect(all(`0x${word(0n)}`)).toBe("Revoked the allowance of 0xcccc for every token of 0xdddd")
    expect(all("0x")).toBeNull()
    expect(all("0x01")).toBeNull()
  })
})
