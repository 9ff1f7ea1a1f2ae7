/**
 * Describes a transaction in a sentence, made from a table of templates and the tokens that it moved, its value and its decoded call. If no
 * template matches, there is no sentence. It never mentions an amount, token or party that the transaction does not have.
 */
import { feeCollector, zero } from "./internal/SentenceEvents.ts"
import type { Change, Facts, Part, Sentence } from "./internal/SentenceFacts.ts"
import { type Context, changesOf, isOfContract, net } from "./internal/SentenceParts.ts"
import { templates } from "./internal/SentenceTemplates.ts"

export type { Action, Change, EventLog, Facts, Part, Sentence } from "./internal/SentenceFacts.ts"

/** Movements include fees that are paid in tokens; they are added back. */
const changesOfSender = (given: Facts, facts: Facts): ReadonlyArray<Change> => {
  if (facts.movements === null) return changesOf(facts.from, facts)
  const fees = given.transfers.filter(({ from, to }) => from === facts.from && to === feeCollector)
  return [...facts.movements, ...fees.map(({ amount, token, tokenId }) => ({ asset: token, tokenId, amount }))]
}

/**
 * Makes the sentence of a transaction; `null` if no template matches.
 *
 * **Details**
 *
 * Amounts are the totals that the sender gave and received, excluding fees. Without `movements` they are derived from the value and the
 * token transfers.
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
 * How to write the parts.
 */
export interface Writer {
  readonly amount: (part: Extract<Part, { readonly _tag: "Amount" }>) => string
  /** Writes an address, including that of a token. */
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
