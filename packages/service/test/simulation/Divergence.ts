/** A difference between the store and the model. */
export class Divergence extends Error {
  override readonly name = "Divergence"
}

/** Throws a divergence. */
export const fail = (what: string): never => {
  throw new Divergence(what)
}
