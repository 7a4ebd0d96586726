import type { BasicUser } from '@reticle/sdk'
import type { ReactNode } from 'react'

interface Props {
  facts: Readonly<Record<string, ReactNode>>
  /** Whether to list the facts below each other instead of side by side. */
  isList?: boolean
}

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

/** Shows a relative time; the exact time with time zone is shown on hover. */
export function Time({ value }: { value: string | null | undefined }) {
  if (!value) return <>–</>
  const moment = new Date(value)
  return (
    <time dateTime={value} title={exactly.format(moment)}>
      {sinceText(moment, new Date())}
    </time>
  )
}

const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const steps = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [7 * 86_400, 'day', 86_400],
] as const

/** Returns `3 minutes ago`; after a week the date. */
function sinceText(moment: Date, now: Date): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000
  const [, unit, size] = steps.find(([below]) => Math.abs(seconds) < below) ?? []
  return unit && size ? relative.format(Math.round(seconds / size), unit) : day.format(moment)
}

/** Renders a colour sample of a label. */
export function Swatch({ color }: { color: string }) {
  return <span className="swatch" style={{ background: color }} />
}

/** Returns `anna`, or with a full name `anna (Anna Lind)`. */
export function personName({
  username,
  first_name,
  last_name,
}: Pick<BasicUser, 'username' | 'first_name' | 'last_name'>): string {
  const name = `${first_name} ${last_name}`.trim()
  return name ? `${username} (${name})` : username
}
