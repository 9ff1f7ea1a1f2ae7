/** The entry of the browser's history that is on screen. */
import { useMemo } from "react"
import * as Entry from "../navigation/Entry.ts"

/** Identifies the entry in which `what` is shown: the same key when the user navigates back to it, and a new one for each new visit. */
export const useEntry = (what: string): string => useMemo(() => Entry.key(), [what])
