/** Reads npm lockfiles and finds what `npm ci` of one npm major rejects and another accepts, without running npm. */

/** The parts of a package.json that are compared with its lockfile. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface LockedPackage {
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A package-lock.json: packages by their path, as in `node_modules/zod`; the root has the empty path. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

const exactVersion = /^(?:npm:(?:@[^/]+\/)?[^@]+@)?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

/** Whether a package finds a dependency in its own node_modules or in those of the packages above it. */
const finds = ({ packages }: Lockfile, path: string, name: string): boolean => {
  const place = `${path === "" ? "" : `${path}/`}node_modules/${name}`
  if (Object.hasOwn(packages, place)) return true
  if (path === "") return false
  return finds({ packages }, path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name)
}

const missing = (lockfile: Lockfile): ReadonlyArray<string> =>
  Object.entries(lockfile.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name]) => !finds(lockfile, path, name))
      .map(
        ([name, version]) => `the lockfile has no entry for ${name} ${version} of ${path === "" ? "the root" : path}`,
      ),
  )

/** What is wrong with a lockfile; nothing when it is complete, exact and free of addresses. */
export const issues = (manifest: Manifest, lockfile: Lockfile): ReadonlyArray<string> => {
  const declared = { ...manifest.dependencies, ...manifest.devDependencies }
  const root = lockfile.packages[""]
  const locked: Readonly<Record<string, string>> = { ...root?.dependencies, ...root?.devDependencies }
  const names = [...new Set([...Object.keys(declared), ...Object.keys(locked)])]
  return [
    ...Object.entries(declared)
      .filter(([, version]) => !exactVersion.test(version))
      .map(([name, version]) => `package.json does not pin ${name} to one version: ${version}`),
    ...names
      .filter((name) => declared[name] !== locked[name])
      .map(
        (name) => `package.json has ${name} ${declared[name] ?? "nowhere"}, the lockfile ${locked[name] ?? "nowhere"}`,
      ),
    ...missing(lockfile),
    ...Object.entries(lockfile.packages)
      .filter(([, { resolved }]) => resolved !== undefined && /^[a-z+]+:\/\//.test(resolved))
      .map(([path]) => `the lockfile names the address that ${path} was downloaded from`),
  ]
}
