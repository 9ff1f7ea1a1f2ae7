/**
 * Sentences of prose and their number of words, in Markdown documents and in comments of sources.
 *
 * A sentence ends at a period, question mark or exclamation mark before white space, and at the end of its paragraph, heading, list
 * item, table cell or comment. A word is a part between white space that contains a letter or digit. A code span counts as one word, a
 * link counts with the words of its label. Code blocks are omitted.
 */
import type { Syntax } from "./Syntax.ts"

/** A sentence, with the line on which its paragraph begins. */
export interface Sentence {
  readonly text: string
  readonly line: number
  readonly words: number
}

interface Paragraph {
  readonly line: number
  readonly text: string
}

const fence = /^\s*(?:`{3,}|~{3,})/
const boundary = /^\s*(?:$|#{1,6}\s|[-*+]\s|\d+\.\s|>|\||@\w|<\/?\w|-{3,}$)/

/** Paragraphs of Markdown lines; list items, headings and table cells are separate paragraphs. */
const paragraphs = (lines: ReadonlyArray<string>, first: number): ReadonlyArray<Paragraph> => {
  const collected: Array<{ line: number; text: string }> = []
  let isCode = false
  let open: { line: number; text: string } | undefined
  for (const [index, line] of lines.entries()) {
    if (fence.test(line)) isCode = !isCode
    if (isCode || boundary.test(line)) open = undefined
    if (isCode || fence.test(line)) continue
    if (/^\s*\|/.test(line)) {
      collected.push(...line.split(/(?<!\\)\|/).map((text) => ({ line: first + index, text })))
    } else if (line.trim() !== "") {
      if (open === undefined) collected.push((open = { line: first + index, text: "" }))
      open.text += ` ${line.trim()}`
    }
    if (/^\s*#{1,6}\s/.test(line)) open = undefined
  }
  return collected
}

/** Abbreviations whose period does not end a sentence. */
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|No)\.$/

const readable = (text: string): string =>
  text
    .replace(/``[^`]*(?:`[^`]+)*``|`[^`]*`/g, "code")
    .replace(/\{@link\s+(?<name>\S+?)\}/g, "code")
    .replace(/!?\[(?<label>[^\]]*)\]\([^)]*\)/g, "$<label>")
    .replace(/<[^>\s][^>]*>/g, "")

const sentencesOf = ({ line, text }: Paragraph): ReadonlyArray<Sentence> => {
  const sentences: Array<Sentence> = []
  let rest = ""
  const add = (sentence: string) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
    if (words > 0) sentences.push({ text: sentence.trim(), line, words })
  }
  for (const piece of readable(text).split(/(?<=[.!?][)"'*_”]*)\s+/)) {
    rest = `${rest} ${piece}`
    if (abbreviation.test(rest)) continue
    add(rest)
    rest = ""
  }
  add(rest)
  return sentences
}

/** The sentences of a Markdown document. */
export const ofMarkdown = (text: string): ReadonlyArray<Sentence> =>
  paragraphs(text.split("\n"), 1).flatMap(sentencesOf)

/** The sentences of the comments of a source. Line comments on consecutive lines are one text. */
export const ofComments = ({ comments, lineAt, text }: Syntax): ReadonlyArray<Sentence> => {
  const blocks: Array<{ readonly first: number; readonly lines: Array<string> }> = []
  let lastLine = -1
  for (const { start, end, value } of comments) {
    const [first, isLine] = [lineAt(start), text.startsWith("//", start)]
    const lines = isLine ? [value] : value.split("\n").map((line) => line.replace(/^\s*\*+ ?/, ""))
    if (isLine && first === lastLine + 1) blocks.at(-1)?.lines.push(value)
    else blocks.push({ first, lines })
    lastLine = isLine ? lineAt(end) : -1
  }
  return blocks.flatMap(({ first, lines }) => paragraphs(lines, first).flatMap(sentencesOf))
}

/** Headings of a Markdown document without text below them, as `line heading`. A heading that contains a lower heading is not empty. */
export const emptyHeadings = (text: string): ReadonlyArray<string> => {
  const headings: Array<{ readonly line: number; readonly text: string; readonly level: number; isEmpty: boolean }> = []
  let isCode = false
  for (const [index, line] of text.split("\n").entries()) {
    const level = isCode ? 0 : (/^#{1,6}(?=\s)/.exec(line)?.[0].length ?? 0)
    const last = headings.at(-1)
    if (level > 0) {
      if (last !== undefined && level > last.level) last.isEmpty = false
      headings.push({ line: index + 1, text: line.replace(/^#+\s+/, ""), level, isEmpty: true })
    } else if (last !== undefined && line.trim() !== "") last.isEmpty = false
    if (fence.test(line)) isCode = !isCode
  }
  return headings.filter(({ isEmpty }) => isEmpty).map((heading) => `${heading.line} ${heading.text}`)
}
