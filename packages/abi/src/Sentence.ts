/**
 * What a transaction did, as a sentence: made by a table of templates from the tokens that it moved, its value and its decoded call.
 * Where no template fits, there is no sentence. It states no amount, token or party that the transaction does not have.
 */
import { feeCollector, zero } from "./internal/SentenceEvents.ts"
import type { Change, Facts, Part, Sentence } from "./internal/SentenceFacts.ts"
import { type Context, changesOf, isOfContract, net } from "./internal/SentenceParts.ts"
import { templates } from "./internal/SentenceTemplates.ts"

export type { Action, Change, EventLog, Facts, Part, Sentence } from "./internal/SentenceFacts.ts"

/** Movements have fees that are paid in tokens, which are added back. */
const changesOfSender = (given: Facts, facts: Facts): ReadonlyArray<Change> => {
  if (facts.movements === null) return changesOf(facts.from, facts)
  const fees = given.transfers.filter(({ from, to }) => from === facts.from && to === feeCollector)
  return [...facts.movements, ...fees.map(({ amount, token, tokenId }) => ({ asset: token, tokenId, amount }))]
}

/**
 * Makes the sentence of a transaction; `null` where no template fits.
 *
 * **Details**
 *
 * Amounts are what the sender gave and received in all, fees excluded. Without `movements` they are those of the value and of tokens.
 *
 * **Example** (Describing a payment)
 *
 * ```ts
 * import * as Sentence from "@daybook/abi/Sentence"
 *
 * const facts = { created: null, status: 1, input: "0x", call: null, transfers: [], logs: [], movements: null }
 * const sentence = Sentence.fromFacts({ ...facts, from: "0xa", to: "0xb", value: 5n })
 * const { asset, party } = { asset: () => "5 wei", party: (address: string) => address }
 * console.log(sentence && Sentence.format(sentence, { amount: asset, party })) // Sent 5 wei to 0xb
 * ```
 */
export const fromFacts = (given: Facts): Sentence | null => {
  const logs = given.logs.filter(isOfContract)
  const facts = { ...given, logs, transfers: given.transfers.filter(({ to }) => to !== feeCollector) }
  const changes = facts.from === zero ? [] : net(changesOfSender(given, facts))
  const context: Context = {
    ...facts,
    outs: changes.filter(({ amount }) => amount < 0n),
    ins: changes.filter(({ amount }) => amount > 0n),
  }
  for (const [action, make] of templates) {
    const parts = make(context)
    if (parts !== null) return { action, parts }
  }
  return null
}

/**
 * How parts are written.
 */
export interface Writer {
  readonly amount: (part: Extract<Part, { readonly _tag: "Amount" }>) => string
  /** An address, also that of a token. */
  readonly party: (address: string) => string
}

/**
 * Writes a sentence as text.
 */
export const format = ({ parts }: Sentence, { amount, party: write }: Writer): string =>
  parts
    .map((part) => {
      switch (part._tag) {
        case "Words":
        case "Name":
          return part.text
        case "Amount":
          return amount(part)
        case "Address":
        case "Token":
          return write(part.address)
      }
    })
    .join("")
