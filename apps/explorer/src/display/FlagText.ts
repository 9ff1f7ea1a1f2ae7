/** Explanations of the flags of a movement. Pure. */

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
      hint: "The other address resembles one that this address paid before, but is a different one. Do not copy it from here.",
    },
  ],
  [
    "fake_symbol",
    { mark: "fake symbol", hint: "The symbol looks like that of a well-known token. This is another contract." },
  ],
  [
    "link",
    { mark: "link", hint: "A token sent here by others, with a link in its name or symbol. Do not open the link." },
  ],
])

/** The text of a flag. A flag unknown to this version is shown by its name. */
export const ofFlag = (flag: string): FlagText =>
  texts.get(flag) ?? { mark: flag.replaceAll("_", " "), hint: "The service reports that this may be meant to deceive." }
