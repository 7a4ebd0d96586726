import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reticle/scripts/ready'
import { expect, test } from 'vitest'
import { promises } from './scoreboard.ts'

test('the table of docs/scoreboard.md lists exactly the known promises', () => {
  const page = readFileSync(join(root, 'docs/scoreboard.md'), 'utf8')
  const ids = [...page.matchAll(/^\| (T-[A-Z]+-\d+) \|/gm)].map(([, id]) => id)
  expect([...new Set(ids)].sort()).toEqual(Object.keys(promises).sort())
})
