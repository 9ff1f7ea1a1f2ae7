/** The code of streams, loaded when the first one is iterated: programs of single pages do without it. */
import type * as RowIterable from "./RowIterable.ts"

export const load = (): Promise<typeof RowIterable> => import("./RowIterable.ts")
