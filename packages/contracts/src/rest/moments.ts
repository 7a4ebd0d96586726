import { z } from 'zod'
import { timestamp } from './common.ts'

/** Parsing of dates. Clients send ISO 8601 and the forms that Python and `date` write; this is the only parser of them. */

export const momentForm = 'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]'
const wrongForm = `Datetime has wrong format. Use one of these formats instead: ${momentForm}.`

const longest = 64

/** A space may replace the `T`, and the `+` of an offset, because an unescaped `+` in a URL arrives as a space. */
const dateForms = [
  // ISO 8601 and RFC 3339: `isoformat()`, `str(datetime)`, `date -Iseconds`
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<time>[\d:.,]{2,18})(?: ?(?<zone>Z|UTC|GMT|[ +-]\d{2}(?::?\d{2})?))?)?$/i,
  // RFC 5322: `date -R`, `email.utils.format_datetime()`
  /^(?:[a-z]{3}, )?(?<day>\d{1,2}) (?<monthName>[a-z]{3}) (?<year>\d{4}) (?<time>[\d:]{5,8})(?: ?(?<zone>Z|UTC|GMT|[ +-]\d{2}(?::?\d{2})?))?$/i,
  // `date` and `ctime()`; names of other time zones are ambiguous
  /^[a-z]{3} (?<monthName>[a-z]{3}) {1,2}(?<day>\d{1,2}) (?<time>[\d:]{5,8})(?: (?<half>AM|PM))?(?: (?:UTC|GMT))? (?<year>\d{4})$/i,
]
const timeForm =
  /^(?<hour>\d{2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?)?$/

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/**
 * Parses a date; without an offset it is UTC. A day alone gets the time `dayTime`; without that it is rejected.
 * @returns UTC in the form of responses, or undefined unless the text is a date of the years 1 to 9999
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

/** Formats a time with its offset, in the form of responses. */
function timeOf(given: string, { half, zone = 'Z' }: Parts): string | undefined {
  const parts = timeForm.exec(given)?.groups
  if (!parts) return undefined
  const { hour, minute = '00', second = '00', fraction = '' } = parts
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  return `T${hourOf(hour, half)}:${minute}:${second}.${milliseconds}${offsetOf(zone)}`
}

/** Returns the hour of 24; `half` is AM or PM for an hour of 12. */
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

/** Accepts a date from a client, and returns it in the form of responses. */
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
