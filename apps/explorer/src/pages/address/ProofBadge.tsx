/** Whether a balance was compared with the state of the chain. */
import type { Balance, Incomplete } from "@daybook/rest/promise"
import { type Compared, isProved } from "./Compared.ts"
import { mayLack } from "./MayLack.ts"
import { Badge } from "../../display/Page.tsx"
import { formatInteger } from "../../display/Numbers.ts"

interface ProofBadgeProps {
  /** The comparison that the page made; undefined for none. */
  readonly compared?: Compared | undefined
  readonly balance: Pick<Balance, "proved_at_block">
  readonly incomplete: Incomplete
}

export const ProofBadge = ({ balance, compared, incomplete }: ProofBadgeProps) => {
  const isEqual = compared !== undefined && isProved(compared)
  const block = isEqual ? compared.block : balance.proved_at_block
  if (compared !== undefined && !isEqual) {
    return (
      <Badge tone="bad" hint={`The chain has a different amount at block ${formatInteger(compared.block)}.`}>
        differs
      </Badge>
    )
  }
  if (block !== null) {
    return (
      <Badge tone="good" hint={`Equal to the state of the chain at block ${formatInteger(block)}`}>
        proved at {formatInteger(block)}
      </Badge>
    )
  }
  return mayLack(incomplete) ? (
    <Badge tone="warning" hint="Movements, or holdings from before the first indexed block, may be missing.">
      incomplete
    </Badge>
  ) : (
    <Badge hint="The sum has not been compared with the state of the chain yet.">not compared</Badge>
  )
}
