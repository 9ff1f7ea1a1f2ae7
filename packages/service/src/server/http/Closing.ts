/**
 * Callbacks for when a response is closed, with a single listener: streams add seven of their own to a response, and Node warns of a leak
 * beyond ten.
 */

/** The observed part of a response. */
export interface Closable {
  readonly once: (event: "close", listener: () => void) => unknown
}

const callbacks = new WeakMap<Closable, Array<() => void>>()

/** Registers a callback for when a response is closed: its bytes were taken, or its connection was lost. */
export const onClose = (response: Closable, callback: () => void): void => {
  const found = callbacks.get(response)
  if (found !== undefined) return void found.push(callback)
  const own = [callback]
  callbacks.set(response, own)
  response.once("close", () => {
    for (const each of own) each()
  })
}
