/** What a transaction does, in one word, without an ABI. Pure. */

/** The parts of a transaction that show its kind. */
interface TransactionLike {
  readonly to?: string | null
  readonly input?: string | null
}

/** First four bytes of call data. */
export const selectorOf = (input: string | null | undefined): string | undefined =>
  input !== null && input !== undefined && input.length >= 10 ? input.slice(0, 10) : undefined

/** `send` for ether, `create`, or the selector of a call. */
export const kindOf = ({ input, to }: TransactionLike): string => {
  if (to === null || to === undefined) return "create"
  return selectorOf(input) ?? "send"
}
