import type { ReactNode } from 'react'

interface Props {
  facts: Readonly<Record<string, ReactNode>>
  /** Below one another, for what is long; else beside one another. */
  isList?: boolean
}

/** What there is to know of a thing at a glance: names, and what stands behind them. */
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
