/**
 * The packages of a checkout in their published form: built, packed, and unpacked into a folder. Their other dependencies are linked from
 * the checkout, so nothing is downloaded.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { Checkout } from "./Checkout.ts"

/** In dependency order. An older commit may lack one. */
const packages = ["schema", "abi", "transport", "rest", "rpc", "service"]

/** Builds the packages of a checkout, and installs them as `node_modules/@daybook` in a folder. */
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

/** File of the command `daybook` installed in a folder. */
export const command = (folder: string): string => join(folder, "node_modules/@daybook/service/dist/bin.js")
