import type { RecordBatchEntry } from 'kafkajs'
import { expect, test } from 'vitest'
import {
  findUnconfirmed,
  type OutboxMessage,
  offsetOf,
  readMessage,
  requestsOf,
} from './message.ts'

const row = (id: number, data: unknown = { id }): OutboxMessage => ({
  id,
  topic: 'reticle.events.v1',
  key: `item:${id}`,
  headers: { 'event-id': `0199f7a0-0000-7000-8000-00000000000${id}` },
  data,
})
const sent = (given: Partial<RecordBatchEntry>): RecordBatchEntry => ({
  key: Buffer.from('item:1'),
  value: Buffer.from('{"id":1}'),
  timestamp: '1700000000000',
  attributes: 0,
  offset: '7',
  headers: {},
  ...given,
})
const place = { topic: 'reticle.events.v1', partition: 3 }

test('rows are sent in order, in requests below the size limit of a broker', () => {
  const large = { text: 'x'.repeat(400_000) }
  const requests = requestsOf([row(1, large), row(2, large), row(3, large), row(4)])
  expect(requests.map(({ messages }) => messages.map(({ id }) => id))).toEqual([
    [1, 2],
    [3, 4],
  ])
})

test('an event above the size limit is sent in a separate request', () => {
  const requests = requestsOf([row(1), row(2, { text: 'x'.repeat(1_000_000) }), row(3)])
  expect(requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1])
})

test('an event of a partition that no broker confirmed is detected, even if the client reports success', () => {
  const messages = requestsOf([row(1), row(2)])[0]?.messages ?? []
  const placeOf = ({ key }: { key?: unknown }) => (key === 'item:1' ? 4 : 9)
  const taken = [{ topicName: 'x.reticle.events.v1', partition: 4 }]
  expect(findUnconfirmed(messages, { prefix: 'x.', placeOf, taken })?.id).toBe(2)
  const all = [...taken, { topicName: 'x.reticle.events.v1', partition: 9 }]
  expect(findUnconfirmed(messages, { prefix: 'x.', placeOf, taken: all })).toBeUndefined()
})

test('a message is read as it was sent', () => {
  const headers = { 'event-id': Buffer.from('0199f7a0-0000-7000-8000-000000000001') }
  expect(readMessage(place, sent({ headers }))).toEqual({
    offset: 7,
    event_id: '0199f7a0-0000-7000-8000-000000000001',
    key: 'item:1',
    headers: { 'event-id': '0199f7a0-0000-7000-8000-000000000001' },
    value: { id: 1 },
  })
})

test('a foreign message gets the same id at each reading, and another id at another offset', () => {
  const strange = sent({ key: null, value: Buffer.from('no json') })
  const read = readMessage(place, strange)
  expect(read).toMatchObject({ key: '', value: 'no json' })
  expect(readMessage(place, strange).event_id).toBe(read.event_id)
  expect(readMessage(place, { ...strange, offset: '8' }).event_id).not.toBe(read.event_id)
})

test('an offset beyond the safe integers is rejected', () => {
  expect(offsetOf('9007199254740991')).toBe(2 ** 53 - 1)
  expect(() => offsetOf('9007199254740993')).toThrow('offset 9007199254740993 is no safe integer')
})
