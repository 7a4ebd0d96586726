import { expect, test } from 'vitest'
import { decodeBackupLines, encodeBackupLine } from './backup-lines.ts'
import type { BackupLine } from './rest/backups.ts'
import { frameOf } from './testing/records.ts'

const comment = { message: 'a line\nand Ö', owner: 'anna' }
const place = { job: 0, frame: 1, position: [1, 2, 3, 4] }
const lines: BackupLine[] = [
  { project: { name: 'p', bug_tracker: '', status: 'annotation', guide: null } },
  { frame: frameOf() },
  { issue: { ...place, resolved: false, owner: null, comments: [comment] } },
]

test.each([1, 7, 100_000])('lines are restored from pieces of %i bytes', async (size) => {
  const read: BackupLine[] = []
  for await (const line of decodeBackupLines(pieces(lines.map(encodeBackupLine).join(''), size)))
    read.push(line)
  expect(read).toEqual(lines)
})

test.each([
  ['{"other":{}}\n', 'line 1 is none of a backup'],
  ['nothing\n', 'line 1 is none of a backup'],
  ['{"frame"', 'the last line has no end'],
])('%j is rejected', async (text, message) => {
  await expect(decodeBackupLines(pieces(text, 10)).next()).rejects.toThrow(message)
})

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
