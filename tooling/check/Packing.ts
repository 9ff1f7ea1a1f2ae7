/** Builds and packs published packages as for the registry. */
import { join } from "node:path"
import { root, run } from "./Workspace.ts"

const mustRun = async (command: string, args: ReadonlyArray<string>, cwd = root): Promise<void> => {
  const { code, output } = await run(command, args, { cwd, timeoutMillis: 600_000 })
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")} exits ${code}\n${output}`)
}

/** Rebuilds packages and writes their tarballs into a folder: `daybook-<name>.tgz`. */
export const pack = async (folder: string, names: ReadonlyArray<string>): Promise<void> => {
  await mustRun("turbo", ["run", "build", ...names.map((name) => `--filter=@daybook/${name}`)])
  for (const name of names)
    await mustRun("pnpm", ["pack", "--out", join(folder, `daybook-${name}.tgz`)], join(root, "packages", name))
}
