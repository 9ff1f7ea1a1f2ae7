/**
 * Checks that this version of Node can run the service, as required by `engines`. Imports nothing, so that an older Node can load it.
 */

const least = [22, 19] as const

/** A sentence about a version of Node that is too old; undefined if it suffices. */
export const issue = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const isEnough = major > least[0] || (major === least[0] && minor >= least[1])
  return isEnough ? undefined : `daybook needs Node ${least.join(".")} or newer; this is ${version}.`
}
