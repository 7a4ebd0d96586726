import { useState } from 'react'
import { type Bar, totalOf } from './parts.ts'
import './statistics.css'

interface Props {
  title: string
  /** Header of the rows: `Label`. */
  of: string
  bars: readonly Bar[]
}

const shownAtFirst = 25

/** Renders a bar chart inside a table of its numbers, so that screen readers present the same data. */
export function Plot({ title, of, bars }: Props) {
  const [isWhole, setIsWhole] = useState(false)
  const most = Math.max(1, ...bars.map(totalOf))
  const names = bars[0]?.parts.map(({ name }) => name) ?? []
  const shown = isWhole ? bars : bars.slice(0, shownAtFirst)
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="wide" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              <td className="length" />
              {names.map((name, index) => (
                <th key={name} scope="col" className="number">
                  <svg
                    className={`key-mark ${colourOf(index)}`}
                    aria-hidden="true"
                    viewBox="0 0 1 1"
                  >
                    <rect width="1" height="1" />
                  </svg>{' '}
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((bar) => (
              <BarRow key={bar.key} bar={bar} most={most} />
            ))}
          </tbody>
        </table>
      </section>
      {bars.length > shown.length && (
        <button type="button" onClick={() => setIsWhole(true)}>
          Show all {bars.length}
        </button>
      )}
    </figure>
  )
}

interface BarRowProps {
  bar: Bar
  /** Total of the longest bar. */
  most: number
}

/** Returns the CSS class for the colour of a part. */
const colourOf = (part: number) => `part-${part % 10}`

function BarRow({ bar: { name, parts }, most }: BarRowProps) {
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, { count }) => sum + count, 0))
  return (
    <tr>
      <th scope="row" title={name}>
        {name}
      </th>
      <td className="length">
        <svg aria-hidden="true" viewBox={`0 0 ${most} 1`} preserveAspectRatio="none">
          {parts.map(({ name: part, count }, at) => (
            <rect key={part} className={colourOf(at)} x={starts[at]} width={count} height="1" />
          ))}
        </svg>
      </td>
      {parts.map(({ name: part, count }) => (
        <td key={part} className="number">
          {count.toLocaleString()}
        </td>
      ))}
    </tr>
  )
}
