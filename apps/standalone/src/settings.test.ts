import { expect, test } from 'vitest'
import { unknownSettings } from './settings.ts'

test('what nobody reads is most likely misspelt, what the command line reads is not', () => {
  const env = {
    RETICLE_PROT: '1',
    RETICLE_PORT: '1',
    RETICLE_URL: 'http://a',
    RETICLE_CACHE_DIR: '/a',
  }
  expect(unknownSettings(env)).toEqual(['RETICLE_PROT'])
})
