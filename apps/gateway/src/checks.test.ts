import { DomainError } from '@reticle/kit'
import { expect, test } from 'vitest'
import { assertMemory, assertRoom, createProcessChecks } from './checks.ts'

test('a nearly full disk is reported with a message that the health route may show', () => {
  assertRoom({ blocks: 100, bavail: 10 }, 90)
  expect(() => assertRoom({ blocks: 100, bavail: 5 }, 90)).toThrow(DomainError)
  expect(() => assertRoom({ blocks: 100, bavail: 5 }, 90)).toThrow('the disk is 95 % full')
  assertRoom({ blocks: 100, bavail: 5 }, 95)
})

test.each([
  ['the heap', { heap: 99, heapLimit: 100, resident: 1, allowed: 0 }],
  ['the container', { heap: 1, heapLimit: 100, resident: 99, allowed: 100 }],
])('nearly exhausted memory of %s is reported', (_, inUse) => {
  expect(() => assertMemory(inUse)).toThrow('99 % of the memory is in use')
})

test('memory without a limit is never exhausted', () => {
  assertMemory({ heap: 1, heapLimit: 100, resident: 1e12, allowed: 0 })
})

test('the checks of the current process succeed', async () => {
  const { DiskUsage, MemoryUsage } = createProcessChecks({ diskUsageMax: 100 }, '.')
  await DiskUsage?.()
  await MemoryUsage?.()
})
