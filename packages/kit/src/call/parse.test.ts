import { expect, test } from 'vitest'
import { z } from 'zod'
import { createPacer } from '../scheduling/pacer.ts'
import { countTurns } from '../testing/turns.ts'
import { parseInSteps } from './parse.ts'

const inner = z.object({ id: z.int(), values: z.array(z.string()).optional() })
const schema = z.object({ name: z.string(), items: z.array(inner).nullable().optional() })
const manyOf = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

test('a valid value is returned as parsed, without unknown keys', async () => {
  const given = { name: 'a', items: [...manyOf(500, { id: 1, values: ['x'] })], other: 1 }
  expect(await parseInSteps(schema, given, createPacer())).toEqual({
    data: { name: 'a', items: given.items },
  })
  expect(await parseInSteps(schema, { name: 'a', items: null }, createPacer())).toEqual({
    data: { name: 'a', items: null },
  })
})

test('a single mistake has the same path and code as in a whole parse', async () => {
  for (const given of [
    { items: [] },
    { name: 1, items: manyOf(300, { id: 1 }) },
    { name: 'a', items: [...manyOf(250, { id: 1 }), { id: 'x' }] },
    { name: 'a', items: [{ id: 1, values: [...manyOf(300, 'x'), null] }] },
    { name: 'a', items: {} },
    { name: 'a', items: manyOf(20, 'x') },
  ]) {
    const { issues } = await parseInSteps(schema, given, createPacer())
    const whole = schema.safeParse(given).error?.issues ?? []
    expect(issues?.map(({ path, code }) => ({ path, code }))).toEqual(
      whole.map(({ path, code }) => ({ path, code })),
    )
  }
})

test.each([
  ['of a list', { name: 'a', items: manyOf(190_000, 1) }],
  ['of a list in an item', { name: 'a', items: [{ id: 1, values: manyOf(190_000, 1) }] }],
  [
    'behind many that are right',
    { name: 'a', items: [...manyOf(90_000, { id: 1 }), ...manyOf(90_000, 1)] },
  ],
])('at most a hundred mistakes %s are described', async (_name, given) => {
  const { issues = [] } = await parseInSteps(schema, given, createPacer())
  expect(issues.length).toBeGreaterThan(0)
  expect(issues.length).toBeLessThanOrEqual(100)
})

test('a long list is parsed in steps, with turns for other calls', async () => {
  const given = { name: 'a', items: manyOf(100_000, { id: 1, values: ['x', 'y'] }) }
  expect(await countTurns(() => parseInSteps(schema, given, createPacer()))).toBeGreaterThan(3)
})
