/** Reads comma-separated values piece by piece, in the form of RFC 4180; lines may end with CR LF or LF. */

type Row = ReadonlyArray<string>

/** Reads the characters of one file; returns each row at its end. */
class Reader {
  #row: Array<string> = []
  #field = ""
  #isQuoted = false
  /** The last character was a quote that ends the field, unless another quote follows. */
  #isAfterQuote = false

  /** Reads one character; returns the row that it ends. */
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

/** The rows in pieces of text. */
export const read = async function* (pieces: AsyncIterable<string>): AsyncGenerator<Row> {
  const reader = new Reader()
  for await (const piece of pieces) {
    for (const character of piece) {
      const row = reader.take(character)
      if (row !== null) yield row
    }
  }
}
