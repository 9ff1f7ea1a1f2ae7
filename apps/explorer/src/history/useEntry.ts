/** The entry of the browser's history that is on screen. */
import { useRouter } from "@tanstack/react-router"
import { useMemo } from "react"

/** Identifies the entry in which `what` is shown: the same again once a person goes back to it, and another one for a new visit. */
export const useEntry = (what: string): string => {
  const { history } = useRouter()
  return useMemo(() => history.location.state.__TSR_key ?? history.location.href, [history, what])
}
