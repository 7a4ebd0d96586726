import { expect, test } from 'vitest'
import { readExpiry, showExpiry } from './expiry.ts'

test.each([
  ['31/12/2026', '2026-12-31T23:59:59.999Z'],
  ['2026-12-31', '2026-12-31T23:59:59.999Z'],
  ['29/02/2028', '2028-02-29T23:59:59.999Z'],
  ['01/01/2000', '2000-01-01T23:59:59.999Z'],
  ['01/01/0050', '0050-01-01T23:59:59.999Z'],
])('the day %s is valid until its end in UTC', (given, end) => {
  expect(readExpiry(given).toISOString()).toBe(end)
})

test.each([
  ['2026-12-31T10:20:30Z', '2026-12-31T10:20:30.000Z'],
  ['2026-12-31T10:20:30.456+02:00', '2026-12-31T08:20:30.456Z'],
  ['2026-12-31T10:20:30', '2026-12-31T10:20:30.000Z'],
  ['2026-12-31 10:20:30.123456+00:00', '2026-12-31T10:20:30.123Z'],
  ['Thu, 31 Dec 2026 10:20:30 +0200', '2026-12-31T08:20:30.000Z'],
  ['Thu Dec 31 10:20:30 UTC 2026', '2026-12-31T10:20:30.000Z'],
])('the time %s is kept exactly, in UTC when it has no offset', (given, moment) => {
  expect(readExpiry(given).toISOString()).toBe(moment)
})

const wrongForm =
  'Date has wrong format. Use one of these: DD/MM/YYYY, YYYY-MM-DD, YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].'

test.each([
  ['31/02/2027', 'There is no such day.'],
  ['13/13/2027', 'There is no such day.'],
  ['00/01/2027', 'There is no such day.'],
  ['2027-02-29', 'There is no such day.'],
  ['01/01/0000', 'There is no such day.'],
  ['9999-12-31T23:00:00-05:00', wrongForm],
  ['soon', wrongForm],
  ['', wrongForm],
  ['1/2/2027', wrongForm],
  ['12/31/27', wrongForm],
  ['20270131', wrongForm],
  ['2027-02-30T00:00:00Z', wrongForm],
  ['31/12/2026 ', wrongForm],
])('%j is rejected: %s', (given, text) => {
  const body = { expiry_date: [text] }
  expect(() => readExpiry(given)).toThrow(expect.objectContaining({ kind: 'invalid', body }))
})

test('responses show the day in UTC', () => {
  expect(showExpiry(new Date('2026-12-31T23:59:59.999Z'))).toBe('31/12/2026')
  expect(showExpiry(new Date('2026-03-01T00:00:00Z'))).toBe('01/03/2026')
})

test('a day from a response can be sent back', () => {
  const day = '05/11/2031'
  expect(showExpiry(readExpiry(day))).toBe(day)
})
