/** What a transaction or a call does, in a word: the name of the function, `transfer`, `create`, or the selector of an unknown one. */
import { kindOf } from "../blocks/TransactionKind.ts"
import type { NamedFunction } from "./Names.ts"
import { useMethod } from "./useNames.ts"
import { ForeignText } from "../display/ForeignText.tsx"

interface MethodProps {
  /** `null` for a creation. */
  readonly to: string | null | undefined
  readonly input: string | null | undefined
  /** The function, where it is decoded already. */
  readonly decoded?: NamedFunction | null | undefined
}

export const Method = ({ decoded, input, to }: MethodProps) => {
  const isDecoded = decoded !== null && decoded !== undefined
  const named = useMethod(isDecoded ? null : to, input)
  const shown = isDecoded ? decoded : named
  return shown === undefined ? (
    <code className="method">{kindOf({ to: to ?? null, input: input ?? null })}</code>
  ) : (
    <ForeignText className="method" text={shown.label} title={shown.signature} />
  )
}
