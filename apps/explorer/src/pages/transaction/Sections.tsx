/** Links to the sections of a transaction page with their counts, visible while the page scrolls. */
import { type Receipt, transfers, userOperations } from "@daybook/rpc/promise"
import type { MouseEvent } from "react"
import { formatInteger } from "../../display/Numbers.ts"
import type { Known } from "./Overview.tsx"
import { countOf, useTrace } from "./useTrace.ts"

/** A section, identified by the `id` of its panel. */
interface Section {
  readonly id: string
  readonly name: string
  readonly count?: number | undefined
}

const sectionsOf = (
  { input }: Known["transaction"],
  receipt: Receipt,
  calls: number | undefined,
): ReadonlyArray<Section> => {
  const counted: ReadonlyArray<Section & { readonly count: number }> = [
    { id: "operations", name: "User operations", count: userOperations(receipt).length },
    { id: "transfers", name: "Token transfers", count: transfers(receipt).length },
  ]
  return [
    { id: "moved", name: "What moved" },
    ...counted.filter(({ count }) => count > 0),
    ...(input === "0x" ? [] : [{ id: "input", name: "Input" }]),
    ...(receipt.logs.length === 0 ? [] : [{ id: "logs", name: "Logs", count: receipt.logs.length }]),
    { id: "trace", name: "Trace", count: calls },
    { id: "state", name: "State" },
    { id: "raw", name: "Raw" },
  ]
}

/** Scrolls to a section without adding an entry to the browser's history, which has one per page. */
const show = (event: MouseEvent, id: string): void => {
  event.preventDefault()
  const part = document.querySelector<HTMLElement>(`#${id}`)
  part?.scrollIntoView()
  part?.focus({ preventScroll: true })
}

export const Sections = ({ receipt, transaction }: { readonly receipt: Receipt } & Pick<Known, "transaction">) => {
  const { data: root } = useTrace(transaction.hash, receipt.blockHash)
  const calls = root === undefined ? undefined : countOf(root)
  return (
    <nav className="tabs sections" aria-label="Parts of the transaction">
      {sectionsOf(transaction, receipt, calls).map(({ count, id, name }) => (
        <a key={id} href={`#${id}`} onClick={(event) => show(event, id)}>
          {name} {count === undefined ? null : <span className="section-count">{formatInteger(count)}</span>}
        </a>
      ))}
    </nav>
  )
}
