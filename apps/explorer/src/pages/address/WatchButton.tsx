/** Watches an address, with a label that is stored in this browser. */
import { type FormEvent, useId, useRef, useState } from "react"
import { maxLabel, maxWatched, unwatch, useWatchList, watch } from "../../watch/WatchList.ts"

export const WatchButton = ({ address }: { readonly address: string }) => {
  const list = useWatchList()
  const watched = list.find((one) => one.address === address)
  const isFull = watched === undefined && list.length >= maxWatched
  const dialog = useRef<HTMLDialogElement>(null)
  const [label, setLabel] = useState(watched?.label ?? "")
  const title = useId()
  const close = () => dialog.current?.close()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    watch(address, label)
    close()
  }
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => dialog.current?.showModal()}>
        {watched === undefined ? "☆ Watch" : "★ Watched"}
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <form onSubmit={onSubmit}>
          <h2 id={title}>{watched === undefined ? "Watch this address" : "Watched address"}</h2>
          <p className="muted">
            {isFull
              ? `${maxWatched} addresses are watched, which is the maximum. Remove one of them first.`
              : "It is listed on the home page. The list is stored only in this browser."}
          </p>
          <label>
            Your label
            <input
              type="text"
              dir="auto"
              maxLength={maxLabel}
              value={label}
              onChange={({ target }) => setLabel(target.value)}
            />
          </label>
          <div className="buttons">
            <button type="submit" className="button primary" disabled={isFull}>
              Save
            </button>
            {watched === undefined ? null : (
              <button
                type="button"
                className="button"
                onClick={() => {
                  unwatch(address)
                  setLabel("")
                  close()
                }}
              >
                Remove
              </button>
            )}
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
