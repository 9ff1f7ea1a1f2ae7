/** The code of streams, loaded when the first one is iterated: it is an eighth of what an import of the client costs. */
import type * as RowIterable from "./RowIterable.ts"

export const load = (): Promise<typeof RowIterable> => import("./RowIterable.ts")
