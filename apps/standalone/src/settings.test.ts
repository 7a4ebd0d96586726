import { expect, test } from 'vitest'
import { unknownSettings } from './settings.ts'

test('an unused variable counts as misspelt, one of the command line does not', () => {
  const env = {
    RETICLE_PROT: '1',
    RETICLE_PORT: '1',
    RETICLE_URL: 'http://a',
    RETICLE_CACHE_DIR: '/a',
  }
  expect(unknownSettings(env)).toEqual(['RETICLE_PROT'])
})
