import { expect, test } from 'vitest'
import { type Candidate, chooseMessages } from './choose.ts'

let next = 1
function waiting(webhook_id: number, count: number, given: Partial<Candidate> = {}): Candidate[] {
  return Array.from({ length: count }, () => ({
    id: next++,
    webhook_id,
    failure_streak: 0,
    organization_id: null,
    webhook_running: 0,
    organization_running: 0,
    ...given,
  }))
}
const webhooksOf = (candidates: Candidate[], chosen: number[]) =>
  chosen.map((id) => candidates.find((one) => one.id === id)?.webhook_id)

test('webhooks take turns, so a long queue delays only its own webhook', () => {
  const all = [...waiting(1, 10), ...waiting(2, 1), ...waiting(3, 2)]
  expect(webhooksOf(all, chooseMessages(all, 6, 0))).toEqual([1, 2, 3, 1, 3, 1])
})

test('the next turn starts after the webhook that was served last', () => {
  const all = [...waiting(1, 2), ...waiting(2, 2), ...waiting(3, 2)]
  expect(webhooksOf(all, chooseMessages(all, 3, 1))).toEqual([2, 3, 1])
})

test('the webhook with fewer running attempts comes first', () => {
  const all = [...waiting(1, 1, { webhook_running: 3 }), ...waiting(2, 1)]
  expect(webhooksOf(all, chooseMessages(all, 1, 0))).toEqual([2])
})

test('messages of one webhook keep their order', () => {
  const all = waiting(1, 3)
  expect(chooseMessages(all, 3, 0)).toEqual(all.map(({ id }) => id))
})

test('a webhook has at most ten running attempts', () => {
  const all = waiting(1, 10, { webhook_running: 4 })
  expect(chooseMessages(all, 100, 0)).toHaveLength(6)
})

test('a webhook with five consecutive failures has one running attempt', () => {
  expect(chooseMessages(waiting(1, 10, { failure_streak: 5 }), 100, 0)).toHaveLength(1)
  expect(
    chooseMessages(waiting(1, 10, { failure_streak: 5, webhook_running: 1 }), 100, 0),
  ).toHaveLength(0)
  expect(chooseMessages(waiting(1, 10, { failure_streak: 4 }), 100, 0)).toHaveLength(10)
})

test('an organization has at most fifty running attempts over all its webhooks', () => {
  const given = { organization_id: 2, organization_running: 44 }
  const all = [...waiting(1, 10, given), ...waiting(2, 10, given), ...waiting(3, 10)]
  const chosen = webhooksOf(all, chooseMessages(all, 100, 0))
  expect(chosen.filter((id) => id !== 3)).toHaveLength(6)
  expect(chosen.filter((id) => id === 3)).toHaveLength(10)
})
