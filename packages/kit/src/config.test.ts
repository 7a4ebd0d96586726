import { expect, test } from 'vitest'
import { z } from 'zod'
import { readEnv, setting } from './config.ts'

test.each([
  ['abc', 'PORT: must be a whole number from 0 to 65535, without a unit'],
  ['80000', 'PORT: must be a whole number from 0 to 65535, without a unit'],
  ['-1.5', 'PORT: must be a whole number from 0 to 65535, without a unit'],
])('a port of %s is refused once, with what would be right', (PORT, problem) => {
  const read = () => readEnv(z.object({ PORT: setting.port(8080) }), { PORT })
  expect(read).toThrow(expect.objectContaining({ problems: [problem] }))
})

test('a number without an upper bound says where it begins', () => {
  const read = () => readEnv(z.object({ SLOTS: setting.whole(2, 1) }), { SLOTS: '0' })
  expect(read).toThrow(
    expect.objectContaining({
      problems: ['SLOTS: must be a whole number from 1 on, without a unit'],
    }),
  )
})
