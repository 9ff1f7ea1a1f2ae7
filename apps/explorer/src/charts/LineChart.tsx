/** A line chart, with the same numbers as a table for screen readers. */
import { type ReactNode, useEffect, useRef } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { formatInteger } from "../display/Numbers.ts"
import { Disclosure } from "../display/Page.tsx"
import { Table } from "../display/Table.tsx"
import { formatLocal } from "../display/Times.ts"
import { useTheme } from "../layout/Theme.tsx"
import * as Axis from "./Axis.ts"

/** A line. */
export interface Series {
  readonly name: string
  /** Heights to draw, rounded; the table has the exact values. */
  readonly heights: ReadonlyArray<number | null>
  /** The exact value of a point, as text. */
  readonly exactAt: (at: number) => ReactNode
  readonly format: (height: number) => string
  /** Holds its height until the next point. */
  readonly isStepped?: boolean
  readonly isBar?: boolean
}

interface LineChartProps {
  readonly label: string
  /** Positions on the axis: seconds since 1970 if `isTime`, otherwise numbers. */
  readonly xs: ReadonlyArray<number>
  readonly xName: string
  readonly xAt: (at: number) => ReactNode
  readonly isTime?: boolean
  readonly series: ReadonlyArray<Series>
}

const height = 200

const colour = (element: Element, name: string): string => getComputedStyle(element).getPropertyValue(name).trim()

/** Room for the labels on the left: the width of the widest one as drawn. */
const roomFor = (chart: uPlot, labels: ReadonlyArray<string> | null): number => {
  const { ctx } = chart
  const [font] = chart.axes[1]?.font ?? []
  if (typeof font === "string") ctx.font = font
  return Axis.roomFor(labels ?? [], (label) => ctx.measureText(label).width / devicePixelRatio)
}

/** Shows the values of the last point while the pointer is on none. */
const showLast = (chart: uPlot): void => {
  const last = chart.data[0].length - 1
  if (last >= 0 && (chart.legend.idx === null || chart.legend.idx === undefined)) chart.setLegend({ idx: last }, false)
}

const optionsOf = (box: HTMLElement, { isTime = false, series, xName }: LineChartProps): uPlot.Options => {
  const [text, grid, line, fill] = ["--muted", "--border", "--chart", "--chart-fill"].map((name) => colour(box, name))
  const axis = { stroke: text!, grid: { stroke: grid!, width: 1 }, ticks: { stroke: grid!, width: 1 } }
  const paths = { bars: uPlot.paths.bars?.({ size: [0.7, 12] }), steps: uPlot.paths.stepped?.({ align: 1 }) }
  const hasBars = series.some(({ isBar = false }) => isBar)
  const formatX = (x: number): string => (isTime ? formatLocal(new Date(x * 1_000)) : formatInteger(x))
  return {
    width: box.clientWidth,
    height,
    // Leaves room for both halves of the first and the last bar.
    scales: { x: { time: isTime, range: (_, min, max) => (hasBars ? [min - 0.5, max + 0.5] : [min, max]) } },
    cursor: { y: false },
    hooks: { ready: [showLast], setCursor: [showLast] },
    axes: [
      {
        ...axis,
        space: isTime ? 100 : 60,
        incrs: [...(isTime ? Axis.timeSteps : Axis.blockSteps)],
        values: (_, splits, _axis, _space, step) =>
          splits.map((x) => (isTime ? Axis.formatInstant(x, step) : formatInteger(x))),
      },
      { ...axis, size: roomFor, values: (_, splits) => splits.map((value) => series[0]?.format(value) ?? "") },
    ],
    series: [
      { label: xName, value: (_, x: number | null) => (x === null ? "" : formatX(x)) },
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

const Numbers = ({ label, series, xAt, xName, xs }: LineChartProps) => (
  <Disclosure title="Show as a table">
    <Table
      label={label}
      columns={[
        { name: xName, cell: (_, at) => xAt(at) },
        ...series.map(({ exactAt, name }) => ({
          name,
          isNumeric: true,
          cell: (_: number, at: number) => exactAt(at),
        })),
      ]}
      rows={xs}
      keyOf={(x, at) => `${x} ${at}`}
    />
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
      <Numbers {...props} />
    </figure>
  )
}
