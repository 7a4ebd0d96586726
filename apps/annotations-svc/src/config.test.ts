import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('unset settings have their defaults', () => {
  expect(readConfig({})).toMatchObject({
    strictAttributes: true,
    maxObjects: 1_000_000,
    lockWaitMs: 10_000,
  })
})

test('the error names every invalid setting', () => {
  const env = {
    RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES: 'maybe',
    RETICLE_ANNOTATIONS_MAX_OBJECTS: '0',
  }
  expect(() => readConfig(env)).toThrow(/STRICT_ATTRIBUTES[\s\S]*MAX_OBJECTS/)
})
