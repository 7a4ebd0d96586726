import type { Bar } from './parts.ts'

interface Props {
  bar: Bar
  /** Total of the longest bar. */
  most: number
}

/** Returns the CSS class for the colour of a part. */
export const colourOf = (part: number) => `part-${part % 10}`

export function BarRow({ bar: { name, parts }, most }: Props) {
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
