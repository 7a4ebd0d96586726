import { expect, test } from 'vitest'
import { clientEvents, exportEventsQuery } from './events.ts'

const timestamp = '2026-03-01T10:00:00Z'
const read = (event: object) =>
  clientEvents.parse({ timestamp, events: [{ scope: 'debug:info', timestamp, ...event }] })
    .events[0]

test('an event needs only a scope and a timestamp', () => {
  expect(read({})).toEqual({
    scope: 'debug:info',
    timestamp: '2026-03-01T10:00:00.000Z',
    duration: 0,
    obj_name: null,
    obj_id: null,
    obj_val: null,
    count: null,
    payload: null,
    project_id: null,
    task_id: null,
    job_id: null,
  })
  for (const missing of ['scope', 'timestamp'])
    expect(() => read({ [missing]: undefined })).toThrow(missing)
})

test('events default to an empty list, and the previous event to null', () => {
  expect(clientEvents.parse({ timestamp })).toMatchObject({ events: [], previous_event: null })
})

test('a client cannot set the user, the organization or the source of an event', () => {
  expect(read({ user_id: 9, user_name: 'x', org_id: 1, source: 'server' })).toEqual(read({}))
})

test.each([
  ['2026-03-01T12:00:00.123456+02:00', '2026-03-01T10:00:00.123Z'],
  ['2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
])('%s is parsed as %s', (given, expected) => {
  expect(read({ timestamp: given })?.timestamp).toBe(expected)
})

test.each(['yesterday', '', '2026-02-30T10:00:00Z', '1772359200', '0000-01-01T00:00:00Z'])(
  '"%s" is no moment',
  (given) => {
    expect(() => read({ timestamp: given })).toThrow('Datetime has wrong format')
  },
)

test('a negative duration is rejected, and null counts as 0', () => {
  expect(() => read({ duration: -1 })).toThrow('duration')
  expect(read({ duration: null })?.duration).toBe(0)
})

test('a day as a bound of an export includes the whole day', () => {
  expect(exportEventsQuery.parse({ from: '2026-03-01', to: '2026-03-01' })).toMatchObject({
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-03-01T23:59:59.999Z',
  })
  expect(() => exportEventsQuery.parse({ from: 'March' })).toThrow('Datetime has wrong format')
})
