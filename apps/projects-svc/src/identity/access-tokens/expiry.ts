import { invalid } from '@reticle/kit/errors'
import { z } from 'zod'

/**
 * The day a token expires: DD/MM/YYYY in answers (contract, Authentication 2). Sent as such or as an ISO date it is valid
 * through the end of that day in UTC; an ISO timestamp is kept exactly (`spec/api-workspace.md` 2.3).
 */

const forms = [
  /^(?<day>\d{2})\/(?<month>\d{2})\/(?<year>\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
]
const timestamp = z.iso.datetime({ offset: true, local: true })

const wrongForm =
  'Date has wrong format. Use one of these: DD/MM/YYYY, YYYY-MM-DD, YYYY-MM-DDThh:mm:ssZ.'
const noSuchDay = 'There is no such day.'

/** @throws DomainError invalid for another form or a day that does not exist */
export function readExpiry(given: string): Date {
  const parts = forms.map((form) => given.match(form)?.groups).find((found) => found)
  const date = parts
    ? endOfDay(Number(parts.year), Number(parts.month), Number(parts.day))
    : moment(given)
  if (date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) throw refused(noSuchDay)
  return date
}

const refused = (text: string) => invalid({ expiry_date: text })

function endOfDay(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day) // the constructor takes years before 100 for 19xx
  date.setUTCHours(23, 59, 59, 999)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) throw refused(noSuchDay)
  return date
}

function moment(given: string): Date {
  if (!timestamp.safeParse(given).success) throw refused(wrongForm)
  const hasOffset = /(Z|[+-]\d{2}:?\d{2})$/i.test(given)
  return new Date(hasOffset ? given : `${given}Z`)
}

/** DD/MM/YYYY, the day in UTC. */
export function showExpiry(date: Date): string {
  const [year = '', month = '', day = ''] = date.toISOString().slice(0, 10).split('-')
  return `${day}/${month}/${year}`
}
