import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsByProcess } from '@reticle/standalone/settings'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'

const named = (text: string) => [...new Set(text.match(/\b(RETICLE|OTEL)_[A-Z0-9_]+\b/g))].sort()

test('docs/operations.md names exactly the settings that processes read', () => {
  const read = [...new Set(Object.values(settingsByProcess).flat())].sort()
  expect(named(readFileSync(join(root, 'docs/operations.md'), 'utf8'))).toEqual(read)
})
