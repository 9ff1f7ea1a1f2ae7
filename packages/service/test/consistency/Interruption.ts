/**
 * Interrupts a write of this process between two statements: the process exits or pauses. With `edits` the engines announce each
 * statement of a write.
 */
import type { Edit } from "./Edit.ts"

/** Interruption at a statement of the next write, counted from 1. */
export interface Interruption {
  readonly statement: number
  /** Duration of the pause; `null` to exit. */
  readonly stallMillis: number | null
}

const announced = "globalThis.daybookStatement?.(sql)"

/** Edits of the engines. */
export const edits: ReadonlyArray<Edit> = [
  {
    file: "store/postgres/Pool.ts",
    from: "connection.executeValues(sql, params)",
    to: `Effect.suspend(() => (${announced}, connection.executeValues(sql, params)))`,
  },
  {
    file: "store/postgres/Pool.ts",
    from: 'connection.executeRaw("COMMIT", [])',
    to: 'Effect.suspend(() => (globalThis.daybookStatement?.("COMMIT"), connection.executeRaw("COMMIT", [])))',
  },
  {
    file: "store/sqlite/Connection.ts",
    from: "const { isQuery, statement } = prepare(sql)",
    to: `${announced}; const { isQuery, statement } = prepare(sql)`,
  },
  {
    file: "store/sqlite/Connection.ts",
    from: "const { statement } = prepare(sql)",
    to: `${announced}; const { statement } = prepare(sql)`,
  },
]

let armed: Interruption | undefined
let statements = 0

/** Interrupts the next write. */
export const arm = (interruption: Interruption | undefined): void => {
  armed = interruption
  statements = 0
}

const onStatement = (): void => {
  if (armed === undefined || ++statements < armed.statement) return
  const { stallMillis } = armed
  armed = undefined
  if (stallMillis === null) process.kill(process.pid, "SIGKILL")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMillis ?? 0)
}

/** Handles the statements that the engines announce. */
export const install = (): void => {
  Object.assign(globalThis, { daybookStatement: onStatement })
}
