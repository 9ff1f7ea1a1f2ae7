/** Highlights every occurrence of an address on the page while the pointer or the focus is on one of them. */
import { useEffect } from "react"

const addressOf = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>("[data-address]")?.dataset["address"] : undefined

const mark = (address: string | undefined): void => {
  for (const element of document.querySelectorAll("[data-address].is-marked")) element.classList.remove("is-marked")
  if (address === undefined) return
  const elements = document.querySelectorAll(`[data-address="${CSS.escape(address)}"]`)
  if (elements.length > 1) for (const element of elements) element.classList.add("is-marked")
}

export const useHighlight = (): void => {
  useEffect(() => {
    let marked: string | undefined
    const onMove = ({ target }: Event) => {
      const address = addressOf(target)
      if (address === marked) return
      marked = address
      mark(address)
    }
    addEventListener("pointerover", onMove)
    addEventListener("focusin", onMove)
    return () => {
      removeEventListener("pointerover", onMove)
      removeEventListener("focusin", onMove)
    }
  }, [])
}
