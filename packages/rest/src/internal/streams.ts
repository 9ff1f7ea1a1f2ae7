/** The code of streams, loaded with the client: a bundle has it anyway, and may not load a part of itself later. */
import * as RowIterable from "./RowIterable.ts"

export const load = async (): Promise<typeof RowIterable> => RowIterable
