import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../support/reticle.ts'

/** A full disk may accept a part of a write and fail only on the next write. */

const sdk = pathToFileURL(join(root, 'packages/sdk/dist/node.js'))

/** Source of a program that saves a download of that many bytes in one write. */
const program = (bytes: number) => `
  import { saveTo } from '${sdk}'
  const pieces = async function* () { yield new Uint8Array(${bytes}) }
  const file = { etag: '"a"', size: ${bytes}, offset: 0, [Symbol.asyncIterator]: pieces }
  await saveTo({ download: async () => file }, '/api/file', 'saved')`

/** Runs the program with a limit of 8 KiB per file, and returns the names of the files afterwards. */
function savedBy(script: string): string[] {
  const cwd = mkdtempSync(join(tmpdir(), 'reticle-full-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const limited = ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"']
  spawnSync('bash', [...limited, process.execPath, script], { cwd })
  return readdirSync(cwd)
}

test('a partially written download never gets its final name', () => {
  expect(savedBy(program(8000))).toEqual(['saved'])
  expect(savedBy(program(9000))).toEqual([expect.stringMatching(/^saved\.[\da-f]{8}\.part$/)])
})
