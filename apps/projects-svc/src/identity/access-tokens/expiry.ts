import { momentForm, readMoment } from '@reticle/contracts/rest/moments'
import { invalid } from '@reticle/kit/call/errors'

/**
 * Expiry of a token: DD/MM/YYYY in responses. A day in this form or as an ISO date is valid until its end in UTC; a
 * date with a time is kept exactly (`docs/spec/access.md#access-tokens`).
 */

const forms = [
  /^(?<day>\d{2})\/(?<month>\d{2})\/(?<year>\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
]

const wrongForm = `Date has wrong format. Use one of these: DD/MM/YYYY, YYYY-MM-DD, ${momentForm}.`
const noSuchDay = 'There is no such day.'

/** Parses an expiry. @throws DomainError invalid for another form or a day that does not exist */
export function readExpiry(given: string): Date {
  const parts = forms.map((form) => given.match(form)?.groups).find((found) => found)
  if (parts) return lastMoment(Number(parts.year), Number(parts.month), Number(parts.day))
  const moment = readMoment(given)
  if (moment === undefined) throw refused(wrongForm)
  return new Date(moment)
}

const refused = (text: string) => invalid({ expiry_date: text })

function lastMoment(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day) // the constructor maps years before 100 to 19xx
  date.setUTCHours(23, 59, 59, 999)
  const isThatDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (year < 1 || !isThatDay) throw refused(noSuchDay)
  return date
}

/** Formats an expiry as DD/MM/YYYY, the day in UTC. */
export function showExpiry(date: Date): string {
  const [year = '', month = '', day = ''] = date.toISOString().slice(0, 10).split('-')
  return `${day}/${month}/${year}`
}
