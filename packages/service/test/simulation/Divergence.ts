/** The store and the model differ. */
export class Divergence extends Error {
  override readonly name = "Divergence"
}

/** Fails with a divergence. */
export const fail = (what: string): never => {
  throw new Divergence(what)
}
