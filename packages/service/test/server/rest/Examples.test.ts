import { readFileSync } from "node:fs"
import * as RestOperation from "@daybook/schema/RestOperation"
import { expect, it } from "vitest"

const guide = readFileSync(new URL("../../../../../docs/guides/http.md", import.meta.url), "utf8")

/** The curl commands, each as one line. */
const commands = guide
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => /(?:^|\()curl /.test(line))

it.each(Object.values(RestOperation.all))(
  "docs/guides/http.md has a command with each query parameter of $name",
  ({ path, query }) => {
    const own = commands.filter((line) => line.includes(path.replace("/:address", "/$DAYBOOK_ADDRESS")))
    const names = Object.keys(query.fields)

    expect(names.length).toBeGreaterThan(2)
    expect(names.filter((name) => !own.some((line) => new RegExp(`[?&"]${name}=`).test(line)))).toEqual([])
  },
)
