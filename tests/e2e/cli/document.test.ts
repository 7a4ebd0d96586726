import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCliHome } from '../../support/cli.ts'
import { runMarkedCommands } from '../../support/document.ts'
import { root } from '../../support/reticle.ts'
import { useOwnServer } from '../../support/test-server.ts'

/** The commands list everything, and copy everything to another server. */
const reticle = useOwnServer()

test('the commands of the document work as they are written', async () => {
  const self = 'tests/e2e/cli/document.test.ts'
  const output = await runMarkedCommands('docs/cli.md', self, async () => reticle)
  const lines = output.trimEnd().split('\n')
  expect(lines).toEqual([
    ...['2.58.1', expect.stringMatching(/^Signed in at \S+ as admin\.$/), 'admin'],
    ...[
      expect.stringMatching(/^ID +NAME/),
      expect.stringMatching(/^ *\d+ +Streets /),
      'validation',
    ],
    ...[expect.stringMatching(/^\d+ shapes, 0 tracks, 0 tags$/), 'yolo.zip', 'backup.zip'],
    ...[expect.stringMatching(/^task \d+ is created\.$/), 'set.json'],
    expect.stringMatching(/^Stored in task \d+\.$/),
    expect.stringMatching(/^voc\/: 12 images, /),
    expect.stringMatching(/^FORMAT +SIDE/),
    ...[/^CARRIED/, /^project +1$/, /^task +2$/].map((line) => expect.stringMatching(line)),
    ...[/^CARRIED/, /^archive +1$/, /^task +1$/].map((line) => expect.stringMatching(line)),
    '{ archive: 1, task: 1 }',
    'exit code 4, not_found',
  ])
})

test('the document lists the exit codes that the program prints', async () => {
  const document = readFileSync(join(root, 'docs/cli.md'), 'utf8')
  const written = [...document.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, about]) => [
    code,
    about,
  ])
  const { stdout } = await createCliHome().done(['--help'])
  const [, documented = ''] = /Exit codes:\n([\s\S]*?)\n\n/.exec(stdout) ?? []
  expect(written).toEqual(
    documented.split('\n').map((line) => /^ *(\d+) {2}(.*)$/.exec(line)?.slice(1)),
  )
})
