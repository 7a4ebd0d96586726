import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCliHome } from '../../support/cli.ts'
import { root } from '../../support/reticle.ts'

/** Output that cannot be written. */

const program = join(root, 'packages/cli/bin/reticle.mjs')

function shell(line: string) {
  const { env, path: cwd } = createCliHome()
  const reticle = `'${process.execPath}' '${program}'`
  const run = spawnSync('bash', ['-c', line.replaceAll('reticle', reticle)], {
    ...{ cwd, encoding: 'utf8' },
    env: { PATH: process.env.PATH, ...env },
  })
  return { code: run.status, stdout: run.stdout, stderr: run.stderr }
}

test('a reader that closes the pipe early ends the command without an error', () => {
  const read = shell('set -o pipefail; reticle formats --local | head -c 6')
  expect(read).toEqual({ code: 0, stdout: 'FORMAT', stderr: '' })
})

test.runIf(existsSync('/dev/full'))(
  'a command that cannot write its output to a full disk fails',
  () => {
    const full = shell('reticle formats --local > /dev/full')
    expect(full).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^reticle: .*no space left/),
    })
    const { stderr } = shell('reticle formats --local --json > /dev/full')
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'file', exit_code: 1 })
  },
)

test.runIf(existsSync('/dev/full'))(
  'a usage error keeps its exit code when standard error cannot be written',
  () => {
    expect(shell('reticle nothing 2> /dev/full').code).toBe(2)
  },
)
