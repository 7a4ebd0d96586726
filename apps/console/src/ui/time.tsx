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
