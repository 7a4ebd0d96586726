import { createEventType } from '@reticle/contracts/events/define'
import type { Transaction } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type BusEvent, causeOf, onEvent, PoisonEvent, routeEvents } from './bus.ts'
import { createPulse } from './pulse.ts'

const made = createEventType('thing.made', {
  key: () => 'thing:1',
  data: z.object({ id: z.int() }),
})
const event: BusEvent = {
  id: '0199f7a0-0000-7000-8000-000000000000',
  type: 'thing.made',
  version: 1,
  occurred_date: '2026-01-01T00:00:00.000Z',
  organization_id: null,
  actor: null,
  request_id: 'r',
  key: 'thing:1',
  data: { id: 5, added_later: true },
}
const tx = {} as Transaction<object>
const afterCommit = () => undefined

test('a route receives the parsed data of its event type', async () => {
  const seen: unknown[] = []
  await routeEvents([onEvent(made, async (_, data) => void seen.push(data))])(
    tx,
    event,
    afterCommit,
  )
  expect(seen).toEqual([{ id: 5 }])
})

test('a group ignores an event type without a route', async () => {
  await routeEvents([])(tx, event, afterCommit)
})

test('an unknown version of a routed type is a poison event', async () => {
  const attempt = routeEvents([onEvent(made, async () => undefined)])(
    tx,
    { ...event, version: 2 },
    afterCommit,
  )
  await expect(attempt).rejects.toThrow(
    new PoisonEvent('version 2 of thing.made is not known here'),
  )
})

test('data of the wrong shape is rejected', async () => {
  const attempt = routeEvents([onEvent(made, async () => undefined)])(
    tx,
    { ...event, data: {} },
    afterCommit,
  )
  await expect(attempt).rejects.toBeInstanceOf(z.ZodError)
})

test('an event that a handler emits has the same cause as the handled event', () => {
  const names = { username: 'ann', first_name: '', last_name: '', email: '' }
  expect(causeOf({ ...event, actor: { id: 7, ...names }, organization_id: 2 })).toEqual({
    principal: { user_id: 7, ...names },
    request_id: 'r',
    organization_id: 2,
  })
  expect(causeOf(event).principal).toBeNull()
})

test('an event that a handler emits names the client and the access token of the handled event', () => {
  const actor = { id: 7, username: 'ann', first_name: 'Ann', last_name: 'Lee', email: 'a@b.c' }
  const caller = { address: '::1', user_agent: 'cli/1', token_id: 5 }
  expect(causeOf({ ...event, actor, caller })).toMatchObject({
    address: '::1',
    user_agent: 'cli/1',
    principal: { user_id: 7, token: { id: 5 } },
  })
})

test('a loop without a turn for 90 s is not alive', () => {
  let now = 0
  const { beat, isAlive } = createPulse(undefined, () => now)
  now = 89_000
  expect(isAlive()).toBe(true)
  beat()
  now += 89_000
  expect(isAlive()).toBe(true)
  now += 1000
  expect(isAlive()).toBe(false)
})
