import { expect, test } from 'vitest'
import { newSecretKey, secretBox } from './secrets.ts'

const [older, newer] = [newSecretKey('older'), newSecretKey('newer')]
const box = secretBox(older)

test('an encrypted text can be decrypted for its place', () => {
  const sealed = box.seal('hush, ключ', 'things.secret:7')
  expect(sealed).not.toContain('hush')
  expect(box.open(sealed, 'things.secret:7')).toBe('hush, ключ')
  expect(box.open(box.seal('', 'a'), 'a')).toBe('')
})

test('an encrypted text cannot be decrypted for another place', () => {
  const sealed = box.seal('hush', 'things.secret:7')
  expect(() => box.open(sealed, 'things.secret:8')).toThrow()
})

test('a changed byte is detected', () => {
  const sealed = box.seal('hush', 'a')
  const [id, encoded = ''] = sealed.split('.')
  const bytes = Buffer.from(encoded, 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => box.open(`${id}.${changed.toString('base64')}`, 'a')).toThrow()
  }
  expect(() => box.open(sealed.slice(0, 12), 'a')).toThrow()
})

test('the same text is encrypted differently each time', () => {
  expect(box.seal('hush', 'a')).not.toBe(box.seal('hush', 'a'))
})

test('after a rotation the newest key encrypts, and the older one still decrypts', () => {
  const sealed = box.seal('hush', 'a')
  const rotated = secretBox(`${newer},${older}`)
  expect(rotated.open(sealed, 'a')).toBe('hush')
  expect(rotated.isOld(sealed)).toBe(true)
  expect(rotated.isOld(rotated.seal('hush', 'a'))).toBe(false)
  expect(() => secretBox(newer).open(sealed, 'a')).toThrow('sealed with the key "older"')
})

test.each([
  ['', 'at least one key is needed'],
  ['a:c2hvcnQ=', 'entry 1 has 5 bytes, 32 are needed'],
  [`${older},${older}`, 'entry 2 has the name "older" of an earlier one'],
  [`${older},b c:x`, 'entry 2 needs a name'],
  ['justtext', 'entry 1 has 0 bytes'],
])('the keys %j are rejected', (keys, text) => {
  expect(() => secretBox(keys)).toThrow(`RETICLE_SECRET_KEYS: ${text}`)
})
