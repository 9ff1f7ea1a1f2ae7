/** Marks of a movement that may be meant to deceive, each with its explanation. */
import type { Movement } from "@daybook/rest/promise"
import * as FlagText from "./FlagText.ts"
import { Badge } from "./Page.tsx"

export const FlagMarks = ({ flags = [] }: { readonly flags: Movement["flags"] | undefined }) =>
  flags.map((flag) => {
    const { hint, mark } = FlagText.ofFlag(flag)
    return (
      <Badge key={flag} tone="bad" hint={hint}>
        {mark}
      </Badge>
    )
  })
