/** Whether the sums of a wallet are shown with a note. */
import type { Incomplete } from "@daybook/rest/promise"

/** Whether movements or earlier holdings may be missing from sums. */
export const mayLack = ({
  direct_only_to: directOnlyTo,
  opening,
  places,
  unstated_to: unstatedTo,
  untraced_to: untracedTo,
}: Incomplete): boolean =>
  opening || places > 0 || [directOnlyTo, unstatedTo, untracedTo].some((block) => block !== undefined)
