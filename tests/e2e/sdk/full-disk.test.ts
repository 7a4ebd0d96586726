import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../support/reticle.ts'

/** Where a disk takes less than it is given, it says so only when it is given the rest. */

const sdk = pathToFileURL(join(root, 'packages/sdk/dist/node.js'))

/** A program that saves a download of so many bytes, in one piece. */
const program = (bytes: number) => `
  import { saveTo } from '${sdk}'
  const pieces = async function* () { yield new Uint8Array(${bytes}) }
  const file = { etag: '"a"', size: ${bytes}, offset: 0, [Symbol.asyncIterator]: pieces }
  await saveTo({ download: async () => file }, '/api/file', 'saved')`

/** What there is after it has run where a file may have 8 KiB. */
function savedBy(script: string): string[] {
  const cwd = mkdtempSync(join(tmpdir(), 'reticle-full-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const limited = ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"']
  spawnSync('bash', [...limited, process.execPath, script], { cwd })
  return readdirSync(cwd)
}

test('a file that was written in part is not the file', () => {
  expect(savedBy(program(8000))).toEqual(['saved'])
  expect(savedBy(program(9000))).toEqual([expect.stringMatching(/^saved\.[\da-f]{8}\.part$/)])
})
