import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

const refusal = { text: 'At most 2.', code: 'too_many_things', retry_after: 3 }

test('an owner holds at most as many slots as allowed; others are not affected', () => {
  const slots = createSlots<string>(2, refusal)
  slots.take('anna')
  slots.take('anna')
  expect(() => slots.take('anna')).toThrow(
    expect.objectContaining({ kind: 'too_many', message: 'At most 2.', retry_after: 3 }),
  )
  expect(slots.take('bob').isFree).toBe(false)
})

test('a slot that is freed twice counts once', () => {
  const slots = createSlots<string>(2, refusal)
  const first = slots.take('anna')
  slots.take('anna')
  first.free()
  first.free()
  slots.take('anna')
  expect(() => slots.take('anna')).toThrow('At most 2.')
})

test('a rejected take occupies no slot', () => {
  const slots = createSlots<string>(1, refusal)
  const held = slots.take('anna')
  expect(() => slots.take('anna')).toThrow()
  held.free()
  expect(slots.take('anna').isFree).toBe(false)
})
