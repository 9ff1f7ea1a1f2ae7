/** Whether the main content of a page was drawn. */
import { useEffect, useState } from "react"

/** True after the first frame in which `isReady` holds, so that whatever is loaded from then on does not delay the main content. */
export const useDrawn = (isReady: boolean): boolean => {
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    if (!isReady) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setDrawn(true))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isReady])
  return isDrawn
}
