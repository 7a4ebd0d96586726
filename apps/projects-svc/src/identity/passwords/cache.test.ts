import { testClock } from '@reticle/kit/testing/clock'
import { expect, test } from 'vitest'
import { passwordCache } from './cache.ts'

const given = { name: 'anna', password: 'secret', network: '10.0.0.1' }

test('a password is valid only for its own stored hash', () => {
  const cache = passwordCache(testClock())
  cache.add(given, 'hash 1')
  expect(cache.has(given, 'hash 1')).toBe(true)
  expect(cache.has(given, 'hash 2')).toBe(false)
})

test('characters cannot move between name and password', () => {
  const cache = passwordCache(testClock())
  cache.add({ ...given, name: 'a', password: 'b","c' }, 'hash')
  expect(cache.has({ ...given, name: 'a","b', password: 'c' }, 'hash')).toBe(false)
})

test('a password used in one network is not cached for another', () => {
  const cache = passwordCache(testClock())
  cache.add(given, 'hash')
  expect(cache.has({ ...given, network: '10.0.0.2' }, 'hash')).toBe(false)
})

test('the cache keeps the newest thousand entries', () => {
  const cache = passwordCache(testClock())
  const passwords = Array.from({ length: 1001 }, (_, index) => ({ ...given, password: `${index}` }))
  for (const password of passwords) cache.add(password, 'hash')
  const kept = passwords.filter((password) => cache.has(password, 'hash'))
  expect(kept).toEqual(passwords.slice(1))
})

test('adding an entry again evicts no other', () => {
  const cache = passwordCache(testClock())
  for (let index = 0; index < 1000; index++) cache.add({ ...given, password: `${index}` }, 'hash')
  for (let index = 0; index < 10; index++) cache.add({ ...given, password: '5' }, 'hash')
  expect(cache.has({ ...given, password: '0' }, 'hash')).toBe(true)
})
