/**
 * Environment variables in the texts of a configuration: `${NAME}` is replaced by the variable `NAME`, or by the contents of the file named
 * by `NAME_FILE`, as secrets are mounted into containers.
 */
import * as Issue from "@daybook/schema/Issue"
import { readFileSync, statSync } from "node:fs"
import * as Result from "effect/Result"
import type { ConfigIssue } from "./InvalidConfig.ts"
import * as ErrorCode from "./ErrorCode.ts"

/** The variables of the process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

const variable = /\$\{(\w+)\}/g

const maxFileBytes = 65_536

/** A missing variable: what was expected and what was received. */
interface Missing {
  readonly expected: string
  readonly received: string
}

/** Contents of a small file, without the final line break. */
const readSecret = (name: string, path: string): Result.Result<string, Missing> => {
  const expected = `the environment variable ${name} to name a readable file of at most ${maxFileBytes} bytes`
  try {
    const { size } = statSync(path)
    if (size > maxFileBytes) return Result.fail({ expected, received: `${size} bytes` })
    const text = readFileSync(path, "utf8").replace(/\r?\n$/, "")
    return text === "" ? Result.fail({ expected, received: "an empty file" }) : Result.succeed(text)
  } catch (cause) {
    return Result.fail({ expected, received: `a file that cannot be read (${ErrorCode.of(cause)})` })
  }
}

const lookUp = (environment: Environment, name: string): Result.Result<string, Missing> => {
  const of = (key: string): string => (Object.hasOwn(environment, key) ? (environment[key] ?? "") : "")
  const [value, file] = [of(name), of(`${name}_FILE`)]
  if (value !== "") return Result.succeed(value)
  if (file !== "") return readSecret(`${name}_FILE`, file)
  return Result.fail({ expected: `the environment variable ${name} to be set`, received: "nothing" })
}

/** A JSON value with its variables replaced. */
export interface Expanded {
  readonly value: unknown
  /** Paths of texts that had variables: their values are never shown. */
  readonly secret: ReadonlySet<string>
  /** An issue for each variable that has no value. */
  readonly issues: ReadonlyArray<ConfigIssue>
}

/** Replaces the variables in all texts of a JSON value. Keys are unchanged, and values are not expanded recursively. */
export const expand = (input: unknown, environment: Environment): Expanded => {
  const secret = new Set<string>()
  const issues: Array<ConfigIssue> = []
  const replace = (text: string, path: string): string =>
    text.replaceAll(variable, (_, name: string) => {
      secret.add(path)
      const found = lookUp(environment, name)
      if (Result.isSuccess(found)) return found.success
      issues.push({ path, message: Issue.format("configuration", { path, ...found.failure }) })
      return ""
    })
  const visit = (value: unknown, path: ReadonlyArray<string | number>): unknown => {
    if (typeof value === "string") return replace(value, Issue.formatPath(path))
    if (Array.isArray(value)) return value.map((item, at) => visit(item, [...path, at]))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]))
  }
  return { value: visit(input, []), secret, issues }
}
