/** What a transaction or a call does, in one word: the function name, `send`, `create`, or the selector of an unknown function. */
import type { NamedFunction } from "@daybook/rest/ExplorerClient"
import { kindOf, selectorOf } from "./TransactionKind.ts"
import { useMethod } from "./useNames.ts"
import { ForeignText } from "../text/ForeignText.tsx"

interface MethodProps {
  /** `null` for a creation. */
  readonly to: string | null | undefined
  readonly input: string | null | undefined
  /** The function, if it is already decoded. */
  readonly decoded?: NamedFunction | null | undefined
}

interface Called {
  readonly to: string | null
  readonly input: string | null
}

/** If a public directory lists other functions with the same selector, the name is one of several. */
const Named = ({ label, others = [], signature }: NamedFunction) => (
  <ForeignText
    className="method"
    text={others.length === 0 ? label : `${label}?`}
    title={[signature, ...others].join(" or ")}
  />
)

const Kind = ({ input, to }: Called) => <code className="method">{kindOf({ to, input })}</code>

/** Requests the function name from the service. */
const ReadMethod = (called: Called & { readonly to: string }) => {
  const named = useMethod(called.to, called.input)
  return named === undefined ? <Kind {...called} /> : <Named {...named} />
}

export const Method = ({ decoded, input = null, to = null }: MethodProps) => {
  if (decoded !== null && decoded !== undefined) return <Named {...decoded} />
  return to === null || selectorOf(input) === undefined ? (
    <Kind to={to} input={input} />
  ) : (
    <ReadMethod to={to} input={input} />
  )
}
