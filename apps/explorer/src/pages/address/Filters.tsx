/** Filters of a history, kept in the URL. */
import { type ReactNode, useId, useState } from "react"
import { useNavigate, useSearch } from "../../navigation/Navigation.tsx"
import { type AddressSearch, parse } from "./AddressSearch.ts"

/** The parameters of the page, and a function that changes some of them. */
export const useAddressSearch = (): readonly [AddressSearch, (change: AddressSearch) => void] => {
  const text = useSearch()
  const navigate = useNavigate()
  const search = parse(text)
  const change = (next: AddressSearch) =>
    navigate({ to: location.pathname, search: { ...search, ...next } }, { replace: true })
  return [search, change]
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  /** Values with their names; the first one means no filter. */
  readonly options: ReadonlyArray<readonly [value: string, name: string]>
  readonly onChange: (value: string | undefined) => void
}

/** A choice between several values. */
export const Choice = ({ label, onChange, options, value }: ChoiceProps) => (
  <label>
    {label}
    <select value={value} onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}>
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  </label>
)

/** Inputs for a range of days, in UTC. */
export const DayRange = () => {
  const [{ from, to }, change] = useAddressSearch()
  return (
    <>
      <label>
        From (UTC)
        <input
          type="date"
          value={from ?? ""}
          max={to}
          onChange={({ target }) => change({ from: target.value || undefined })}
        />
      </label>
      <label>
        To (UTC)
        <input
          type="date"
          value={to ?? ""}
          min={from}
          onChange={({ target }) => change({ to: target.value || undefined })}
        />
      </label>
    </>
  )
}

/** Bounds of a query for a range of days in UTC, both inclusive. */
export const datesOf = ({ from, to }: Pick<AddressSearch, "from" | "to">) => ({
  from_date: from === undefined ? undefined : new Date(`${from}T00:00:00Z`),
  to_date: to === undefined ? undefined : new Date(`${to}T23:59:59Z`),
})

/** The bar above a history: filters, then downloads. On phones a button shows the filters. */
export const Toolbar = ({ children, downloads }: { readonly children?: ReactNode; readonly downloads: ReactNode }) => {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <div className="toolbar">
      {children === undefined ? null : (
        <>
          <button
            type="button"
            className="button filters-button"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            Filters
          </button>
          <div className="filters" id={id} data-open={isOpen}>
            {children}
          </div>
        </>
      )}
      {downloads}
    </div>
  )
}
