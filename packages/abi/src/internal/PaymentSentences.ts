/** Sentence templates for payments in ether, texts written to the chain, and paid calls. */
import { visibleStart } from "@daybook/schema/VisibleText"
import * as InputText from "../InputText.ts"
import type { Part } from "./SentenceFacts.ts"
import { type Context, type Parts, amountOf, isPlain, name, only, paid, party, words } from "./SentenceParts.ts"

const ofValue = (value: bigint): Part => amountOf({ asset: "native", tokenId: null, amount: value })

/** The recipient, or a note that it is the sender. */
const recipient = (to: string, from: string): Part => (to === from ? words("itself") : party(to))

export const ether = ({ from, input, to, transfers, value }: Context): Parts | null => {
  if (to === null || value === 0n || !isPlain({ input }) || transfers.length > 0) return null
  return [words("Sent "), ofValue(value), words(" to "), recipient(to, from)]
}

/** A transaction that moves nothing, usually to replace another one with its nonce. */
export const nothing = ({ from, input, logs, to, transfers, value }: Context): Parts | null => {
  const isEmpty = value === 0n && logs.length === 0 && transfers.length === 0 && isPlain({ input })
  return to !== null && isEmpty ? [words("Sent nothing to "), recipient(to, from)] : null
}

/** Shorter bytes may be a function selector that happens to be text. */
const minBytes = 6

/** Maximum number of characters of a text in a sentence. */
const maxCharacters = 80

/** Call data that is text, with no logs. */
export const text = ({ call, from, input, logs, to, transfers, value }: Context): Parts | null => {
  if (to === null || call !== null || logs.length > 0 || transfers.length > 0) return null
  if (input.length < 2 + 2 * minBytes) return null
  const written = InputText.fromHex(input)
  if (written === undefined) return null
  return [
    words("Sent "),
    ...(value === 0n ? [] : [ofValue(value), words(" with ")]),
    words("the text “"),
    name(visibleStart(written, maxCharacters)),
    words("” to "),
    recipient(to, from),
  ]
}

/** A call that pays ether and receives nothing in return. */
export const paidCall = (facts: Context): Parts | null => {
  const { call, ins, outs, to, transfers } = facts
  const out = only(outs)
  if (to === null || out?.asset !== "native" || ins.length > 0 || transfers.length > 0) return null
  return call === null
    ? [words("Paid "), ...paid(facts, out), words(" to "), party(to)]
    : [words("Called "), name(call.label), words(" of "), party(to), words(" for "), ...paid(facts, out)]
}
