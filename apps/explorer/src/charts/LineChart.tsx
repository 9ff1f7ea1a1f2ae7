/** A chart of lines over an axis, with the same numbers as a table for those who do not see it. */
import { type ReactNode, useEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { Disclosure, TableBox } from "../display/Page.tsx"
import { useTheme } from "../layout/Theme.tsx"

/** A line. */
export interface Series {
  readonly name: string
  /** Heights for the eye; the table has the exact values. */
  readonly heights: ReadonlyArray<number | null>
  /** The value of a point in words, exact. */
  readonly exactAt: (at: number) => ReactNode
  readonly format: (height: number) => string
  /** Holds its height until the next point. */
  readonly isStepped?: boolean
  readonly isBar?: boolean
}

interface LineChartProps {
  readonly label: string
  /** Positions on the axis: seconds since 1970 where `isTime`, else numbers. */
  readonly xs: ReadonlyArray<number>
  readonly xName: string
  readonly xAt: (at: number) => ReactNode
  readonly isTime?: boolean
  readonly series: ReadonlyArray<Series>
}

const height = 200

const colour = (element: Element, name: string): string => getComputedStyle(element).getPropertyValue(name).trim()

const optionsOf = (box: HTMLElement, { isTime = false, series, xName }: LineChartProps): uPlot.Options => {
  const [text, grid, line, fill] = ["--muted", "--border", "--chart", "--chart-fill"].map((name) => colour(box, name))
  const axis = { stroke: text!, grid: { stroke: grid!, width: 1 }, ticks: { stroke: grid!, width: 1 } }
  const paths = { bars: uPlot.paths.bars?.({ size: [0.7, 12] }), steps: uPlot.paths.stepped?.({ align: 1 }) }
  return {
    width: box.clientWidth,
    height,
    scales: { x: { time: isTime } },
    cursor: { y: false },
    axes: [
      isTime ? axis : { ...axis, values: (_, splits) => splits.map(String) },
      { ...axis, size: 84, values: (_, splits) => splits.map((value) => series[0]?.format(value) ?? "") },
    ],
    series: [
      { label: xName },
      ...series.map(({ format, isBar = false, isStepped = false, name }) => {
        const path = isBar ? paths.bars : isStepped ? paths.steps : undefined
        const shape = {
          label: name,
          stroke: line!,
          fill: isBar ? line! : fill!,
          width: isBar ? 0 : 1.5,
          points: { show: false },
          value: (_: uPlot, value: number | null) => (value === null ? "" : format(value)),
        }
        return path === undefined ? shape : { ...shape, paths: path }
      }),
    ],
  }
}

const Table = ({ label, series, xAt, xName, xs }: LineChartProps) => (
  <Disclosure title="Show as a table">
    <TableBox label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{xName}</th>
            {series.map(({ name }) => (
              <th scope="col" className="numeric" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {xs.map((x, at) => (
            <tr key={`${x} ${at}`}>
              <td>{xAt(at)}</td>
              {series.map(({ exactAt, name }) => (
                <td className="numeric" key={name}>
                  {exactAt(at)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  </Disclosure>
)

export const LineChart = (props: LineChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const data = [[...props.xs], ...props.series.map(({ heights }) => [...heights])] as uPlot.AlignedData
    const chart = new uPlot(optionsOf(element, props), data, element)
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [props, theme])
  return (
    <figure className="chart">
      <div ref={box} className="chart-box" aria-hidden="true" />
      <figcaption>{props.label}</figcaption>
      <Table {...props} />
    </figure>
  )
}
