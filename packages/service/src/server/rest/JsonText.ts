/**
 * Writes a JSON value as texts, whose lists and parts may be made while they are written: a long list takes no turn of the event loop for
 * long. Pure.
 */

/** A value whose lists are made while they are read, and other parts by functions. */
export type Lazy<A> =
  | (() => A)
  | (A extends ReadonlyArray<infer Item>
      ? Iterable<Item>
      : A extends object
        ? { readonly [Key in keyof A]: Lazy<A[Key]> }
        : A)

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value

/** The texts of a value, which joined are its JSON; one for each item of its lists. An empty one comes before what is made then. */
export const textsOf = function* (value: unknown): Generator<string> {
  if (typeof value === "function") {
    yield ""
    yield* textsOf(value())
  } else if (typeof value !== "object" || value === null) {
    yield JSON.stringify(value)
  } else if (isIterable(value)) {
    yield ""
    let before = "["
    for (const item of value) {
      yield before + JSON.stringify(item)
      before = ","
    }
    yield before === "[" ? "[]" : "]"
  } else {
    let before = "{"
    for (const [name, inner] of Object.entries(value)) {
      yield `${before}${JSON.stringify(name)}:`
      yield* textsOf(inner)
      before = ","
    }
    yield before === "{" ? "{}" : "}"
  }
}
