/** Clients whose calls have default options: `client.with(options)`. */

interface Options {
  readonly headers?: Readonly<Record<string, unknown>> | undefined
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isGiven = ([, value]: readonly [name: string, value: unknown]): boolean => value !== undefined

/** Merges options over defaults; options that are `undefined` do not override. Invalid options are left to the checks of the call. */
const over = <O extends Options>(defaults: O | undefined, options: O | undefined): O | undefined => {
  if (!isObject(options)) return options ?? defaults
  if (!isObject(defaults)) return defaults ?? options
  const [some, more] = [defaults.headers, options.headers]
  const given = Object.fromEntries(Object.entries(options).filter(isGiven)) as O
  return { ...defaults, ...given, headers: isObject(some) && isObject(more) ? { ...some, ...more } : (more ?? some) }
}

type Calls = Readonly<Record<string, (query: never, options?: never) => unknown>>

/** Derives a client from calls that take their options as the last argument. */
export const client = <C extends { readonly with: (options: O) => C }, O extends Options>(
  calls: Omit<C, "with">,
  defaults?: O,
): C => {
  // Sound, here and below: a client consists of calls that take a query and options, and `with`.
  const own = Object.entries(calls as Calls).map(([name, call]) => [
    name,
    (query: never, options?: O) => call(query, over(defaults, options) as never),
  ])
  return { ...Object.fromEntries(own), with: (options: O) => client<C, O>(calls, over(defaults, options)) } as C
}
