/** Values stored by the browser. If the user has disabled storage, values last while the page is open. */

type Values = Pick<Storage, "getItem" | "setItem" | "removeItem">

const inMemory = (): Values => {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  }
}

const openOf = (read: () => Storage): Values => {
  try {
    return read()
  } catch {
    return inMemory()
  }
}

/** Values of this browser. */
export const browser = openOf(() => localStorage)

/** Values of this tab, until it is closed. */
export const tab = openOf(() => sessionStorage)
