/** What the flags of a movement mean, in words. Pure. */

interface FlagText {
  /** A word or two. */
  readonly mark: string
  readonly hint: string
}

const texts = new Map<string, FlagText>([
  [
    "poisoning",
    {
      mark: "poisoning?",
      hint: "The other address looks like one that this address paid before, and is another one. Do not copy it from here.",
    },
  ],
  [
    "fake_symbol",
    { mark: "fake symbol", hint: "The symbol looks like that of a well-known token. This is another contract." },
  ],
  ["link", { mark: "link", hint: "A token that others sent here, with a link in its name or symbol. Do not open it." }],
])

/** The text of a flag; one that a later service adds is shown by its name. */
export const ofFlag = (flag: string): FlagText =>
  texts.get(flag) ?? { mark: flag.replaceAll("_", " "), hint: "The service states that this may be meant to deceive." }
