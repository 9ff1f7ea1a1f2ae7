/**
 * Checks that this Node can run the service, by the version that `engines` requires. Imports nothing, so that an older Node can
 * load it.
 */

const least = [22, 19] as const

/** One sentence about a Node that is too old; undefined for one that will do. */
export const issue = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const isEnough = major > least[0] || (major === least[0] && minor >= least[1])
  return isEnough ? undefined : `daybook needs Node ${least.join(".")} or newer; this is ${version}.`
}
