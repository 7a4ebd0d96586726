import { expect, test } from 'vitest'
import { type CommittedEvent, findDeliveryFaults, noFaults } from './deliveries.ts'
import type { AcknowledgedChange } from './flow.ts'
import { markOf, type ReceivedMessage } from './received-messages.ts'

/** The checker of deliveries detects every kind of fault. */

const webhook = { id: 1, project_id: 7, events: ['update:project', 'update:job'] }

/** Renamings of project 7, committed in this order. */
const events = [1, 2, 3].map(
  (n): CommittedEvent => ({
    event: 'update:project',
    key: 'project:7',
    project_id: 7,
    fact: `fact ${n}`,
  }),
)
const truth = { events, revisions: [] }

/** Messages of those changes in the order of arrival, with their sequence numbers. */
const messages = (...numbers: number[]): ReceivedMessage[] =>
  numbers.map((n, at) => ({
    ...{ id: `id ${n}`, webhook_id: 1, sequence: n, event: 'update:project', hash: '' },
    ...{ fact: `fact ${n}`, marks: [markOf.name(7, `name ${n}`)], nth: at + 1 },
  }))

const check = (
  received: ReceivedMessage[],
  given: {
    acknowledged?: AcknowledgedChange[]
    revisions?: AcknowledgedChange[]
    failed?: string[]
  } = {},
) => {
  const { acknowledged = [], revisions = [], failed = [] } = given
  const known = { truth: { ...truth, revisions }, acknowledged }
  return findDeliveryFaults(webhook, { of: () => received }, known, new Set(failed))
}

const renamed = (n: number) => ({
  ...{ event: 'update:project', project_id: 7, mark: markOf.name(7, `name ${n}`) },
})

test('complete and ordered messages have no fault', () => {
  expect(check(messages(1, 2, 3), { acknowledged: [renamed(3)] })).toEqual(noFaults)
})

test('a committed event without a message is lost, and its number is missing', () => {
  expect(check(messages(1, 3))).toEqual({ ...noFaults, lost: ['fact 2'], numbers: [3] })
})

test('an acknowledged change without a message is lost, even if it was never committed', () => {
  const verdict = check(messages(1, 2, 3), { acknowledged: [renamed(4)] })
  expect(verdict).toEqual({ ...noFaults, lost: ['project 7 name 4'] })
})

test('a change of annotations without a message of its job is lost', () => {
  const change = { event: 'update:job', project_id: 7, mark: markOf.revision(5, 2) }
  expect(check(messages(1, 2, 3), { revisions: [change] })).toEqual({
    ...noFaults,
    lost: [change.mark],
  })
})

test('an event that the webhook does not subscribe to is not expected', () => {
  const elsewhere = { ...renamed(4), project_id: 8 }
  const other = { ...renamed(5), event: 'create:comment' }
  expect(check(messages(1, 2, 3), { acknowledged: [elsewhere, other] })).toEqual(noFaults)
})

test('one event under two ids counts as invented', () => {
  const twice = { ...messages(3), id: 'another', sequence: 4 }
  const received = [
    ...messages(1, 2, 3),
    ...messages(3).map((one) => ({ ...one, ...twice, nth: 4 })),
  ]
  expect(check(received)).toEqual({ ...noFaults, invented: ['fact 3'] })
})

test('sequence numbers that differ from the commit order are detected', () => {
  const swapped = messages(1, 2, 3).map((one) => ({
    ...one,
    sequence: [1, 3, 2][one.nth - 1] ?? 0,
  }))
  expect(check(swapped)).toMatchObject({ misnumbered: ['fact 3'], overtaken: [] })
})

test('a message that arrives after a later one is detected, unless its first attempt failed', () => {
  expect(check(messages(1, 3, 2))).toEqual({ ...noFaults, overtaken: ['fact 3'] })
  expect(check(messages(1, 3, 2), { failed: ['id 2'] })).toEqual(noFaults)
})
