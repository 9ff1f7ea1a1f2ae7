/** Reads comma-separated values in chunks, in the format of RFC 4180; lines may end with CR LF or LF. */

type Row = ReadonlyArray<string>

/** Parses the characters of one file. */
class Reader {
  #row: Array<string> = []
  #field = ""
  #isQuoted = false
  /** True if the last character was a quote, which ends the field unless another quote follows. */
  #isAfterQuote = false

  /** Reads one character; returns the row that it completes. */
  take(character: string): Row | null {
    if (this.#isQuoted && !this.#isAfterQuote) {
      if (character === '"') this.#isAfterQuote = true
      else this.#field += character
      return null
    }
    if (character === '"') {
      if (this.#isAfterQuote) this.#field += character
      this.#isQuoted = true
      this.#isAfterQuote = false
      return null
    }
    if (character === ",") this.#endField()
    else if (character === "\n") return this.#endRow()
    else if (character !== "\r") this.#field += character
    return null
  }

  #endField(): void {
    this.#row.push(this.#field)
    this.#field = ""
    this.#isQuoted = false
    this.#isAfterQuote = false
  }

  #endRow(): Row {
    this.#endField()
    const row = this.#row
    this.#row = []
    return row
  }
}

/** Rows of a text in chunks. */
export const read = async function* (pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  const reader = new Reader()
  for await (const piece of pieces) {
    for (const character of piece) {
      const row = reader.take(character)
      if (row !== null) yield row
    }
  }
}
