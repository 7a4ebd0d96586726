import type { BackupLine } from '@reticle/contracts/rest/backups'

/** Lines of a backup, taken one after the other by what they are. */
export interface Lines {
  /** The next line, when it is of this kind. */
  take: <K extends keyof BackupLine>(kind: K) => Promise<BackupLine[K]>
  /** All that follow of this kind. */
  all: <K extends keyof BackupLine>(kind: K) => AsyncGenerator<NonNullable<BackupLine[K]>>
}

export function openLines(lines: AsyncIterable<BackupLine>): Lines {
  const source = lines[Symbol.asyncIterator]()
  let waiting: Promise<IteratorResult<BackupLine>> | undefined
  const take: Lines['take'] = async (kind) => {
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
