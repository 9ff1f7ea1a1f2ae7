/** Facts of transactions for tests of sentences, and the text of a sentence. */
import { type Context, changesOf, net } from "../src/internal/SentenceParts.ts"
import * as Sentence from "../src/Sentence.ts"

const writer: Sentence.Writer = {
  amount: ({ amount, asset, tokenId }) =>
    `${amount} ${asset === "native" ? "wei" : asset.slice(0, 6)}${tokenId === null ? "" : ` #${tokenId}`}`,
  party: (address) => address.slice(0, 6),
}

/** The text of the sentence of a transaction; `null` if no template matches. */
export const textOf = (facts: Sentence.Facts): string | null => {
  const sentence = Sentence.fromFacts(facts)
  return sentence === null ? null : Sentence.format(sentence, writer)
}

export const [alice, bob, router, token, other] = ["aa", "bb", "cc", "dd", "ee"].map(
  (byte) => `0x${byte.repeat(20)}`,
) as [string, string, string, string, string]
export const zero = `0x${"0".repeat(40)}`
export const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, "0")
export const topicOf = (value: bigint | string): string => `0x${word(value)}`

export const plain: Sentence.Facts = {
  from: alice,
  to: bob,
  created: null,
  value: 0n,
  status: 1,
  input: "0x",
  call: null,
  transfers: [],
  logs: [],
  movements: null,
}

export const callOf = (label: string) => ({ input: "0x12345678", call: { label, signature: `${label}()` } })

export const moved = (from: string, to: string, amount: bigint, asset = token, tokenId: bigint | null = null) =>
  ({ standard: tokenId === null ? "erc20" : "erc721", token: asset, from, to, tokenId, amount, logIndex: 0 }) as never

export const logOf = (address: string, topics: ReadonlyArray<string>, data = "0x") => ({ address, topics, data })

/** The text of the parts of a template; `null` if it does not match. */
export const textOfParts = (parts: ReadonlyArray<Sentence.Part> | null): string | null =>
  parts === null ? null : Sentence.format({ action: "call", parts }, writer)

/** A template of sentences. */
export type Template = (facts: Context) => ReadonlyArray<Sentence.Part> | null

/** Facts with the changes for the sender, as templates receive them. */
export const contextOf = (facts: Sentence.Facts): Context => {
  const changes = net(facts.movements ?? changesOf(facts.from, facts))
  return {
    ...facts,
    outs: changes.filter(({ amount }) => amount < 0n),
    ins: changes.filter(({ amount }) => amount > 0n),
  }
}
