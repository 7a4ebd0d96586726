import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readOrCreateSecret } from './secret-file.ts'

test('an existing file is read, and a missing or empty one is created', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'key')
  expect(await readOrCreateSecret(path, () => 'first')).toBe('first')
  expect(await readOrCreateSecret(path, () => 'second')).toBe('first')
  writeFileSync(path, '')
  expect(await readOrCreateSecret(path, () => 'third')).toBe('third')
  expect(readFileSync(path, 'utf8')).toBe('third\n')
})
