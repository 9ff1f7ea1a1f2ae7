import { describe, expect, it } from "vitest"
import * as ShellExample from "./ShellExample.ts"

describe("commandsOf", () => {
  it("commandsOf: joins continued lines, and treats the comment after a command as its output", () => {
    const code = '# before\ncurl -H "a" \\\n  "b"\n# {...}\n\ncursor=$(c)\ncurl d # e\n# f\n# g\n'

    expect(ShellExample.commandsOf(code)).toEqual([
      { text: "# before", line: 0 },
      { text: 'curl -H "a" \\\n  "b"', line: 1, expected: "{...}" },
      { text: "cursor=$(c)", line: 5 },
      { text: "curl d # e", line: 6, expected: "f" },
      { text: "# g", line: 8 },
    ])
  })
})

describe("matches", () => {
  it("matches: matches ... with any text, and everything else literally", () => {
    const expected = '{"result":[{...,"page":"0",...}]}'

    expect(ShellExample.matches(expected, '{"result":[{"a":[1],"page":"0","b":"\n"}]}\n')).toBe(true)
    expect(ShellExample.matches(expected, '{"result":[{"a":1,"page":"1","b":2}]}')).toBe(false)
    expect(ShellExample.matches("a.c", "abc")).toBe(false)
  })
})

describe("issuesOf: names the commands that print something else, and the first one that fails", () => {
  it("issuesOf: names the commands that print something else, and the first one that fails", () => {
    const commands = ShellExample.commandsOf("a\n# 1\nb\n# 2\nc\n")

    expect(ShellExample.issuesOf(commands, "1\n\u001E2\n\u001E\u001E")).toEqual([])
    expect(ShellExample.issuesOf(commands, "1\n\u001E3\n\u001E404")).toEqual([
      "line 3: expected 2, received 3\n",
      "line 5: failed: 404",
    ])
  })
})
