import { expect, test } from 'vitest'
import { bodiesOf, type Fact } from './payload.ts'

const base = 'https://host/api'
const anna = { id: 3, username: 'anna', first_name: 'Anna', last_name: 'L', email: 'a@b.c' }

function fact(given: Partial<Fact>): Fact {
  return {
    event: 'update:task',
    event_id: 'e',
    key: 'task:12',
    resource: 'task',
    actor: null,
    occurred_date: '2026-03-01T10:00:00.000Z',
    record: { id: 12 },
    ...given,
  }
}

test('the members of a body have a fixed order, byte for byte', () => {
  const given = fact({
    record: { id: 12, name: 'B\u00e4ume "\ud83c\udf33" \ud800', assignee: null },
    before_update: { name: 'Trees', assignee: 4 },
    annotations: { shapes: 1 },
    actor: anna,
  })
  const body = bodiesOf(given, base)({ webhook_id: 1, delivery_id: 'd', sequence: 9 })
  const text =
    '{"event":"update:task","webhook_id":1,"delivery_id":"d","webhook_sequence":9,' +
    '"created_date":"2026-03-01T10:00:00.000Z",' +
    '"task":{"id":12,"name":"B\u00e4ume \\"\ud83c\udf33\\" \\ud800","assignee":null},' +
    '"before_update":{"name":"Trees","assignee":4},' +
    '"changes":{"name":{"from":"Trees","to":"B\u00e4ume \\"\ud83c\udf33\\" \\ud800"},' +
    '"assignee":{"from":4,"to":null}},"annotations":{"shapes":1},' +
    '"sender":{"url":"https://host/api/users/3","id":3,"username":"anna","first_name":"Anna",' +
    '"last_name":"L","email":"a@b.c"}}'
  expect(body.toString()).toBe(text)
})

test('a body has no member for missing fields of the fact', () => {
  const body = bodiesOf(fact({}), base)({ webhook_id: 1, delivery_id: 'd', sequence: 9 })
  expect(body.toString()).toBe(
    '{"event":"update:task","webhook_id":1,"delivery_id":"d","webhook_sequence":9,' +
      '"created_date":"2026-03-01T10:00:00.000Z","task":{"id":12}}',
  )
})

test('the record is serialized once for all webhooks', () => {
  let times = 0
  const labels = {
    toJSON: () => {
      times += 1
      return []
    },
  }
  const bodyFor = bodiesOf(fact({ record: { id: 12, labels } }), base)
  const ids = [1, 2, 3].map((webhook_id) => {
    const body = bodyFor({ webhook_id, delivery_id: `d${webhook_id}`, sequence: 1 })
    return JSON.parse(body.toString()).webhook_id
  })
  expect(ids).toEqual([1, 2, 3])
  expect(times).toBe(1)
})
