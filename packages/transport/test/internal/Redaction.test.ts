import { isVisibleLine } from "@daybook/schema/VisibleText"
import { describe, expect, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import * as Redaction from "../../src/internal/Redaction.ts"

const Secret = Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(40))
const encodings: ReadonlyArray<(secret: string) => string> = [
  (secret) => secret,
  encodeURIComponent,
  (secret) => JSON.stringify(secret).slice(1, -1),
]
/** Escapes of a character by its code in hexadecimal. */
const escapes: ReadonlyArray<(code: string) => string> = [
  (code) => `\\u00${code}`,
  (code) => `\\\\u00${code.toUpperCase()}`,
  (code) => `\\${String.fromCharCode(parseInt(code, 16))}`,
  (code) => `%${code}`,
  (code) => `%25${code.toUpperCase()}`,
  (code) => `&#x${code};`,
  (code) => `&#${parseInt(code, 16)};`,
]

describe("Redaction", () => {
  const scrub = Redaction.scrubber(["p@ss word/1", 'quo"te', "abc"])

  it("scrubber: replaces every occurrence of a secret", () =>
    expect(scrub("a p@ss word/1 b p@ss word/1")).toBe("a <redacted> b <redacted>"))
  it("scrubber: replaces the percent-encoded spelling", () =>
    expect(scrub("GET /v3/p%40ss%20word%2F1/x")).toBe("GET /v3/<redacted>/x"))
  it("scrubber: replaces the spelling inside JSON", () =>
    expect(scrub('{"message":"quo\\"te"}')).toBe('{"message":"<redacted>"}'))
  it.each([
    ["a slash escaped in JSON", "abc\\/def+ghi&x'y"],
    ["a slash escaped in JSON inside JSON", "abc\\\\\\/def+ghi&x'y"],
    ["escapes of JSON by code unit", "abc\\u002Fdef\\u002bghi\\u0026x\\u0027y"],
    ["percent-encoding in lower case", "abc%2fdef%2bghi%26x%27y"],
    ["percent-encoding of a percent-encoded text", "abc%252Fdef%252Bghi%2526x'y"],
    ["names and numbers of HTML", "abc&#x2F;def+ghi&amp;x&#39;y"],
  ])("scrubber: replaces a secret with %s", (_, spelling) =>
    expect(Redaction.scrubber(["abc/def+ghi&x'y"])(`<a href="/">&lt;${spelling}</a> \0%2f`)).toBe(
      '<a href="/">&lt;<redacted></a> \0%2f',
    ),
  )
  it("scrubber: handles a text with millions of separators after a word of a secret", () => {
    const text = `3f2a9c1e${" ".repeat(20_000_000)}`

    expect(Redaction.scrubber(["3f2a9c1e-77aa"])(text) === text).toBe(true)
  })
  it("scrubber: handles a text that repeats the words of a secret inside escapes", () => {
    const scrub = Redaction.scrubber(["key1/key2/key3/key4/key5/key6/key7/key8/key9"])
    const text = `key1${["2", "3", "4", "5", "6", "7", "8"].map((digit) => `&key${digit};`.repeat(14)).join("")}`

    expect(scrub(`${text}key9`)).toBe(`${text}key9`)
    expect(scrub(`${text} key1/key2&#47;key3%2fkey4/key5/key6/key7/key8/key9`)).toBe(`${text} <redacted>`)
  })
  it("scrubber: keeps a text that differs in the case of a letter", () =>
    expect(Redaction.scrubber(["true"])("True")).toBe("True"))
  it("scrubber: replaces the longest secret first", () =>
    expect(Redaction.scrubber(["abcd", "abcdefgh"])("abcdefgh")).toBe("<redacted>"))
  it("scrubber: keeps a secret of fewer than four characters in the text", () => expect(scrub("abc")).toBe("abc"))
  it("scrubber: replaces a secret that was given with spaces around it", () =>
    expect(Redaction.scrubber([" secret0key\n"])("bad key: secret0key")).toBe("bad key: <redacted>"))
  it("fromKey: wraps a text, and returns a wrapped key unchanged", () => {
    const wrapped = Redacted.make("secret0key")

    expect(Redacted.value(Redaction.fromKey("secret0key"))).toBe("secret0key")
    expect(JSON.stringify(Redaction.fromKey("secret0key"))).not.toContain("secret0key")
    expect(Redaction.fromKey(wrapped)).toBe(wrapped)
  })
  it("scrubber: replaces the decoded form of a percent-encoded secret", () =>
    expect(Redaction.scrubber(["my%20key"])("bad key: my key")).toBe("bad key: <redacted>"))
  it("scrubber: replaces a secret that is not valid percent-encoding, and one without letters and digits", () =>
    expect(Redaction.scrubber(["100%key", "----"])("bad keys: 100%key, ----")).toBe("bad keys: <redacted>, <redacted>"))

  it.prop(
    "law: no spelling of any secret is left in a scrubbed text",
    { secrets: Schema.Array(Secret).check(Schema.isMinLength(1)), before: Schema.String, after: Schema.String },
    ({ after, before, secrets }) => {
      // A secret that is part of the mark itself stays in the text.
      const visible = secrets.filter((secret) => !/\p{Surrogate}/u.test(secret) && !"<redacted>".includes(secret))
      const replace = Redaction.scrubber(visible)
      for (const secret of visible) {
        for (const encode of encodings) {
          const clean = replace(`${before}${encode(secret)}${after}`).replaceAll(Redaction.mark, "\n")

          expect(visible.filter((one) => one.length >= 4 && !one.includes("\n") && clean.includes(one))).toStrictEqual(
            [],
          )
        }
      }
    },
  )

  it.prop(
    "law: a key is found in each escaped form, and the text around it is unchanged",
    {
      key: Schema.String.check(Schema.isPattern(/^[\da-zA-Z]{4}[\da-zA-Z/+=_.:~-]{4,36}[\da-zA-Z]$/)),
      before: Schema.String.check(Schema.isPattern(/^[^\da-zA-Z]{0,20}$/)),
      after: Schema.String.check(Schema.isPattern(/^[^\da-zA-Z]{0,20}$/)),
    },
    ({ after, before, key }) => {
      const scrub = Redaction.scrubber([key])
      for (const escape of escapes) {
        const escaped = key.replaceAll(/[^\da-z]/gi, (character) => escape(character.charCodeAt(0).toString(16)))

        expect(scrub(`${before} ${escaped} ${after}`)).toBe(`${before} <redacted> ${after}`)
      }
    },
  )

  it("headers: replaces the values of headers that carry credentials", () =>
    expect(
      Redaction.headers({ "X-API-Key": "k", Authorization: "Basic x", cookie: "a=b", accept: "application/json" }),
    ).toStrictEqual({
      "X-API-Key": "<redacted>",
      Authorization: "<redacted>",
      cookie: "<redacted>",
      accept: "application/json",
    }))

  it("shorten: leaves a short text unchanged, even one that ends with an ellipsis", () =>
    expect(["a b", "x".repeat(200), "more…"].map((text) => Redaction.shorten(text))).toEqual([
      "a b",
      "x".repeat(200),
      "more…",
    ]))
  it("shorten: joins lines into one, and escapes hidden characters", () =>
    expect(Redaction.shorten("a\n\t b\u0000\u001b[31m\u202e")).toBe("a b[U+0000][U+001B][31m[U+202E]"))
  it("shorten: appends the full length to a shortened text", () =>
    expect(Redaction.shorten("x".repeat(50), 10)).toBe("xxxxxxxxx… (50 characters)"))
  it.prop(
    "law: shorten returns one line of allowed characters, and the length of a longer text",
    { text: Schema.String, characters: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })) },
    ({ characters, text }) => {
      const short = Redaction.shorten(text, characters)

      expect(isVisibleLine(short)).toBe(true)
      expect(Array.from(short).length).toBeLessThanOrEqual(characters + ` (${text.length} characters)`.length)
    },
  )

  it("fromKey: wraps text so that printing it shows nothing", () => {
    const key = Redaction.fromKey("secret")

    expect(JSON.stringify(key)).toBe('"<redacted>"')
    expect(Redacted.value(key)).toBe("secret")
  })
})
