/** Decoders and encoders beside `JSON.parse` of the same text. */
import * as Figures from "../Figures.ts"

const inputs = ["page", "block", "hashes"]

/** A decoder takes the difference of two times: below a tenth of `JSON.parse` it is noise. */
const ratio = (figures: Figures.Figures, subject: string, measure: string): string => {
  const ratios = figures.values(subject, `${measure} over JSON.parse`)
  return ratios.length > 0 && Figures.median(ratios) < 0.1 ? "< 0.1" : Figures.spread(ratios, 2)
}

export const table: Figures.Table = (figures) =>
  Figures.table(
    ["", "page, decode", "encode", "block of 200 transactions, decode", "encode", "block of hashes, decode", "encode"],
    [
      ...figures
        .subjects()
        .map((subject) => [
          subject,
          ...inputs.flatMap((input) => ["decode", "encode"].map((step) => ratio(figures, subject, `${input} ${step}`))),
        ]),
      [
        "JSON.parse, us",
        ...inputs.flatMap((input) => [
          Figures.cell(figures.median(figures.subjects()[0]!, `${input} JSON.parse us`), 0),
          "",
        ]),
      ],
    ],
  )
