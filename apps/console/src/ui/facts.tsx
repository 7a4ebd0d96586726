import type { ReactNode } from 'react'

interface Props {
  facts: Readonly<Record<string, ReactNode>>
  /** Whether to list the facts below each other instead of side by side. */
  isList?: boolean
}

/** Shows properties as pairs of name and value. */
export function Facts({ facts, isList = false }: Props) {
  return (
    <dl className={isList ? 'details' : 'facts'}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
