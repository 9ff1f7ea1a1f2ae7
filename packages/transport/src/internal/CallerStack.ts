/**
 * Makes the errors of the promise style readable. Their stack names the program's own call instead of the fiber that ran it, and
 * `console.log` shows name, stack and fields, where Effect's errors print their fields alone.
 */

type Inspect = (value: unknown, options: unknown) => string

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom")

/** The lines of a stack below its message, which V8 alone puts first. */
const framesOf = ({ stack = "" }: Error): string => {
  const lines = stack.split("\n")
  const first = /^Error\b/.test(stack) ? lines.findIndex((line) => /^\s+at /.test(line)) : 0
  return first < 0 || stack === "" ? "" : `\n${lines.slice(first).join("\n")}`
}

/** The error as one of the platform, with the same stack and fields. */
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
 * Gives a typed error the stack of the call that failed; any other value stays as it is.
 *
 * @param caller - An error that was made when the call was.
 */
export const attach = (error: unknown, caller: Error): unknown => {
  if (isTagged(error)) {
    define(error, "stack", `${error.name}: ${error.message}${framesOf(caller)}`)
    define(error, inspectSymbol, inspected)
  }
  return error
}

/**
 * The value of a function whose typed errors name the place of the call, which the frames of Effect would push out of their stack.
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
 * A promise whose typed errors name the place of the call.
 */
export const keep = <A>(promise: Promise<A>): Promise<A> => {
  const caller = new Error()
  return promise.catch((error: unknown) => {
    throw attach(error, caller)
  })
}
