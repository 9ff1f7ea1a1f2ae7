/**
 * Formats a JSON value as a sequence of texts. Lists and parts may be computed while they are written, so that a long list does not block
 * the event loop. Pure.
 */

/** A value whose lists are computed as they are read, and other parts by functions. */
export type Lazy<A> =
  | (() => A)
  | (A extends ReadonlyArray<infer Item>
      ? Iterable<Item>
      : A extends object
        ? { readonly [Key in keyof A]: Lazy<A[Key]> }
        : A)

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value

/** Texts that together form the JSON of a value, one per list item. An empty text precedes what is computed next. */
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
