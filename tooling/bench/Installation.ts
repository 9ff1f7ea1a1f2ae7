/**
 * The packages of a checkout as they are published: built, packed, and unpacked into a folder. What they depend on beside each other is
 * linked from the checkout, so that nothing is fetched.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { Checkout } from "./Checkout.ts"

/** In the order of their dependencies. An older commit may lack one. */
const packages = ["schema", "abi", "transport", "rest", "rpc", "service"]

/** Builds the packages of a checkout, and makes `node_modules/@daybook` with them in a folder. */
export const install = ({ root }: Checkout, folder: string): void => {
  const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
    execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] })
  const names = packages.filter((name) => existsSync(join(root, "packages", name)))
  const filters = names.map((name) => `--filter=@daybook/${name}`)
  run(join(root, "node_modules/.bin/turbo"), ["run", "build", "--output-logs=errors-only", ...filters], root)
  for (const name of names) {
    const source = join(root, "packages", name)
    const target = join(folder, "node_modules/@daybook", name)
    const tarball = join(folder, `${name}.tgz`)
    mkdirSync(join(target, "node_modules"), { recursive: true })
    run("pnpm", ["pack", "--out", tarball], source)
    run("tar", ["xzf", tarball, "-C", target, "--strip-components=1"], folder)
    for (const dependency of readdirSync(join(source, "node_modules"))) {
      const link = join(target, "node_modules", dependency)
      if (dependency === "@daybook" || dependency.startsWith(".") || existsSync(link)) continue
      symlinkSync(join(source, "node_modules", dependency), link)
    }
  }
}

/** The file of the command `daybook` that was installed in a folder. */
export const command = (folder: string): string => join(folder, "node_modules/@daybook/service/dist/bin.js")
