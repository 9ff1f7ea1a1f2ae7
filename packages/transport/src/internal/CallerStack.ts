/**
 * Makes errors of the promise style readable. Their stack points to the program's own call instead of the fiber that ran it, and
 * `console.log` shows name, stack and fields, whereas Effect's errors only print their fields.
 */

type Inspect = (value: unknown, options: unknown) => string

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom")

/** The frames of a stack, below its message. Only V8 puts the message first. */
const framesOf = ({ stack = "" }: Error): string => {
  const lines = stack.split("\n")
  const first = /^Error\b/.test(stack) ? lines.findIndex((line) => /^\s+at /.test(line)) : 0
  return first < 0 || stack === "" ? "" : `\n${lines.slice(first).join("\n")}`
}

/** The error as a platform error, with the same stack and fields. */
function inspected(this: Error, _depth: number, options: unknown, inspect?: Inspect): unknown {
  const plain = Object.assign(new Error(this.message), this)
  Object.defineProperty(plain, "stack", { value: this.stack, enumerable: false })
  return inspect === undefined ? plain : inspect(plain, options)
}

const isTagged = (error: unknown): error is Error & { readonly _tag: string } =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string"

const define = (error: Error, key: PropertyKey, value: unknown): void => {
  if (Object.isExtensible(error)) Object.defineProperty(error, key, { value, configurable: true, writable: true })
}

/**
 * Replaces the stack of a typed error by that of the call that failed. Any other value is returned unchanged.
 *
 * @param caller - An error created when the call was made.
 */
export const attach = (error: unknown, caller: Error): unknown => {
  if (isTagged(error)) {
    define(error, "stack", `${error.name}: ${error.message}${framesOf(caller)}`)
    define(error, inspectSymbol, inspected)
  }
  return error
}

/**
 * Runs a function and keeps the place of the call in the stack of its typed errors; Effect's frames would push it out.
 */
export const keepThrown = <A>(make: () => A): A => {
  const caller = new Error()
  try {
    return make()
  } catch (error) {
    throw attach(error, caller)
  }
}

/**
 * Returns a promise whose typed errors have the place of the call in their stack.
 */
export const keep = <A>(promise: Promise<A>): Promise<A> => {
  const caller = new Error()
  return promise.catch((error: unknown) => {
    throw attach(error, caller)
  })
}
