import { defineEvent } from '@reticle/contracts/events/define'
import type { Transaction } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type BusEvent, causeOf, on, PoisonEvent, route } from './bus.ts'
import { pulse } from './pulse.ts'

const made = defineEvent('thing.made', { key: () => 'thing:1', data: z.object({ id: z.int() }) })
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

test('a route gets the data as its type says', async () => {
  const seen: unknown[] = []
  await route([on(made, async (_, data) => void seen.push(data))])(tx, event)
  expect(seen).toEqual([{ id: 5 }])
})

test('a type without a route is not for this group', async () => {
  await route([])(tx, event)
})

test('a version without a route is poison', async () => {
  const attempt = route([on(made, async () => undefined)])(tx, { ...event, version: 2 })
  await expect(attempt).rejects.toThrow(
    new PoisonEvent('version 2 of thing.made is not known here'),
  )
})

test('data of another shape is refused', async () => {
  const attempt = route([on(made, async () => undefined)])(tx, { ...event, data: {} })
  await expect(attempt).rejects.toBeInstanceOf(z.ZodError)
})

test('what a handler emits has the same cause', () => {
  const names = { username: 'ann', first_name: '', last_name: '', email: '' }
  expect(causeOf({ ...event, actor: { id: 7, ...names }, organization_id: 2 })).toEqual({
    principal: { user_id: 7, ...names },
    request_id: 'r',
    organization_id: 2,
  })
  expect(causeOf(event).principal).toBeNull()
})

test('what a handler emits in turn names the means by which its cause came', () => {
  const actor = { id: 7, username: 'ann', first_name: 'Ann', last_name: 'Lee', email: 'a@b.c' }
  const caller = { address: '::1', user_agent: 'cli/1', token_id: 5 }
  expect(causeOf({ ...event, actor, caller })).toMatchObject({
    ...{ address: '::1', user_agent: 'cli/1' },
    principal: { user_id: 7, token: { id: 5 } },
  })
})

test('a loop that has not gone round for 90 s is not alive', () => {
  let now = 0
  const { beat, isAlive } = pulse(undefined, () => now)
  now = 89_000
  expect(isAlive()).toBe(true)
  beat()
  now += 89_000
  expect(isAlive()).toBe(true)
  now += 1000
  expect(isAlive()).toBe(false)
})
