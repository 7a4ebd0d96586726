import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { kept } from './kept.ts'

test('what was made once is kept, and an empty file is made anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'key')
  expect(await kept(path, () => 'first')).toBe('first')
  expect(await kept(path, () => 'second')).toBe('first')
  writeFileSync(path, '')
  expect(await kept(path, () => 'third')).toBe('third')
  expect(readFileSync(path, 'utf8')).toBe('third\n')
})
