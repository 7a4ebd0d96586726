import { describe, expect, test } from 'vitest'
import { exportEventsQuery } from './events.ts'
import { moment, readMoment, startOfDay } from './moments.ts'
import { messagesToRedeliver } from './webhooks.ts'

const noon = '2026-11-27T12:00:00.000Z'
const precise = '2026-11-27T12:00:00.123Z'

describe('a date is parsed as the intended moment', () => {
  test.each([
    ['datetime.isoformat()', '2026-11-27T12:00:00.123456+00:00', precise],
    ['datetime.isoformat() without a zone', '2026-11-27T12:00:00.123456', precise],
    ['datetime.isoformat() of a whole second', '2026-11-27T12:00:00+00:00', noon],
    ['str(datetime)', '2026-11-27 12:00:00.123456+00:00', precise],
    ['str(datetime) without a zone', '2026-11-27 12:00:00', noon],
    ['str(datetime) elsewhere', '2026-11-27 17:30:00.123456+05:30', precise],
    ["isoformat(timespec='minutes')", '2026-11-27T12:00+00:00', noon],
    ["isoformat(timespec='hours')", '2026-11-27T12', noon],
    ['strftime with %z', '2026-11-27T07:00:00-0500', noon],
    ['strftime with a space before %z', '2026-11-27 07:00:00 -0500', noon],
    ['strftime with %Z', '2026-11-27 12:00:00 UTC', noon],
    ['datetime.ctime()', 'Fri Nov 27 12:00:00 2026', noon],
    ['email.utils.format_datetime(usegmt=True)', 'Fri, 27 Nov 2026 12:00:00 GMT', noon],
    ['date', 'Fri Nov 27 12:00:00 UTC 2026', noon],
    ['date of an English locale', 'Fri Nov 27 12:00:00 PM UTC 2026', noon],
    [
      'date after midnight of that locale',
      'Fri Nov 27 12:30:00 AM UTC 2026',
      '2026-11-27T00:30:00.000Z',
    ],
    ['date early in a month', 'Sun Mar  1 09:05:07 UTC 2026', '2026-03-01T09:05:07.000Z'],
    ['date -R', 'Fri, 27 Nov 2026 13:00:00 +0100', noon],
    ['date -Iseconds', '2026-11-27T12:00:00+00:00', noon],
    ['date -Ins', '2026-11-27T12:00:00,123456789+00:00', precise],
    ['date -Iminutes', '2026-11-27T12:00+00:00', noon],
    ['date -Ihours', '2026-11-27T12+00:00', noon],
    ['date --rfc-3339=ns', '2026-11-27 12:00:00.123456789+00:00', precise],
    ['date +%FT%T%z', '2026-11-27T12:00:00+0000', noon],
    ['an answer of the service', noon, noon],
    ['a date in lower case', '2026-11-27t12:00:00z', noon],
    ['an offset of hours', '2026-11-27T14:00:00+02', noon],
    ['an unescaped + in a URL', '2026-11-27T14:00:00 02:00', noon],
    ['date -R, its + unescaped in a URL', 'Fri, 27 Nov 2026 13:00:00  0100', noon],
    ['text with spaces around it', ' 2026-11-27 12:00:00 ', noon],
  ])('%s: %s', (_, given, expected) => {
    expect(readMoment(given)).toBe(expected)
  })
})

test('a day alone gets the time that its field defines', () => {
  expect(readMoment('2026-11-27', startOfDay)).toBe('2026-11-27T00:00:00.000Z')
  expect(readMoment('2026-11-27')).toBeUndefined()
})

test.each([
  ...['', 'yesterday', '27/11/2026', '20261127', '1764244800', '2026-11', '12:00:00'],
  ...['2026-02-30 12:00:00', '2026-13-01T12:00:00Z', '2026-11-27T24:00:00Z', '2026-11-27 12:60'],
  ...['2026-11-27T12:00:00+25:00', '2026-11-27T12:00:00+00:60', '2026-11-27T12:00:00.Z'],
  ...['2026-11-27  12:00:00', '2026-11-27T12:00:00 CET', 'Fri Nov 27 12:00:00 CET 2026'],
  ...['Fri, 31 Feb 2026 12:00:00 +0000', 'Fri, 27 Foo 2026 12:00:00 +0000', 'Nov 27 2026'],
  ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:00-05:00'],
  `2026-11-27T12:00:00.${'1'.repeat(10_000)}Z`,
])('"%.60s" is refused with the form that is read', (given) => {
  expect(readMoment(given, startOfDay)).toBeUndefined()
  expect(moment(startOfDay).safeParse(given).error?.issues[0]?.message).toBe(
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  )
})

test('query parameters and bodies accept the same forms', () => {
  const given = 'Fri, 27 Nov 2026 13:00:00 +0100'
  expect(exportEventsQuery.parse({ from: given, to: '2026-11-27' })).toMatchObject({
    from: noon,
    to: '2026-11-27T23:59:59.999Z',
  })
  expect(messagesToRedeliver.parse({ failed_since: given })).toEqual({ failed_since: noon })
})
