import { type BackupLine, backupLine } from './rest/backups.ts'

/**
 * Backup lines transfer a project or task without its annotations between projects-svc and the converters.
 * - UTF-8. A line is one `backupLine` as JSON and ends in `\n`.
 * - Order: the project, if there is one; then for each task its own line, its frames and its issues. A task is restored
 * from its lines alone.
 */
const longestLine = 64 * 1024 * 1024

/** Error of a malformed stream, which is a bug of the program that wrote it. */
export class BackupLinesError extends Error {}

/** Formats one line. */
export const encodeBackupLine = (line: BackupLine) => `${JSON.stringify(line)}\n`

/**
 * Parses the lines of a stream, whose pieces may be cut anywhere.
 * @throws BackupLinesError naming the line, counted from 1
 */
export async function* decodeBackupLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<BackupLine> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let held = 0
  let number = 0
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    held += first.length
    for (const begin of others) {
      yield readLine(parts.join(''), ++number)
      parts = [begin]
      held = begin.length
    }
    if (held > longestLine) throw new BackupLinesError(`line ${number + 1} is too long`)
  }
  if (parts.join('') !== '') throw new BackupLinesError('the last line has no end')
}

function readLine(text: string, number: number): BackupLine {
  const found = backupLine.safeParse(parseJson(text))
  if (found.success) return found.data
  throw new BackupLinesError(`line ${number} is none of a backup: ${found.error.message}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reader of backup lines that consumes them one after another by their kind. */
export interface BackupLines {
  /** Returns the next line if it is of this kind. */
  take: <K extends keyof BackupLine>(kind: K) => Promise<BackupLine[K]>
  /** Yields all following lines of this kind. */
  all: <K extends keyof BackupLine>(kind: K) => AsyncGenerator<NonNullable<BackupLine[K]>>
}

export function openBackupLines(chunks: AsyncIterable<Uint8Array>): BackupLines {
  const source = decodeBackupLines(chunks)
  let waiting: Promise<IteratorResult<BackupLine>> | undefined
  const take: BackupLines['take'] = async (kind) => {
    waiting ??= source.next()
    const { done, value } = await waiting
    const found = done ? undefined : value[kind]
    if (found !== undefined) waiting = undefined
    return found
  }
  return {
    take,
    all: async function* (kind) {
      for (;;) {
        const found = await take(kind)
        if (found === undefined) return
        yield found
      }
    },
  }
}
