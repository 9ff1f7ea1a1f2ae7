/** Decoders and encoders compared with `JSON.parse` of the same text. */
import * as Figures from "../Figures.ts"
import type { InputName } from "./Inputs.ts"

const titles: Readonly<Record<InputName, string>> = {
  page: "page",
  block: "block of 200 transactions",
  hashes: "block of hashes",
}

/** The time of a decoder is the difference of two times: below a tenth of `JSON.parse` it is noise. */
const ratio = (figures: Figures.Figures, subject: string, measure: string): string => {
  const ratios = figures.values(subject, `${measure} over JSON.parse`)
  return ratios.length > 0 && Figures.median(ratios) < 0.1 ? "< 0.1" : Figures.spread(ratios, 2)
}

const tableOf =
  (inputs: ReadonlyArray<InputName>): Figures.Table =>
  (figures) =>
    Figures.table(
      ["", ...inputs.flatMap((input) => [`${titles[input]}, decode`, "encode"])],
      [
        ...figures
          .subjects()
          .map((subject) => [
            subject,
            ...inputs.flatMap((input) =>
              ["decode", "encode"].map((step) => ratio(figures, subject, `${input} ${step}`)),
            ),
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

export const table: Figures.Table = tableOf(["page", "block", "hashes"])

/** The inputs measured in a browser. */
export const browserInputs = ["page", "block"] as const satisfies ReadonlyArray<InputName>

export const browser: Figures.Table = tableOf(browserInputs)
