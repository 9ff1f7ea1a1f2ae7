/** Whether a balance was compared with the state of the chain. */
import type { Balance, Incomplete } from "@daybook/rest/promise"
import { Badge } from "../../display/Page.tsx"
import { formatInteger } from "../../display/Numbers.ts"

interface ProofBadgeProps {
  readonly balance: Balance
  readonly incomplete: Incomplete
}

export const ProofBadge = ({ balance, incomplete }: ProofBadgeProps) => {
  const block = balance.proved_at_block
  if (block !== null) {
    return (
      <Badge tone="good" hint={`Equal to the state of the chain at block ${formatInteger(block)}`}>
        proved at {formatInteger(block)}
      </Badge>
    )
  }
  return incomplete.opening || incomplete.places > 0 ? (
    <Badge tone="warning" hint="Movements, or what was held before the first indexed block, may be missing.">
      incomplete
    </Badge>
  ) : (
    <Badge hint="The sum was not compared with the state of the chain yet.">not compared</Badge>
  )
}
