import { z } from 'zod'
import { timestamp } from './common.ts'

/** The one list of forms in which clients send dates: ISO 8601, and what Python and `date` write. */

export const momentForm = 'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]'
const wrongForm = `Datetime has wrong format. Use one of these formats instead: ${momentForm}.`

const longest = 64

/** A space may stand for the `T`, and for the `+` of an offset: an unescaped `+` of a URL arrives as a space. */
const dateForms = [
  // ISO 8601 and RFC 3339: `isoformat()`, `str(datetime)`, `date -Iseconds`
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<time>[\d:.,]{2,18})(?: ?(?<zone>Z|UTC|GMT|[ +-]\d{2}(?::?\d{2})?))?)?$/i,
  // RFC 5322: `date -R`, `email.utils.format_datetime()`
  /^(?:[a-z]{3}, )?(?<day>\d{1,2}) (?<monthName>[a-z]{3}) (?<year>\d{4}) (?<time>[\d:]{5,8})(?: ?(?<zone>Z|UTC|GMT|[ +-]\d{2}(?::?\d{2})?))?$/i,
  // `date` and `ctime()`; names of other zones have several meanings
  /^[a-z]{3} (?<monthName>[a-z]{3}) {1,2}(?<day>\d{1,2}) (?<time>[\d:]{5,8})(?: (?<half>AM|PM))?(?: (?:UTC|GMT))? (?<year>\d{4})$/i,
]
const timeForm =
  /^(?<hour>\d{2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?)?$/

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/**
 * Reads a date; without an offset it is UTC. A day alone has the time `dayTime`; without one it is refused.
 *
 * @returns UTC as answers have it, or undefined unless the text is a date of the years 1 to 9999
 */
export function readMoment(given: string, dayTime?: string): string | undefined {
  const text = given.trim()
  if (text.length > longest) return undefined
  const parts = dateForms.map((form) => form.exec(text)?.groups).find((found) => found)
  const day = parts && dayOf(parts)
  const time = parts?.time === undefined ? dayTime : timeOf(parts.time, parts)
  if (day === undefined || time === undefined) return undefined
  if (!z.iso.datetime({ offset: true }).safeParse(day + time).success) return undefined
  const date = new Date(day + time)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

type Parts = Record<string, string | undefined>

function dayOf({ year, month, monthName = '', day = '' }: Parts): string {
  const number = month ?? String(monthNames.indexOf(monthName.toLowerCase()) + 1)
  return `${year}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** With its offset, in the form of answers. */
function timeOf(given: string, { half, zone = 'Z' }: Parts): string | undefined {
  const parts = timeForm.exec(given)?.groups
  if (!parts) return undefined
  const { hour, minute = '00', second = '00', fraction = '' } = parts
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  return `T${hourOf(hour, half)}:${minute}:${second}.${milliseconds}${offsetOf(zone)}`
}

/** Of 24 hours; `half` is the half of a day of twelve. */
function hourOf(hour = '', half?: string): string {
  if (half === undefined) return hour
  const hours = (Number(hour) % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
  return String(hours).padStart(2, '0')
}

function offsetOf(zone: string): string {
  if (/^[a-z]/i.test(zone)) return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone.startsWith('-') ? '-' : '+'}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/** A date that a client sends, as answers have it. */
export const moment = (dayTime?: string) =>
  z
    .string()
    .transform((given, context) => {
      const read = readMoment(given, dayTime)
      if (read !== undefined) return read
      context.addIssue({ code: 'custom', message: wrongForm })
      return z.NEVER
    })
    .pipe(timestamp)

export const startOfDay = 'T00:00:00.000Z'
export const endOfDay = 'T23:59:59.999Z'
