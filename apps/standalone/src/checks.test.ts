import { DomainError } from '@reticle/kit'
import { expect, test } from 'vitest'
import { assertRoom } from './checks.ts'

test('a disk that is nearly full is named in words that the health route may show', () => {
  assertRoom({ blocks: 100, bavail: 10 })
  expect(() => assertRoom({ blocks: 100, bavail: 5 })).toThrow(DomainError)
  expect(() => assertRoom({ blocks: 100, bavail: 5 })).toThrow('the disk is 95 % full')
})
