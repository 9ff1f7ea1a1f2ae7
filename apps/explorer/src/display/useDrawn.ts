/** Whether a page was drawn with what a person reads first. */
import { useEffect, useState } from "react"

/** True after the first frame with what `isReady` states: what is loaded from then on delays nothing of it. */
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
