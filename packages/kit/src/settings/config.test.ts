import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readEnv, setting } from './config.ts'

test.each([
  ['abc', 'PORT: must be a whole number from 0 to 65535, without a unit'],
  ['80000', 'PORT: must be a whole number from 0 to 65535, without a unit'],
  ['-1.5', 'PORT: must be a whole number from 0 to 65535, without a unit'],
])(
  'the port %s is rejected with a single message that states the accepted range',
  (PORT, problem) => {
    const read = () => readEnv(z.object({ PORT: setting.port(8080) }), { PORT })
    expect(read).toThrow(expect.objectContaining({ problems: [problem] }))
  },
)

test('the message for a number without an upper bound states the lower bound', () => {
  const read = () => readEnv(z.object({ SLOTS: setting.whole(2, 1) }), { SLOTS: '0' })
  expect(read).toThrow(
    expect.objectContaining({
      problems: ['SLOTS: must be a whole number from 1 on, without a unit'],
    }),
  )
})

describe('the public address', () => {
  const schema = z.object({ RETICLE_PUBLIC_URL: setting.publicUrl() })
  const read = (url: string) => readEnv(schema, { RETICLE_PUBLIC_URL: url }).RETICLE_PUBLIC_URL

  test.each([
    ['https://label.example.org', 'https://label.example.org'],
    ['https://label.example.org/', 'https://label.example.org'],
    ['http://127.0.0.1:8080//', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s is accepted as the origin %s', (url, origin) => {
    expect(read(url)).toBe(origin)
  })

  test.each([
    'https://example.org/reticle',
    'https://example.org/reticle/',
    'https://example.org/a/b',
    'https://example.org/?tenant=a',
    'https://example.org/#a',
  ])('%s is rejected with the address that would be accepted', (url) => {
    expect(() => read(url)).toThrow(
      /RETICLE_PUBLIC_URL: has to be without a path.*: https:\/\/example\.org$/s,
    )
  })
})
