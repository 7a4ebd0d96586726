import { expect, test } from 'vitest'
import { type Candidate, choose } from './choose.ts'

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

test('webhooks take turns, a long queue delays only itself', () => {
  const all = [...waiting(1, 10), ...waiting(2, 1), ...waiting(3, 2)]
  expect(webhooksOf(all, choose(all, 6, 0))).toEqual([1, 2, 3, 1, 3, 1])
})

test('the turn goes on behind the webhook that was served last', () => {
  const all = [...waiting(1, 2), ...waiting(2, 2), ...waiting(3, 2)]
  expect(webhooksOf(all, choose(all, 3, 1))).toEqual([2, 3, 1])
})

test('who has less under way comes first', () => {
  const all = [...waiting(1, 1, { webhook_running: 3 }), ...waiting(2, 1)]
  expect(webhooksOf(all, choose(all, 1, 0))).toEqual([2])
})

test('messages of one webhook keep their order', () => {
  const all = waiting(1, 3)
  expect(choose(all, 3, 0)).toEqual(all.map(({ id }) => id))
})

test('a webhook has ten under way at most', () => {
  const all = waiting(1, 10, { webhook_running: 4 })
  expect(choose(all, 100, 0)).toHaveLength(6)
})

test('a webhook that failed five times in a row has one', () => {
  expect(choose(waiting(1, 10, { failure_streak: 5 }), 100, 0)).toHaveLength(1)
  expect(choose(waiting(1, 10, { failure_streak: 5, webhook_running: 1 }), 100, 0)).toHaveLength(0)
  expect(choose(waiting(1, 10, { failure_streak: 4 }), 100, 0)).toHaveLength(10)
})

test('an organization has fifty under way at most, whatever its webhooks', () => {
  const given = { organization_id: 2, organization_running: 44 }
  const all = [...waiting(1, 10, given), ...waiting(2, 10, given), ...waiting(3, 10)]
  const chosen = webhooksOf(all, choose(all, 100, 0))
  expect(chosen.filter((id) => id !== 3)).toHaveLength(6)
  expect(chosen.filter((id) => id === 3)).toHaveLength(10)
})
