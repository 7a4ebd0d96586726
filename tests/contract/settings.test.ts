import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../generate/files.ts'

const named = (text: string) => [...new Set(text.match(/\bRETICLE_[A-Z0-9_]+\b/g))].sort()

test('docs/operations.md names every setting that is read, and no other', () => {
  const configs = readdirSync(join(root, 'apps')).map((app) =>
    join(root, 'apps', app, 'src/config.ts'),
  )
  const read = named(configs.map((path) => readFileSync(path, 'utf8')).join('\n'))
  expect(named(readFileSync(join(root, 'docs/operations.md'), 'utf8'))).toEqual(read)
})
